/**
 * Reads and writes JSON with exact integers: an integer beyond 2^53 is a `bigint` in memory and a plain
 * number in JSON.
 */

import { randomId } from "./entropy.ts";

const COLON = /\s*:/y;

const raw = JSON as unknown as { rawJSON(text: string): unknown };

/** Writes JSON. A `bigint` becomes a plain number. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? raw.rawJSON(item.toString()) : item,
  );
}

/** Reads JSON. An integer that a double cannot represent becomes a `bigint`. Throws `SyntaxError`. */
export function readJson(text: string): unknown {
  const { text: plain, names } = withoutEscapedKeys(text);
  const value = readPlain(plain);
  return names.size === 0 ? value : withKeys(value, names);
}

function readPlain(text: string): unknown {
  // an unsafe integer has at least sixteen digits: without such a sequence of digits, the plain parser is
  // exact
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return JSON.parse(text, ((_key: string, value: unknown, context: { source?: string }) => {
    const exact = typeof value !== "number" || Number.isSafeInteger(value);
    return exact || !/^-?\d+$/.test(context.source ?? "") ? value : BigInt(context.source as string);
  }) as (key: string, value: unknown) => unknown);
}

/**
 * Returns the text with placeholders for keys that contain escapes, and the names of these keys. V8 has a
 * bug: after it has read the key `\` in an object, it reads the key `"\""` as `\`.
 */
function withoutEscapedKeys(text: string): { readonly text: string; readonly names: Map<string, string> } {
  const names = new Map<string, string>();
  if (!text.includes("\\")) return { text, names };
  const mark = `#${randomId()}:`;
  const pieces: string[] = [];
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start + 1);
    const string = text.slice(start, end);
    COLON.lastIndex = end;
    if (string.includes("\\") && COLON.test(text)) {
      const name = `${mark}${names.size}`;
      names.set(name, JSON.parse(string) as string);
      pieces.push(text.slice(copied, start), `"${name}"`);
      copied = end;
    }
    start = text.indexOf('"', end);
  }
  return { text: pieces.join("") + text.slice(copied), names };
}

function endOfString(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    if (text[at] === '"') return at + 1;
    if (text[at] === "\\") at++;
  }
  return text.length;
}

function withKeys(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withKeys(item, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, withKeys(item, names)]),
  );
}

/** A JSON object with unchecked values. */
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
