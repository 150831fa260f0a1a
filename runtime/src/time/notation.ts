/** Formats times and durations. */
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type CountUnit,
  countText,
  instantFrom,
  MAX_SECONDS,
  MIN_SECONDS,
  NANOS_PER_SECOND,
  type TimeRule,
  UNIT_DIGITS,
} from "connect-rest-codec/internal";

/** How a time that is finer than its unit or notation is rounded: to the earlier or to the later time. */
export type Rounding = "down" | "up";

/** The number of nanoseconds in a second. */
export const NANOS = 1_000_000_000;

/** Reports whether a message is in the range of google.protobuf.Timestamp. */
export function isTime({ seconds, nanos }: Timestamp): boolean {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos < NANOS;
}

/** Reports whether a time is written as a number. */
export function isCount(rule: TimeRule): rule is CountUnit {
  return typeof rule === "string" && rule in UNIT_DIGITS;
}

/** Formats a time in the valid range as a count since 1970, or as a string. */
export function notation(time: Timestamp, rule: TimeRule): string {
  if (typeof rule === "object") return patternText(time, rule.pattern);
  // the nanos of a time count forwards from its second, even before 1970
  if (isCount(rule)) return countText(time.seconds * NANOS_PER_SECOND + BigInt(time.nanos), rule);
  if (rule === "iso8601") return isoText(time);
  const date = dateOf(time).toUTCString();
  return rule === "http_date" ? date : date.replace("GMT", "+0000");
}

/** Returns the nearest time that the rule can express, rounded in the given direction. */
export function rounded(time: Timestamp, rule: TimeRule, rounding: Rounding): Timestamp {
  const earlier = floor(time, rule);
  const isWhole = earlier.seconds === time.seconds && earlier.nanos === time.nanos;
  return isWhole || rounding === "down" ? earlier : next(earlier, rule);
}

function floor(time: Timestamp, rule: TimeRule): Timestamp {
  if (typeof rule !== "object") return { ...time, nanos: time.nanos - (time.nanos % unitOf(rule)) };
  const read = instantFrom(patternText(time, rule.pattern), rule);
  return read === undefined ? time : { ...time, seconds: BigInt(read.seconds), nanos: 0 };
}

/** Returns the next time that the rule can express. */
function next(time: Timestamp, rule: TimeRule): Timestamp {
  if (typeof rule === "object") return { ...time, seconds: nextOf(time, rule.pattern) };
  const nanos = time.nanos + unitOf(rule);
  return nanos < NANOS ? { ...time, nanos } : { ...time, seconds: time.seconds + 1n, nanos: 0 };
}

function unitOf(rule: string): number {
  return isCount(rule as TimeRule) ? 10 ** (9 - UNIT_DIGITS[rule as CountUnit]) : NANOS;
}

const PART_SECONDS = { ss: 1, mm: 60, HH: 3_600, DD: 86_400 } as const;

function nextOf(time: Timestamp, pattern: string): bigint {
  const part = Object.entries(PART_SECONDS).find(([name]) => pattern.includes(name));
  if (part !== undefined) return time.seconds + BigInt(part[1]);
  const date = dateOf(time);
  date.setUTCMonth(date.getUTCMonth() + (pattern.includes("MM") ? 1 : 12));
  return BigInt(date.getTime() / 1_000);
}

/** Formats a time as in RFC 3339. */
export function isoText(time: Timestamp): string {
  const text = dateOf(time).toISOString().slice(0, 19);
  return `${text}${fractionText(time.nanos)}Z`;
}

/** Formats 0, 3, 6 or 9 digits, as in ProtoJSON. */
function fractionText(nanos: number): string {
  if (nanos === 0) return "";
  return `.${String(nanos).padStart(9, "0")}`.replace(/(000){1,2}$/, "");
}

function patternText(time: Timestamp, pattern: string): string {
  const iso = dateOf(time).toISOString();
  return pattern
    .replace("YYYY", iso.slice(0, 4))
    .replace("MM", iso.slice(5, 7))
    .replace("DD", iso.slice(8, 10))
    .replace("HH", iso.slice(11, 13))
    .replace("mm", iso.slice(14, 16))
    .replace("ss", iso.slice(17, 19));
}

function dateOf(time: Timestamp): Date {
  return new Date(Number(time.seconds) * 1_000);
}

/** Formats a duration as in ProtoJSON. */
export function protoSpan({ seconds, nanos }: Duration): string {
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `${sign}${seconds < 0n ? -seconds : seconds}${fractionText(Math.abs(nanos))}s`;
}
