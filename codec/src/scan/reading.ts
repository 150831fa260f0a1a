import type { DurationRule, TimeRule } from "../table/kinds.ts";
import { KIND, NOTATION } from "./layout.ts";

/** The number of decimal digits between each unit of time and the second. */
const COUNT_DIGITS: Readonly<Record<string, number>> = { seconds: 0, millis: 3, micros: 6, nanos: 9 };

/** A field, as the scanner's tables represent it. */
export interface Reading {
  readonly kind: number;
  readonly argument?: number;
  /** Default: length-delimited. */
  readonly wireType?: number;
  /** The string that means "no value". */
  readonly none?: string | undefined;
  /** The flags of the field: FIELD_COMMAS, FIELD_OR_NULL, or no flag. */
  readonly flags?: number | undefined;
}

/** A field that only the host can read. */
export const HANDOVER: Reading = { kind: KIND.handover };

/**
 * Returns how a time is read.
 *
 * @param addressOf writes a string into the memory of the scanner
 */
export function timeReading(
  time: TimeRule,
  none: string | undefined,
  addressOf: (text: string) => number,
): Reading {
  const argument = typeof time === "string" ? COUNT_DIGITS[time] : undefined;
  if (argument !== undefined) return { kind: KIND.count, argument, none };
  if (time === "iso8601") return { kind: KIND.notation, argument: NOTATION.isoTime, none };
  const format = typeof time === "object" ? formatOf(time.pattern) : DATE;
  return format === undefined ? HANDOVER : { kind: KIND.notation, argument: addressOf(format), none };
}

/** Returns how a duration is read; by default as in ProtoJSON. */
export function durationReading(rule: DurationRule | undefined): Reading {
  if (rule === undefined) return { kind: KIND.notation, argument: NOTATION.duration };
  return rule === "iso8601" ? { kind: KIND.notation, argument: NOTATION.isoDuration } : HANDOVER;
}

/** The parts of a format, each with its index + 1 as code. */
const PARTS = ["YYYY", "MM", "DD", "HH", "mm", "ss"];
/** The usual format of HTTP and mail, with the names of the day (8) and of the month (7). */
const DATE = "\x08, \x03 \x07 \x01 \x04:\x05:\x06 GMT";
const PART = new RegExp(`(${PARTS.join("|")})`);

/** Returns a pattern with a code for each part; undefined for a pattern that only the host can read. */
function formatOf(pattern: string): string | undefined {
  const pieces = pattern.split(PART);
  const parts = pieces.filter((_, index) => index % 2 === 1);
  const isPlain = /^[ -~]*$/.test(pattern) && !/["\\]/.test(pattern);
  if (!isPlain || new Set(parts).size < parts.length) return undefined;
  return pieces
    .map((piece, index) => (index % 2 === 1 ? String.fromCharCode(PARTS.indexOf(piece) + 1) : piece))
    .join("");
}
