/**
 * Converts JSON values of the wrong type. Each function returns undefined for a value that it cannot convert;
 * the caller then drops the value and reports it.
 */
import { integerDigits } from "../json/exact-decimal.ts";
import { exactNumber, type JsonValue } from "../json/json.ts";

/**
 * The maximum number of digits of an integer. More digits do not fit any field, so `1e999` is not written
 * out.
 */
const MAX_TEXT_DIGITS = 40;
const INTEGER = /^[+-]?\d{1,40}$/;
/** An integer in plain JSON notation, the most common notation. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,39})$/;
/** For each character code, 1 if base64 may contain the character as white space. */
const IS_SPACE = Uint8Array.from({ length: 256 }, (_, code) =>
  "\t\n\f\r ".includes(String.fromCharCode(code)) ? 1 : 0,
);
// matching is linear: with an optional point between two runs of digits, the expression would try every split
// of a long run
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a decimal number. Integers of any size are exact; surrounding spaces are ignored. */
export function numberFromText(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (INTEGER.test(trimmed)) {
    const value = Number(trimmed);
    return Number.isSafeInteger(value) ? value : BigInt(trimmed.replace(/^\+/, ""));
  }
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined;
}

/**
 * Parses an integer in any decimal notation, exact for any size: `5`, `5.0`, `1e3`. Returns undefined for a
 * number with a fraction, even a very small one.
 */
export function integerFromText(text: string): number | bigint | undefined {
  if (PLAIN_INTEGER.test(text)) return exactly(text);
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed)) return undefined;
  const digits = integerDigits(
    trimmed
      .replace(/^\+/, "")
      .replace(/^(-?)\./, "$10.")
      .replace(/\.(?!\d)/, ""),
    MAX_TEXT_DIGITS,
  );
  return digits === undefined ? undefined : exactly(digits);
}

function exactly(digits: string): number | bigint {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : BigInt(digits);
}

/** Parses the ProtoJSON names of non-finite doubles. */
export function specialDouble(text: string): number | undefined {
  if (text === "NaN") return Number.NaN;
  if (text === "Infinity") return Number.POSITIVE_INFINITY;
  return text === "-Infinity" ? Number.NEGATIVE_INFINITY : undefined;
}

/** Converts 0, 1 and the words that forms use for booleans. */
export function booleanFrom(given: JsonValue): boolean | undefined {
  const value = exactNumber(given);
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== "string") return undefined;
  switch (value.toLowerCase()) {
    case "true":
    case "1":
    case "y":
    case "yes":
      return true;
    case "false":
    case "0":
    case "n":
    case "no":
    case "":
      return false;
    default:
      return undefined;
  }
}

/**
 * Decodes base64 as MIME decoders do (RFC 2045 section 6.8): accepts line breaks, tabs and spaces anywhere,
 * both alphabets (RFC 4648 sections 4 and 5), and optional padding. Returns undefined for other characters,
 * data after the padding, or a single trailing digit, which is less than a byte.
 */
export function bytesFromBase64(text: string): Uint8Array | undefined {
  const digits = /^([A-Za-z0-9+/_-]*)={0,2}$/.exec(withoutSpace(text))?.[1];
  // a single digit has six bits, less than a byte
  if (digits === undefined || digits.length % 4 === 1) return undefined;
  return Buffer.from(digits, "base64");
}

/** Removes white space. Most base64 is on one line and can be long. */
function withoutSpace(text: string): string {
  if (!/[\t\n\f\r ]/.test(text)) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  // without a branch, so that a string with a space after every few digits takes no longer than other strings
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    bytes[length] = byte;
    length += 1 - (IS_SPACE[byte] ?? 0);
  }
  // `latin1` maps characters beyond Latin-1 to other characters; none of these is a base64 digit
  return bytes.toString("latin1", 0, length);
}
