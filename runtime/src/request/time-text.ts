/** Functions with which generated code writes times and durations. */
import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type DurationRule,
  instantFrom,
  type JsonValue,
  MAX_SPAN_SECONDS,
  type TimeRule,
  wireDecimal,
  spanText as writeSpan,
} from "connect-rest-codec/internal";
import {
  isCount,
  isoText,
  isTime,
  NANOS,
  notation,
  protoSpan,
  type Rounding,
  rounded,
} from "../time/notation.ts";
import { invalidParameter, type ValueProblem } from "./invalid-value.ts";

/**
 * Formats a time in the upstream's notation: a count since 1970, or a string. A count keeps its fraction,
 * unless the notation rounds it.
 *
 * @param none the string that means "no time"
 * @throws ConnectError INVALID_ARGUMENT for a time outside of the range of google.protobuf.Timestamp, for a
 *   time that the notation cannot express without rounding, and for a time whose string means "no time"
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
 * Formats a time as a JSON value. Counts are exact numbers.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `timeText`
 */
export function timeJson(time: Timestamp, rule: TimeRule, rounding?: Rounding, none?: string): JsonValue {
  const text = timeText(time, rule, rounding, none);
  return isCount(rule) ? wireDecimal(text) : text;
}

/** Reports whether the formatted string preserves the exact time. */
function holds(text: string, time: Timestamp, rule: TimeRule): boolean {
  if (isCount(rule) || rule === "iso8601") return true;
  if (typeof rule === "string") return time.nanos === 0;
  const read = instantFrom(text, rule);
  return read !== undefined && BigInt(read.seconds) === time.seconds && time.nanos === 0;
}

function checkTime(time: Timestamp, given: Timestamp): void {
  if (isTime(time)) return;
  const { seconds, nanos } = time;
  throw invalidTime(given, {
    problem: `${seconds} seconds and ${nanos} nanos are not a valid time`,
    remedy: "send one of the years 1 to 9999, with nanos from 0 to 999999999",
  });
}

function invalidTime(value: Timestamp, problem: ValueProblem): Error {
  return invalidParameter("google.protobuf.Timestamp", "request", problem, { value });
}

/**
 * Formats a google.protobuf.Duration as in ProtoJSON, with 0, 3, 6 or 9 fraction digits: `3.500s`.
 *
 * @throws ConnectError INVALID_ARGUMENT for a google.protobuf.Duration that is out of range or has mixed
 *   signs
 */
export function durationText(duration: Duration): string {
  checkDuration(duration);
  return protoSpan(duration);
}

/**
 * Formats a duration by its rule: as a count, with a fraction if it is not whole, or as ISO 8601.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `durationText`
 */
export function spanText(duration: Duration, rule: DurationRule): string {
  checkDuration(duration);
  return writeSpan(duration, rule);
}

/**
 * Formats a duration as a JSON value. Counts are exact numbers.
 *
 * @throws ConnectError INVALID_ARGUMENT in the same cases as `durationText`
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
