/** A value that can be printed as a TypeScript literal. Undefined keys are omitted. */
export type Literal =
  | string
  | number
  | boolean
  | null
  | undefined
  | Expression
  | readonly Literal[]
  | { readonly [key: string]: Literal };

/** Code inside a literal, such as the member of an enum. */
export class Expression {
  readonly code: string;

  constructor(code: string) {
    this.code = code;
  }
}

const WIDTH = 110;

/** Prints a literal, on several lines if a single line would be too long. `indent` counts spaces. */
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

/** Prints a literal on one line. */
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

/** Prints milliseconds with separated thousands: `60_000`. */
export function printMillis(ms: number): string {
  return Number.isInteger(ms) && ms >= 10_000 ? String(ms).replace(/\B(?=(?:\d{3})+$)/g, "_") : String(ms);
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value);
}

/** Prints a string literal in double quotes on one line, without insertion points. */
export function printString(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("@@protoc_insertion_point", "@\\u0040protoc_insertion_point");
}

/** Prints the key of an object literal or of its type. Quotes the key only if necessary. */
export function printKey(key: string): string {
  // such a key would set the prototype, with or without quotes
  if (key === "__proto__") return `[${printString(key)}]`;
  return isIdentifier(key) ? key : printString(key);
}

/**
 * Prints access to a key of a JSON object: `json["title"]`. TypeScript's option
 * `noPropertyAccessFromIndexSignature` rejects access with a dot.
 */
export function printMember(object: string, key: string): string {
  return `${object}[${printString(key)}]`;
}

// the keys that every JavaScript object inherits, so that an access finds them even if the JSON lacks them
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/**
 * Reports whether every JavaScript object has a property with this name: `constructor`, `toString`,
 * `__proto__`.
 */
export function isInherited(key: string): boolean {
  return INHERITED.has(key);
}

function isIdentifier(text: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(text);
}
