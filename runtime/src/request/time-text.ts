/** What generated code calls to write times and durations. */
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type CountUnit,
  countText,
  type DurationRule,
  instantFrom,
  type JsonValue,
  MAX_SECONDS,
  MAX_SPAN_SECONDS,
  MIN_SECONDS,
  NANOS_PER_SECOND,
  type TimeRule,
  UNIT_DIGITS,
  wireDecimal,
  spanText as writeSpan,
} from "connect-rest-codec/internal";
import { invalidParameter, type ValueProblem } from "./invalid-value.ts";

/** Where a time goes that is finer than its unit or notation: to the earlier or to the later one. */
export type Rounding = "down" | "up";

const NANOS = 1_000_000_000;

/**
 * A time as an upstream expects it: a count since 1970, or text. A count that is not whole keeps its
 * fraction, unless the time is rounded.
 *
 * @param none the text that means "no time"
 * @throws ConnectError INVALID_ARGUMENT for a time outside of the range of google.protobuf.Timestamp, for
 *   one that the notation cannot hold, if it is not rounded, and for one whose text means "no time"
 */
export function timeText(given: Timestamp, rule: TimeRule, rounding?: Rounding, none?: string): string {
  checkTime(given, given);
  const time = rounding === undefined ? given : rounded(given, rule, rounding);
  checkTime(time, given);
  const text = notation(time, rule);
  if (!holds(text, time, rule)) {
    const problem = `${isoText(given)} is more precise than its notation, ${text}`;
    throw invalidTime(given, { problem, remedy: "send a time that the notation can hold" });
  }
  if (text !== none) return text;
  const problem = `${isoText(given)} is written as ${text}, which means that there is no time`;
  throw invalidTime(given, { problem, remedy: "leave the field out, or send another time" });
}

/**
 * A time as a JSON value: counts are exact numbers.
 *
 * @throws ConnectError INVALID_ARGUMENT as `timeText`
 */
export function timeJson(time: Timestamp, rule: TimeRule, rounding?: Rounding, none?: string): JsonValue {
  const text = timeText(time, rule, rounding, none);
  return isCount(rule) ? wireDecimal(text) : text;
}

function isCount(rule: TimeRule): rule is CountUnit {
  return typeof rule === "string" && rule in UNIT_DIGITS;
}

function notation(time: Timestamp, rule: TimeRule): string {
  if (typeof rule === "object") return patternText(time, rule.pattern);
  // the nanos of a time count forwards from its second, also before 1970
  if (isCount(rule)) return countText(time.seconds * NANOS_PER_SECOND + BigInt(time.nanos), rule);
  if (rule === "iso8601") return isoText(time);
  const date = dateOf(time).toUTCString();
  return rule === "http_date" ? date : date.replace("GMT", "+0000");
}

/** Whether the text says all of the time. */
function holds(text: string, time: Timestamp, rule: TimeRule): boolean {
  if (isCount(rule) || rule === "iso8601") return true;
  if (typeof rule === "string") return time.nanos === 0;
  const read = instantFrom(text, rule);
  return read !== undefined && BigInt(read.seconds) === time.seconds && time.nanos === 0;
}

function rounded(time: Timestamp, rule: TimeRule, rounding: Rounding): Timestamp {
  const earlier = floor(time, rule);
  const isWhole = earlier.seconds === time.seconds && earlier.nanos === time.nanos;
  return isWhole || rounding === "down" ? earlier : next(earlier, rule);
}

function floor(time: Timestamp, rule: TimeRule): Timestamp {
  if (typeof rule !== "object") return { ...time, nanos: time.nanos - (time.nanos % unitOf(rule)) };
  const read = instantFrom(patternText(time, rule.pattern), rule);
  return read === undefined ? time : { ...time, seconds: BigInt(read.seconds), nanos: 0 };
}

/** The next time that the rule can write. */
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

function checkTime({ seconds, nanos }: Timestamp, given: Timestamp): void {
  if (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos < NANOS) return;
  throw invalidTime(given, {
    problem: `${seconds} seconds and ${nanos} nanos are not a valid time`,
    remedy: "send one of the years 1 to 9999, with nanos from 0 to 999999999",
  });
}

function invalidTime(value: Timestamp, problem: ValueProblem): Error {
  return invalidParameter("google.protobuf.Timestamp", "request", problem, { value });
}

function isoText(time: Timestamp): string {
  const text = dateOf(time).toISOString().slice(0, 19);
  return `${text}${fractionText(time.nanos)}Z`;
}

/** No, 3, 6 or 9 digits, as ProtoJSON has them. */
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

/**
 * google.protobuf.Duration as ProtoJSON writes it, with 0, 3, 6 or 9 digits of a fraction: `3.500s`.
 *
 * @throws ConnectError INVALID_ARGUMENT for what is not a google.protobuf.Duration: outside of its range, or
 * with two signs
 */
export function durationText(duration: Duration): string {
  checkDuration(duration);
  const { seconds, nanos } = duration;
  const sign = seconds < 0n || nanos < 0 ? "-" : "";
  return `${sign}${seconds < 0n ? -seconds : seconds}${fractionText(Math.abs(nanos))}s`;
}

/**
 * A duration as text by its rule: a count, with a fraction where it is not whole, or ISO 8601.
 *
 * @throws ConnectError INVALID_ARGUMENT as `durationText`
 */
export function spanText(duration: Duration, rule: DurationRule): string {
  checkDuration(duration);
  return writeSpan(duration, rule);
}

/**
 * A duration as a JSON value: counts are exact numbers.
 *
 * @throws ConnectError INVALID_ARGUMENT as `durationText`
 */
export function spanJson(duration: Duration, rule: DurationRule): JsonValue {
  const text = spanText(duration, rule);
  return rule === "iso8601" ? text : wireDecimal(text);
}

function checkDuration(value: Duration): void {
  const { seconds, nanos } = value;
  const isInRange = seconds <= MAX_SPAN_SECONDS && seconds >= -MAX_SPAN_SECONDS && Math.abs(nanos) < NANOS;
  const hasOneSign = seconds === 0n || nanos === 0 || seconds < 0n === nanos < 0;
  if (isInRange && hasOneSign) return;
  throw invalidParameter(
    "google.protobuf.Duration",
    "request",
    {
      problem: `${seconds} seconds and ${nanos} nanos are not a valid duration`,
      remedy: "send at most 315576000000 seconds, and nanos of the same sign below a second",
    },
    { value },
  );
}
