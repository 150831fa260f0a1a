import { type Option, type OptionValue, Token } from "../proto/model.ts";

/** Prints the value of an option in the format of `buf format`. Further lines are indented like the first. */
export function printValue(value: OptionValue, indent: string): string {
  if (value instanceof Token) return value.name;
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return printList(value, indent);
  return printObject(value as Readonly<Record<string, OptionValue | undefined>>, indent);
}

function printList(values: readonly OptionValue[], indent: string): string {
  const [only] = values;
  if (only === undefined) return "[]";
  if (values.length === 1 && !isComposite(only)) return `[${printValue(only, indent)}]`;
  const inner = `${indent}  `;
  const items = values.map((value) => `${inner}${printValue(value, inner)}`);
  return `[\n${items.join(",\n")}\n${indent}]`;
}

function printObject(value: Readonly<Record<string, OptionValue | undefined>>, indent: string): string {
  const entries = Object.entries(value).filter(
    (entry): entry is [string, OptionValue] => entry[1] !== undefined,
  );
  const [only] = entries;
  if (only === undefined) return "{}";
  if (entries.length === 1 && !isComposite(only[1])) return `{${only[0]}: ${printValue(only[1], indent)}}`;
  const inner = `${indent}  `;
  const lines = entries.map(([key, item]) => `${inner}${key}: ${printValue(item, inner)}`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function isComposite(value: OptionValue): boolean {
  return typeof value === "object" && !(value instanceof Token);
}

/** Rules that are lists. The path of an option cannot set a part of a list. */
const LISTS = new Set(["from", "when", "headers", "parameters"]);

/** Returns an option, written as a path if it sets a single value. */
export function shortened(option: Option): Option {
  let { name, value } = option;
  for (;;) {
    if (typeof value !== "object" || value instanceof Token || Array.isArray(value)) break;
    const entries = Object.entries(value).filter(
      (entry): entry is [string, OptionValue] => entry[1] !== undefined,
    );
    const [only] = entries;
    if (entries.length !== 1 || only === undefined || Array.isArray(only[1])) break;
    name += `.${only[0]}`;
    value = only[1];
    if (LISTS.has(only[0])) break;
  }
  return { ...option, name, value };
}

/** Returns a string literal of the proto language. */
export function quote(text: string): string {
  const escaped = text.replace(
    /["\\\n\r\t\p{Cc}\u2028\u2029]/gu,
    (character) => ESCAPES[character] ?? octal(character),
  );
  return `"${escaped.toWellFormed()}"`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

function octal(character: string): string {
  return [...new TextEncoder().encode(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
}
