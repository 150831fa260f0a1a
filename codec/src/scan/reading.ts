import type { TimeRule } from "../table/kinds.ts";
import { KIND } from "./layout.ts";

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

/** Returns how a time is read. */
export function timeReading(time: TimeRule, none: string | undefined): Reading {
  if (time === "iso8601") return { kind: KIND.iso, none };
  const digits = typeof time === "string" ? COUNT_DIGITS[time] : undefined;
  return digits === undefined ? HANDOVER : { kind: KIND.count, argument: digits, none };
}
