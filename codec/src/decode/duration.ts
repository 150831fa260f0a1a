/** Converts google.protobuf.Duration to and from the formats of upstreams. */
import type { Duration } from "@bufbuild/protobuf/wkt";
import type { JsonValue } from "../json/json.ts";
import type { CountUnit, DurationRule } from "../table/kinds.ts";
import { type Nanos, nanosOf } from "./decimal.ts";
import type { Instant } from "./timestamp.ts";

/** The number of decimal digits between each unit and the second. */
export const UNIT_DIGITS = { seconds: 0, millis: 3, micros: 6, nanos: 9 } as const;

/** The range of google.protobuf.Duration: 10,000 years. */
export const MAX_SPAN_SECONDS = 315_576_000_000n;
/** The number of nanoseconds in a second. */
export const NANOS_PER_SECOND = 1_000_000_000n;
const PROTO_JSON = /^(-?)(\d{1,12})(?:\.(\d+))?s?$/;
const ISO =
  /^(-)?P(?=\d|T\d)(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?=\d)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:[.,](\d+))?S)?)?$/;

/**
 * Reads a duration: `3.5s` as in ProtoJSON, or a number of seconds. Returns undefined for any other string.
 */
export function durationFrom(text: string): Instant | undefined {
  const [match, minus, whole, fraction = "0"] = PROTO_JSON.exec(text) ?? [];
  return match === undefined ? undefined : inRange(nanosOf(`${minus}${whole}.${fraction}`, 0));
}

/**
 * Reads a duration by its rule. Returns undefined for any other value, including months and years, whose
 * length varies.
 */
export function spanFrom(value: JsonValue, rule: DurationRule): Instant | undefined {
  if (rule === "iso8601") return typeof value === "string" ? fromIso(value.trim()) : undefined;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined;
  return inRange(nanosOf(String(value), UNIT_DIGITS[rule]));
}

function fromIso(text: string): Instant | undefined {
  const [match, minus, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, fraction = "0"] =
    ISO.exec(text) ?? [];
  if (match === undefined) return undefined;
  const total =
    (((BigInt(weeks) * 7n + BigInt(days)) * 24n + BigInt(hours)) * 60n + BigInt(minutes)) * 60n +
    BigInt(seconds);
  return inRange(nanosOf(`${minus ?? ""}${total}.${fraction}`, 0));
}

function inRange(count: Nanos | undefined): Instant | undefined {
  if (count === undefined) return undefined;
  const { nanos, isCut } = count;
  const seconds = nanos / NANOS_PER_SECOND;
  const isOutside =
    nanos > MAX_SPAN_SECONDS * NANOS_PER_SECOND || nanos < -MAX_SPAN_SECONDS * NANOS_PER_SECOND;
  return isOutside ? undefined : { seconds: Number(seconds), nanos: Number(nanos % NANOS_PER_SECOND), isCut };
}

/** Formats a duration by its rule: as a count, with a fraction if necessary, or as ISO 8601. */
export function spanText({ seconds, nanos }: Duration, rule: DurationRule): string {
  const total = seconds * NANOS_PER_SECOND + BigInt(nanos);
  if (rule !== "iso8601") return countText(total, rule);
  return `${total < 0n ? "-" : ""}${isoText(nanoDigits(total))}`;
}

/** Formats nanoseconds as an exact decimal number of a unit, without trailing zeros. */
export function countText(nanos: bigint, unit: CountUnit): string {
  const digits = nanoDigits(nanos);
  const point = digits.length - 9 + UNIT_DIGITS[unit];
  const whole = digits.slice(0, point).replace(/^0+(?=\d)/, "");
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${nanos < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

/**
 * Returns the digits of a number of nanoseconds, without sign: nine digits for the fraction, and at least one
 * for the seconds.
 */
function nanoDigits(nanos: bigint): string {
  return String(nanos < 0n ? -nanos : nanos).padStart(10, "0");
}

function isoText(digits: string): string {
  const whole = BigInt(digits.slice(0, -9));
  const fraction = digits.slice(-9).replace(/0+$/, "");
  const [hours, minutes, seconds] = [whole / 3600n, (whole / 60n) % 60n, whole % 60n];
  const rest = seconds > 0n || fraction !== "" || whole === 0n;
  const last = rest ? `${seconds}${fraction === "" ? "" : `.${fraction}`}S` : "";
  return `PT${hours > 0n ? `${hours}H` : ""}${minutes > 0n ? `${minutes}M` : ""}${last}`;
}
