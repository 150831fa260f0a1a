import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { rawJSON } from "./raw.ts";

/** JSON text of a parsed value, for fields that keep it as it came. */
export interface RawJson {
  /** The text; undefined where the value is nested too deep to be written. */
  readonly text: string | undefined;
  /** Whether the value holds a number that JSON.parse has rounded: the text is then not what was sent. */
  readonly rounded: boolean;
  /** Whether the value may hold a number that JSON.parse has given another notation, `1.1` for `1.10`. */
  readonly hasNumbers: boolean;
}

const DIGIT = /\d/;
const SUSPICIOUS = /\d{16}|e\+|null/;

/** Whether JSON.parse may have rounded this: an integer beyond 2^53, or one too large for a double. */
export function isRounded(value: number): boolean {
  return !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
}

/**
 * Writes a parsed value as JSON, integers of any size included. It looks for rounded numbers only where the text
 * could hold one, so that the common case costs no more than JSON.stringify.
 */
export function rawJson(value: JsonValue): RawJson {
  try {
    if (typeof value === "string") return { text: JSON.stringify(value), rounded: false, hasNumbers: false };
    if (value instanceof NumberText) return { text: value.source, rounded: false, hasNumbers: false };
    if (typeof value !== "object" || value === null) return scalar(value);
    return container(value);
  } catch {
    // too deep: JSON.stringify is recursive
    return { text: undefined, rounded: false, hasNumbers: false };
  }
}

function scalar(value: number | bigint | boolean | null): RawJson {
  const isNumber = typeof value === "number";
  return { text: String(value), rounded: isNumber && isRounded(value), hasNumbers: isNumber };
}

function container(value: JsonValue): RawJson {
  const plain = plainText(value);
  if (plain !== undefined && !SUSPICIOUS.test(plain)) {
    return { text: plain, rounded: false, hasNumbers: DIGIT.test(plain) };
  }
  let rounded = false;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return rawJSON(String(item));
    if (typeof item === "number" && isRounded(item)) rounded = true;
    return item;
  });
  return { text, rounded, hasNumbers: DIGIT.test(text) };
}

function plainText(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // a TypeError is a bigint; a RangeError, too deep, is the caller's
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
