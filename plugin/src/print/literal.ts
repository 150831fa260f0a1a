/** A value that can be printed as a TypeScript literal. Keys that are undefined are left out. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | undefined
  | Expression
  | readonly Literal[]
  | { readonly [key: string]: Literal };

/** Code inside of a literal, such as the member of an enum. */
export class Expression {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

const WIDTH = 110;

/** Prints a literal, over several lines where one would be too long. `indent` counts spaces. */
export function printLiteral(value: Literal, indent = 0): string {
  const line = printInline(value);
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof Expression ||
    line.length + indent <= WIDTH - 20
  ) {
    return line;
  }
  const inner = " ".repeat(indent + 2);
  const outer = " ".repeat(indent);
  if (isList(value)) {
    return `[\n${value.map((item) => `${inner}${printLiteral(item, indent + 2)},\n`).join("")}${outer}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const lines = entries.map(
    ([key, item]) => `${inner}${printKey(key)}: ${printLiteral(item, indent + 2)},\n`,
  );
  return `{\n${lines.join("")}${outer}}`;
}

/** Prints a literal in one line. */
export function printInline(value: Literal): string {
  if (value instanceof Expression) return value.code;
  if (isList(value)) return `[${value.map(printInline).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    if (entries.length === 0) return "{}";
    const members = entries.map(([key, item]) => {
      const value = typeof item === "number" && key.endsWith("Ms") ? printMillis(item) : printInline(item);
      return `${printKey(key)}: ${value}`;
    });
    return `{ ${members.join(", ")} }`;
  }
  return typeof value === "string" ? printString(value) : String(value);
}

/** Milliseconds, with the seconds set apart: `60_000`. */
export function printMillis(ms: number): string {
  return Number.isInteger(ms) && ms >= 10_000 ? String(ms).replace(/\B(?=(?:\d{3})+$)/g, "_") : String(ms);
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value);
}

/** A string literal in double quotes, in one line, and never with an insertion point in it. */
export function printString(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("@@protoc_insertion_point", "@\\u0040protoc_insertion_point");
}

/** The key of an object literal or of its type, quoted only where it must be. */
export function printKey(key: string): string {
  // with or without quotes, this one would set the prototype
  if (key === "__proto__") return `[${printString(key)}]`;
  return isIdentifier(key) ? key : printString(key);
}

/**
 * A key of a JSON object: `json["title"]`. With a dot, the option `noPropertyAccessFromIndexSignature` of
 * TypeScript would reject the file.
 */
export function printMember(object: string, key: string): string {
  return `${object}[${printString(key)}]`;
}

// Keys that every JavaScript object has, so that a plain access would find them where there are none.
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Whether every JavaScript object has a property of this name: `constructor`, `toString`, `__proto__`. */
export function isInherited(key: string): boolean {
  return INHERITED.has(key);
}

function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(text);
}
