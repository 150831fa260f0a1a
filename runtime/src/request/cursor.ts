/** Functions with which generated code puts a cursor from a response into a field of the next request. */
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { CountUnit, JsonValue } from "connect-rest-codec/internal";
import {
  exactNumber,
  instantFrom,
  integerFromText,
  NumberText,
  type TimeRule,
  UNIT_DIGITS,
} from "connect-rest-codec/internal";

/** The bounds of the integers of 64 bits, signed and unsigned. */
const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 64n - 1n;

/**
 * Thrown for a cursor that does not fit its request field. The code that reads the page adds the location of
 * the cursor.
 */
export class CursorFault extends Error {
  readonly expected: string;
  readonly got: string;

  constructor(expected: string, value: JsonValue) {
    const isScalar = typeof value !== "object" || value instanceof NumberText;
    const got = isScalar ? JSON.stringify(String(value).slice(0, 40)) : "no scalar";
    super(`expected ${expected}, got ${got}`);
    this.expected = expected;
    this.got = got;
  }
}

/** @throws CursorFault */
export function cursorNumber(value: JsonValue): number {
  const number = typeof value === "string" ? integerFromText(value) : exactNumber(value);
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new CursorFault("an integer", value);
}

/** @throws CursorFault */
export function cursorBigInt(value: JsonValue): bigint {
  const number = typeof value === "string" ? integerFromText(value) : exactNumber(value);
  if (typeof number === "number" && Number.isSafeInteger(number)) return BigInt(number);
  if (typeof number === "bigint" && number >= MIN_INTEGER && number <= MAX_INTEGER) return number;
  throw new CursorFault("an integer", value);
}

/** @throws CursorFault */
export function cursorTime(value: JsonValue, rule: TimeRule): Timestamp {
  const instant = instantFrom(value instanceof NumberText ? value.source : value, rule);
  if (instant === undefined) throw new CursorFault(notationOf(rule), value);
  return { $typeName: "google.protobuf.Timestamp", seconds: BigInt(instant.seconds), nanos: instant.nanos };
}

/**
 * Returns a cursor as an integer, or as a time in the given unit, rounded down.
 *
 * @throws CursorFault
 */
export function cursorCount(value: JsonValue, unit: CountUnit | undefined): bigint {
  if (unit === undefined) return cursorBigInt(value);
  const { seconds, nanos } = cursorTime(value, unit);
  const digits = UNIT_DIGITS[unit];
  return seconds * 10n ** BigInt(digits) + BigInt(Math.floor(nanos / 10 ** (9 - digits)));
}

const NOTATIONS = {
  seconds: "seconds",
  millis: "milliseconds",
  micros: "microseconds",
  nanos: "nanoseconds",
  iso8601: "ISO 8601",
  http_date: "an HTTP date",
  rfc2822: "an RFC 2822 date",
} as const;

function notationOf(rule: TimeRule): string {
  return `a time as ${typeof rule === "string" ? NOTATIONS[rule] : rule.pattern}`;
}
