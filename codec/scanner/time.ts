/** Reads times and durations in their usual notations. The JavaScript decoder reads other notations. */
import { byte, isDigit, QUOTE } from "./bytes";
import { integerOrText, magnitude, negative } from "./number";

/** The last time or duration read. */
export let seconds: i64 = 0;
export let nanos: i32 = 0;

/** The bounds 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_SECONDS: i64 = -62135596800;
const MAX_SECONDS: i64 = 253402300799;
const DAY: i64 = 86400;
/** The largest duration in seconds. */
const MAX_SPAN: i64 = 315576000000;
/** Zone names as little-endian integers. */
const GMT: u32 = 0x544d47;
const UTC: u32 = 0x435455;

/**
 * Reads a count of units since 1970, written as a number or a string. A unit is 10^-digits seconds. Returns
 * the position after the count, or 0.
 */
export function count(from: usize, digits: i32): usize {
  const end = integerOrText(from);
  if (end === 0 || magnitude > 999999999999999999) return 0;
  seconds = negative ? -(<i64>magnitude) : <i64>magnitude;
  nanos = 0;
  if (digits > 0) divide(digits);
  return isInRange() ? end : 0;
}

/** Splits a count of 10^-digits seconds into seconds and nanoseconds. */
function divide(digits: i32): void {
  let unit: i64 = 1;
  for (let i = 0; i < digits; i++) unit *= 10;
  let rest = seconds % unit;
  if (rest < 0) rest += unit;
  seconds = (seconds - rest) / unit;
  nanos = <i32>(rest * (1000000000 / unit));
}

/**
 * Reads `2025-11-01T11:00:00Z` in quotes, optionally with a fraction and an offset, or a variant of this
 * notation. Returns the position after it, or 0.
 *
 * @param mayLackZone whether a time without a zone is UTC
 */
export function iso(from: usize, mayLackZone: bool): usize {
  if (byte(from) !== QUOTE) return 0;
  const year = digits(from + 1, 4);
  const month = digits(from + 6, 2);
  const day = digits(from + 9, 2);
  const hour = digits(from + 12, 2);
  const minute = digits(from + 15, 2);
  const second = digits(from + 18, 2);
  if ((year | month | day | hour | minute | second) < 0) return 0;
  if (byte(from + 5) !== 0x2d || byte(from + 8) !== 0x2d || !isSeparator(byte(from + 11))) return 0;
  if (byte(from + 14) !== 0x3a || byte(from + 17) !== 0x3a) return 0;
  if (!setUtc(year, month, day, hour, minute, second)) return 0;
  const behind = fraction(from + 20);
  if (behind === 0) return 0;
  const isLocal = byte(byte(behind) === 0x20 ? behind + 1 : behind) === QUOTE;
  if (isLocal && !mayLackZone) return 0;
  const zone = offset(behind);
  if (zoneEnd === 0 || byte(zoneEnd) !== QUOTE) return 0;
  seconds -= zone;
  return isInRange() ? zoneEnd + 1 : 0;
}

/** Sets `seconds` to a date and a time of day. Returns false for an impossible date. */
function setUtc(year: i32, month: i32, day: i32, hour: i32, minute: i32, second: i32): bool {
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return false;
  // the JavaScript decoder handles 24:00 and leap seconds
  if (hour > 23 || minute > 59 || second > 59) return false;
  seconds = daysBefore(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
  return true;
}

/** The parts of a format, in the order of their codes (codec/src/scan/reading.ts); code 0 ends a format. */
const YEAR: u32 = 1;
const MONTH: u32 = 2;
const DAY_OF_MONTH: u32 = 3;
const SECOND: u32 = 6;
const MONTH_NAME: u32 = 7;
const DAY_NAME: u32 = 8;
const PARTS = memory.data(28, 4);
/** "JanFebMarAprMayJunJulAugSepOctNovDec" and "ThuFriSatSunMonTueWed". 1970 began on a Thursday. */
const MONTHS = memory.data<u8>([
  74, 97, 110, 70, 101, 98, 77, 97, 114, 65, 112, 114, 77, 97, 121, 74, 117, 110, 74, 117, 108, 65, 117, 103,
  83, 101, 112, 79, 99, 116, 78, 111, 118, 68, 101, 99, 0,
]);
const DAYS = memory.data<u8>([
  84, 104, 117, 70, 114, 105, 83, 97, 116, 83, 117, 110, 77, 111, 110, 84, 117, 101, 87, 101, 100, 0,
]);

/** Reads a time in quotes in a format. Returns the position after it, or 0. */
export function formatted(from: usize, format: usize): usize {
  if (byte(from) !== QUOTE) return 0;
  for (let code = YEAR; code <= SECOND; code++) {
    setPart(code, code === MONTH || code === DAY_OF_MONTH ? 1 : 0);
  }
  let weekday = -1;
  let at = from + 1;
  for (let step = format; byte(step) !== 0; step++) {
    const code = byte(step);
    if (code > DAY_NAME) {
      if (byte(at++) !== code) return 0;
    } else if (code === DAY_NAME) {
      weekday = indexIn(DAYS, at);
      if (weekday < 0) return 0;
      at += 3;
    } else {
      const length = code === YEAR ? 4 : code === MONTH_NAME ? 3 : 2;
      const value = code === MONTH_NAME ? indexIn(MONTHS, at) + 1 : digits(at, length);
      if (value < 0) return 0;
      setPart(code === MONTH_NAME ? MONTH : code, value);
      at += length;
    }
  }
  nanos = 0;
  const isDate = setUtc(part(YEAR), part(MONTH), part(DAY_OF_MONTH), part(4), part(5), part(SECOND));
  if (byte(at) !== QUOTE || !isDate || !isInRange()) return 0;
  // the JavaScript decoder reports a time that names another day of the week
  const days = (seconds - (((seconds % DAY) + DAY) % DAY)) / DAY;
  return weekday >= 0 && ((days % 7) + 7) % 7 !== weekday ? 0 : at + 1;
}

function part(code: u32): i32 {
  return load<i32>(PARTS + ((<usize>code) << 2));
}

function setPart(code: u32, value: i32): void {
  store<i32>(PARTS + ((<usize>code) << 2), value);
}

/** Returns the index of a name of three letters; -1 if it is not in the list. */
function indexIn(names: usize, at: usize): i32 {
  const name = load<u32>(at) & 0xffffff;
  for (let i = 0; byte(names + i * 3) !== 0; i++) {
    if ((load<u32>(names + i * 3) & 0xffffff) === name) return i;
  }
  return -1;
}

/** Reads a duration such as `3.5s` in quotes, not negative. Returns the position after it, or 0. */
export function duration(from: usize): usize {
  if (byte(from) !== QUOTE) return 0;
  const start = from + 1;
  let at = start;
  seconds = 0;
  for (; isDigit(byte(at)) && at - start < 12; at++) seconds = seconds * 10 + (byte(at) - 0x30);
  if (at === start || seconds >= MAX_SPAN) return 0;
  at = fraction(at);
  return at !== 0 && load<u16>(at) === 0x2273 ? at + 2 : 0;
}

/** Reads a duration such as `PT1H30M` in quotes. Returns the position after it, or 0. */
export function isoDuration(from: usize): usize {
  if (load<u16>(from) !== 0x5022) return 0;
  let at = from + 2;
  let isTime = false;
  let least: i64 = i64.MAX_VALUE;
  seconds = 0;
  nanos = 0;
  while (byte(at) !== QUOTE) {
    if (byte(at) === 0x54 && !isTime) {
      isTime = true;
      at++;
    }
    const start = at;
    let count: i64 = 0;
    for (; isDigit(byte(at)) && at - start < 9; at++) count = count * 10 + (byte(at) - 0x30);
    if (at === start) return 0;
    const fractionAt = at;
    at = fraction(at);
    if (at === 0) return 0;
    const hasFraction = at !== fractionAt;
    const unit = unitOf(byte(at++), isTime);
    // units are in descending order, and only seconds have a fraction
    if (unit === 0 || unit >= least || (hasFraction && unit !== 1)) return 0;
    seconds += count * unit;
    least = unit;
  }
  return least === i64.MAX_VALUE || seconds >= MAX_SPAN ? 0 : at + 1;
}

/** Returns the seconds of a unit, before or after the `T` of a duration; 0 for any other character. */
function unitOf(c: u32, isTime: bool): i64 {
  if (isTime) return c === 0x48 ? 3600 : c === 0x4d ? 60 : c === 0x53 ? 1 : 0;
  return c === 0x57 ? 7 * DAY : c === 0x44 ? DAY : 0;
}

/** Reports whether a character separates the date from the time of day: `T`, `t` or a space. */
function isSeparator(c: u32): bool {
  return (c | 0x20) === 0x74 || c === 0x20;
}

let zoneEnd: usize = 0;

/**
 * Reads `Z`, `GMT`, `UTC`, `+01:00` or `+0100`, optionally after a space, and returns the offset in seconds;
 * 0 if the zone is absent. Sets `zoneEnd` to the position after the zone; to 0 if the input is invalid.
 */
function offset(from: usize): i64 {
  const at = byte(from) === 0x20 ? from + 1 : from;
  const c = byte(at);
  zoneEnd = 0;
  if (c === QUOTE) {
    zoneEnd = at;
  } else if ((c | 0x20) === 0x7a) {
    zoneEnd = at + 1;
  } else if (c === 0x2b || c === 0x2d) {
    const minutesAt = byte(at + 3) === 0x3a ? at + 4 : at + 3;
    const hours = digits(at + 1, 2);
    const minutes = digits(minutesAt, 2);
    if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return 0;
    zoneEnd = minutesAt + 2;
    const zone: i64 = hours * 3600 + minutes * 60;
    return c === 0x2d ? -zone : zone;
  } else {
    const name = load<u32>(at) & 0xffffff;
    if (name === GMT || name === UTC) zoneEnd = at + 3;
  }
  return 0;
}

/**
 * Reads one to nine digits after a point into `nanos`. Returns the position after them, or 0 for any other
 * number of digits.
 */
function fraction(from: usize): usize {
  nanos = 0;
  if (byte(from) !== 0x2e) return from;
  let at = from + 1;
  let places = 0;
  while (isDigit(byte(at)) && places < 9) {
    nanos = nanos * 10 + (byte(at++) - 0x30);
    places++;
  }
  if (places === 0 || isDigit(byte(at))) return 0;
  for (; places < 9; places++) nanos *= 10;
  return at;
}

function digits(from: usize, length: i32): i32 {
  let value = 0;
  for (let i = 0; i < length; i++) {
    const c = byte(from + i);
    if (!isDigit(c)) return -1;
    value = value * 10 + (c - 0x30);
  }
  return value;
}

function isInRange(): bool {
  return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS;
}

function daysOf(year: i32, month: i32): i32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Returns the number of days since 1970-01-01 in the proleptic Gregorian calendar. Years are counted from
 * March, so a leap day ends its year.
 */
function daysBefore(year: i32, month: i32, day: i32): i64 {
  const y: i64 = month > 2 ? year : year - 1;
  const era: i64 = (y >= 0 ? y : y - 399) / 400;
  const ofEra: i64 = y - era * 400;
  const ofYear: i64 = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return era * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468;
}
