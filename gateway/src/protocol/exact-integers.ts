/**
 * Preserves 64-bit integers in JSON requests. JSON.parse, and therefore protobuf-es, would round bare numbers
 * such as `735000000000070633`, and protobuf-es rejects notations such as `"1e3"`. They are replaced by plain
 * digits in quotes; the rest of the JSON is not changed.
 */
import { ScalarType } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  areEqual,
  type ExactDecimal,
  endOfString,
  exactDecimal,
  isInteger,
  lengthOf,
  MAX_DIGITS,
  plainDigits,
} from "connect-rest-codec/internal";
import { type Place, pathOf } from "./place.ts";

/** The number of digits of the largest 64-bit integer. */
const MAX_LONG_DIGITS = 20;
const SUSPICIOUS = /\d{16}|\d(?:\.\d+)?[eE]|"-?\d+\.0+"|\\u00[2-6]/;
const NUMBER = /-?\d[\d.eE+-]*/g;
/** A number with a fraction or an exponent. */
const NOTATION = /^-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)$/;
const NUMBER_START = /[-\d\\]/;
/** The end of a key, after its last quote. */
const KEY_END = /\s*:/y;
/** The length of a string with escapes, beyond which the string holds no number of a type. */
const MAX_STRING = 6 * MAX_DIGITS + 2;
const LONG: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT64,
  ScalarType.UINT64,
  ScalarType.SINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
const SHORT: ReadonlySet<ScalarType> = new Set([
  ScalarType.INT32,
  ScalarType.UINT32,
  ScalarType.SINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
]);

/** A number that JSON.parse does not preserve, or an integer in a string that protobuf-es does not read. */
export interface UnsafeNumber {
  readonly start: number;
  /** The number as in the JSON, including quotes. */
  readonly source: string;
  /** The string, if the number is in a string. */
  readonly text?: string | undefined;
  /** The exact value; undefined for a number with more digits than any type can hold. */
  readonly decimal: ExactDecimal | undefined;
}

/** Returns the unsafe numbers of a JSON text. Moves from string to string, without recursion. */
export function unsafeNumbers(text: string): readonly UnsafeNumber[] {
  if (!SUSPICIOUS.test(text)) return [];
  const numbers: UnsafeNumber[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const gap = text.slice(at, quote < 0 ? text.length : quote);
    if (SUSPICIOUS.test(gap)) {
      for (const { 0: source, index } of gap.matchAll(NUMBER)) {
        const decimal = exactDecimal(source);
        if (isChanged(source, decimal)) numbers.push({ start: at + index, source, decimal });
      }
    }
    if (quote < 0) break;
    at = endOfString(text, quote + 1);
    const number = numberInText(text, quote, at);
    if (number !== undefined) numbers.push(number);
  }
  return numbers;
}

/** Returns the number in a string that is not a key, if the number is an integer. */
function numberInText(json: string, start: number, end: number): UnsafeNumber | undefined {
  if (end - start > MAX_STRING || !NUMBER_START.test(json.charAt(start + 1))) return undefined;
  const source = json.slice(start, end);
  const text = unescaped(source);
  if (text === undefined || !NOTATION.test(text)) return undefined;
  KEY_END.lastIndex = end;
  const decimal = KEY_END.test(json) ? undefined : exactDecimal(text);
  return decimal !== undefined && isInteger(decimal) ? { start, source, text, decimal } : undefined;
}

/** Returns the content of a JSON string; undefined if the string is invalid. */
function unescaped(source: string): string | undefined {
  if (!source.includes("\\")) return source.slice(1, -1);
  try {
    return String(JSON.parse(source));
  } catch {
    return undefined;
  }
}

function isChanged(source: string, decimal: ExactDecimal | undefined): boolean {
  if (decimal !== undefined && isInteger(decimal)) return !isSafe(decimal);
  // a fraction that JSON.parse would round to an integer
  return Number.isInteger(Number(source)) || !Number.isFinite(Number(source));
}

function isSafe(integer: ExactDecimal): boolean {
  return lengthOf(integer) <= MAX_LONG_DIGITS && Number.isSafeInteger(Number(plainDigits(integer)));
}

/**
 * Returns the JSON with each number replaced by a string that consists of the mark and the number's index.
 */
export function withMarks(text: string, numbers: readonly UnsafeNumber[], mark: string): string {
  let index = 0;
  return replaced(text, numbers, () => `"${mark}${index++}"`);
}

/** Returns the JSON with these numbers in quotes, as plain digits. */
export function quoted(text: string, numbers: readonly UnsafeNumber[]): string {
  return replaced(
    text,
    numbers,
    ({ decimal, source }) => `"${decimal === undefined ? source : plainDigits(decimal)}"`,
  );
}

function replaced(
  text: string,
  numbers: readonly UnsafeNumber[],
  by: (number: UnsafeNumber) => string,
): string {
  const parts: string[] = [];
  let copied = 0;
  for (const number of numbers) {
    parts.push(text.slice(copied, number.start), by(number));
    copied = number.start + number.source.length;
  }
  return parts.join("") + text.slice(copied);
}

/**
 * Checks a bare number for a google.protobuf.Value. Accepts what printers write: the shortest notation of a
 * double, its exact value, and its notation with 17 digits and an exponent.
 *
 * @throws ConnectError for an integer that no double holds, and for a number out of range
 */
export function checkDouble({ decimal, source }: UnsafeNumber, place: Place | undefined): void {
  const value = Number(source);
  if (Number.isFinite(value)) {
    if (decimal === undefined || !isInteger(decimal)) return;
    const notations = [String(value), String(BigInt(value))];
    if (/e/i.test(source)) notations.push(value.toPrecision(17));
    if (notations.some((notation) => areEqual(decimal, exactDecimal(notation)))) return;
  }
  throw inexact(place, source, "a google.protobuf.Value, whose numbers are doubles,", "send it as a string");
}

/**
 * Returns whether a number must be quoted, because it belongs to a 64-bit integer.
 *
 * @throws ConnectError for a number that the integer cannot hold
 */
export function needsQuotes(
  { decimal, source }: UnsafeNumber,
  scalar: ScalarType,
  place: Place | undefined,
): boolean {
  if (!(LONG.has(scalar) || SHORT.has(scalar))) return false;
  if (decimal === undefined || !isInteger(decimal)) {
    throw inexact(place, source, "an integer", "send one without a fraction");
  }
  if (lengthOf(decimal) > MAX_LONG_DIGITS) {
    throw inexact(place, source, "an integer of 64 bits", "send a smaller one");
  }
  return LONG.has(scalar);
}

function inexact(place: Place | undefined, source: string, what: string, remedy: string): ConnectError {
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  const path = pathOf(place, "declared") || "the message";
  return new ConnectError(`${path}: ${what} cannot hold ${shown} exactly; ${remedy}`, Code.InvalidArgument);
}
