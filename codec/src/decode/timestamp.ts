/** Reads google.protobuf.Timestamp from the formats of upstreams. */
import type { JsonValue } from "../json/json.ts";
import type { TimeRule } from "../table/kinds.ts";
import { systemClock } from "../time/clock.ts";
import { type Nanos, nanosOf } from "./decimal.ts";

/**
 * A number of seconds since 1970, and nanoseconds within the second (0 to 999,999,999). In a duration, both
 * have the same sign.
 */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
  /** Whether digits beyond nanoseconds were dropped. */
  readonly isCut: boolean;
  /** Whether the string had no zone and was read as UTC. */
  readonly isLocal?: boolean;
  /** Whether the string names another day of the week. */
  readonly isOtherDay?: boolean;
}

/** The number of decimal digits between each unit and the second. */
const UNIT_DIGITS = { seconds: 0, millis: 3, micros: 6, nanos: 9 } as const;
const NANOS_PER_SECOND = 1_000_000_000n;
/** 0001-01-01T00:00:00Z, the earliest google.protobuf.Timestamp. */
export const MIN_SECONDS = -62_135_596_800;
/** 9999-12-31T23:59:59Z, the last second of google.protobuf.Timestamp. */
export const MAX_SECONDS = 253_402_300_799;
const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s?([Zz]|GMT|UTC|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

/** Reads a time. Returns undefined for any other value. */
export function instantFrom(value: JsonValue, rule: TimeRule): Instant | undefined {
  if (rule === "iso8601") return typeof value === "string" ? fromIso(value) : undefined;
  if (rule === "http_date" || rule === "rfc2822") {
    return typeof value === "string" ? fromMailDate(value, rule) : undefined;
  }
  if (typeof rule === "object") {
    return typeof value === "string" ? fromPattern(value, rule.pattern) : undefined;
  }
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "bigint") return undefined;
  if (Number.isSafeInteger(value)) return fromInteger(value as number, 10 ** UNIT_DIGITS[rule]);
  return fromCount(nanosOf(String(value), UNIT_DIGITS[rule]));
}

/** @param unit the number of units in a second */
function fromInteger(count: number, unit: number): Instant | undefined {
  const rest = ((count % unit) + unit) % unit;
  return inRange((count - rest) / unit, rest * (1_000_000_000 / unit));
}

/** Converts a count to a time. The nanoseconds always count forward from the second, even before 1970. */
function fromCount(count: Nanos | undefined): Instant | undefined {
  if (count === undefined) return undefined;
  const rest = ((count.nanos % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  return inRange(Number((count.nanos - rest) / NANOS_PER_SECOND), Number(rest), count.isCut);
}

function fromIso(text: string): Instant | undefined {
  const match = ISO.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone] = match;
  const utc = utcSeconds(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second ?? 0),
  );
  if (utc === undefined) return undefined;
  const digits = fraction ?? "";
  const instant = inRange(
    utc - zoneSeconds(zone),
    Number(digits.slice(0, 9).padEnd(9, "0")),
    /[1-9]/.test(digits.slice(9)),
  );
  return instant && { ...instant, isLocal: zone === undefined };
}

const DAYS = "sunmontuewedthufrisat";
const MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec";
/** A date whose parts are separated by hyphens in obsolete HTTP dates, and by spaces in mail. */
const MAIL_DATE =
  /^(?:[a-z]{3,9} ?, ?)?(\d{1,2})[ -]([a-z]{3})[ -](\d{2,4}) (\d{1,2}):(\d{2})(?::(\d{2}))? ?(ut|utc|gmt|z|[ecmp][sd]t|[+-]\d{2}[0-5]\d)$/;
/** A date in the obsolete format of C's asctime, in UTC. */
const ASCTIME = /^[a-z]{3} ([a-z]{3}) (\d{1,2}) (\d{2}):(\d{2}):(\d{2}) (\d{4})$/;
/** The UTC offsets of the North American zones in winter (RFC 5322 section 4.3). */
const ZONES = { e: -5, c: -6, m: -7, p: -8 } as const;

/**
 * Reads the dates of HTTP (RFC 9110 section 5.6.7) and mail (RFC 5322 section 3.3), including the obsolete
 * forms. The date takes precedence over the day name. One-letter zones other than Z are rejected: senders did
 * not agree on their meaning.
 */
function fromMailDate(text: string, rule: "http_date" | "rfc2822"): Instant | undefined {
  const plain = text
    .replace(/\([^()]*\)/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();
  const [, day, month = "", year = "", hour, minute, second, zone] = MAIL_DATE.exec(plain) ?? inOrder(plain);
  const at = MONTHS.indexOf(month);
  if (day === undefined || at % 3 !== 0) return undefined;
  const full = fullYear(year, rule);
  const utc = utcSeconds(full, at / 3 + 1, Number(day), Number(hour), Number(minute), Number(second ?? 0));
  const instant = utc === undefined ? undefined : inRange(utc - zoneSeconds(zone), 0);
  const name = /^[a-z]{3}/.exec(plain)?.[0];
  if (instant === undefined || utc === undefined || name === undefined) return instant;
  // the day is in the zone of the string; hour 24 belongs to the day before
  const local = new Date((utc - Number(hour) * 3_600) * 1_000);
  return { ...instant, isOtherDay: DAYS.indexOf(name) !== 3 * local.getUTCDay() };
}

/** Arranges the parts of an asctime date in the order of a mail date. */
function inOrder(text: string): ReadonlyArray<string | undefined> {
  const [match, month, day, hour, minute, second, year] = ASCTIME.exec(text) ?? [];
  return [match, day, month, year, hour, minute, second];
}

/**
 * Expands a year. HTTP reads a two-digit year as at most 50 years ahead. Mail adds 2000 to the years 00 to
 * 49, and 1900 to all other years of two or three digits.
 */
function fullYear(digits: string, rule: "http_date" | "rfc2822"): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  if (digits.length === 3) return 1900 + year;
  if (rule === "rfc2822") return year < 50 ? 2000 + year : 1900 + year;
  const now = new Date(systemClock.now()).getUTCFullYear();
  const ahead = now - (now % 100) + year;
  return ahead > now + 50 ? ahead - 100 : ahead;
}

function zoneSeconds(zone: string | undefined): number {
  if (zone === undefined) return 0;
  const american = /^([ecmp])([sd])t$/.exec(zone);
  if (american !== null) {
    const [, name, season] = american;
    return (ZONES[name as keyof typeof ZONES] + (season === "d" ? 1 : 0)) * 3_600;
  }
  if (!/^[+-]/.test(zone)) return 0;
  const digits = zone.replace(":", "");
  const seconds = Number(digits.slice(1, 3)) * 3_600 + Number(digits.slice(3, 5)) * 60;
  return digits.startsWith("-") ? -seconds : seconds;
}

const PART = /(YYYY|MM|DD|HH|mm|ss)/;
const EXPRESSIONS = new Map<string, RegExp>();

function fromPattern(text: string, pattern: string): Instant | undefined {
  const parts = expressionOf(pattern).exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { YYYY = 0, MM = 1, DD = 1, HH = 0, mm = 0, ss = 0 } = parts;
  const utc = utcSeconds(Number(YYYY), Number(MM), Number(DD), Number(HH), Number(mm), Number(ss));
  return utc === undefined ? undefined : inRange(utc, 0);
}

/** Returns the expression of a pattern, with a group for each part. Only tables contain patterns. */
function expressionOf(pattern: string): RegExp {
  const known = EXPRESSIONS.get(pattern);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const pieces = pattern.split(PART).map((piece) => {
    const isPart = PART.test(piece) && !seen.has(piece);
    seen.add(piece);
    return isPart ? `(?<${piece}>\\d{${piece.length}})` : piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  });
  const expression = new RegExp(`^${pieces.join("")}$`);
  EXPRESSIONS.set(pattern, expression);
  return expression;
}

/**
 * Returns the seconds since 1970 of a UTC date; undefined for an impossible date. A leap second counts as the
 * next second.
 */
function utcSeconds(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  if (hour > 24 || minute > 59 || second > 60 || (hour === 24 && minute + second > 0)) return undefined;
  return date.getTime() / 1_000 + hour * 3_600 + minute * 60 + second;
}

function inRange(seconds: number, nanos: number, isCut = false): Instant | undefined {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS ? { seconds, nanos, isCut } : undefined;
}
