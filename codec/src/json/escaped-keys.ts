import { systemClock } from "../time/clock.ts";
import { isJsonObject, type JsonValue } from "./json.ts";
import { endOfString, skipSpace } from "./json-text.ts";

const BACKSLASH = "\\";
const COLON = ":";

/**
 * Parses JSON like JSON.parse (RFC 8259), but always with the correct keys. V8 predicts the next key of an
 * object from previously parsed objects, and compares the prediction with the raw text, including escapes.
 * After V8 has parsed the key `\`, for example, it reads the key `"\""` as `\` in any document.
 *
 * @throws SyntaxError
 */
export function parseWithKeys(text: string): JsonValue {
  if (!hasEscapedKey(text)) return JSON.parse(text) as JsonValue;
  const keys = escapedKeys(text);
  // unguessable, so that no other key in the document begins with it
  const mark = `#${systemClock.randomHex(16)}:`;
  return renamed(JSON.parse(withMarks(text, keys, mark)) as JsonValue, [...keys.keys()], mark);
}

/** Reports whether an object has a key with an escape. Reads each character at most once. */
export function hasEscapedKey(text: string): boolean {
  // the first backslash in the text, or after a string, begins an escape
  for (let at = text.indexOf(BACKSLASH); at >= 0; at = text.indexOf(BACKSLASH, at)) {
    at = endOfString(text, at);
    if (isKey(text, at)) return true;
  }
  return false;
}

/** Reports whether the string that ends at a position is a key: a colon follows. */
export function isKey(text: string, end: number): boolean {
  return text.charAt(skipSpace(text, end)) === COLON;
}

/** Returns the keys that are written with escapes somewhere in a document, unescaped and numbered. */
function escapedKeys(text: string): ReadonlyMap<string, number> {
  const keys = new Map<string, number>();
  for (const { string, end } of stringsOf(text)) {
    // a string that is the whole document is not a key, and is parsed unchanged
    if (!string.includes(BACKSLASH) || !isKey(text, end)) continue;
    const key = unescaped(string);
    if (!keys.has(key)) keys.set(key, keys.size);
  }
  return keys;
}

/** @throws SyntaxError */
function unescaped(string: string): string {
  return JSON.parse(string) as string;
}

/** Yields the strings in JSON, with their quotes. */
export function* stringsOf(text: string) {
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start + 1);
    yield { string: text.slice(start, end), start, end };
    start = text.indexOf('"', end);
  }
}

/**
 * Replaces these keys with numbered marks, with or without escapes. Of equal keys in an object, the last one
 * counts.
 */
function withMarks(text: string, keys: ReadonlyMap<string, number>, mark: string): string {
  let written = "";
  let copied = 0;
  for (const { string, start, end } of stringsOf(text)) {
    if (!isKey(text, end)) continue;
    const number = keys.get(string.includes(BACKSLASH) ? unescaped(string) : string.slice(1, -1));
    if (number === undefined) continue;
    written += `${text.slice(copied, start)}"${mark}${number}"`;
    copied = end;
  }
  return written + text.slice(copied);
}

/**
 * Restores the names of the keys, in place and without recursion, since the document may be deeply nested.
 */
function renamed(root: JsonValue, keys: readonly string[], mark: string): JsonValue {
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) if (typeof item === "object") open.push(item);
    } else if (isJsonObject(value)) {
      const entries = Object.entries(value);
      if (entries.some(([key]) => key.startsWith(mark))) rename(value, entries, keys, mark);
      for (const [, item] of entries) if (typeof item === "object") open.push(item);
    }
  }
  return root;
}

function rename(
  object: object,
  entries: ReadonlyArray<readonly [string, JsonValue | undefined]>,
  keys: readonly string[],
  mark: string,
): void {
  // delete all keys, to preserve their order
  for (const [key] of entries) Reflect.deleteProperty(object, key);
  for (const [key, value] of entries) {
    const name = key.startsWith(mark) ? (keys[Number(key.slice(mark.length))] ?? key) : key;
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
}
