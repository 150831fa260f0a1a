import type { WireCursor } from "./wire-cursor.ts";
import { Unprintable } from "./wire-cursor.ts";

const MIN_SECONDS = -62_135_596_800;
const MAX_SECONDS = 253_402_300_799;
const SECONDS_PER_DAY = 86_400;

/** The greatest number of a field of google.protobuf.Timestamp. */
const NANOS = 2;

const TWO_DIGITS: readonly string[] = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, "0"));

/** Reads a google.protobuf.Timestamp and prints it (RFC 3339 section 5.6) with 0, 3, 6 or 9 digits of a second. */
export function timestampText(cursor: WireCursor, end: number): string {
  let seconds = 0;
  let nanos = 0;
  while (cursor.position < end) {
    const tag = cursor.tag();
    if (tag === 0x08) {
      cursor.varint64();
      seconds = (cursor.high | 0) * 0x1_0000_0000 + cursor.low;
    } else if (tag === 0x10) {
      nanos = cursor.varint32() | 0;
    } else if (tag >>> 3 <= NANOS) {
      throw new Unprintable("another wire type");
    } else {
      cursor.skip(tag & 7, end);
    }
  }
  if (cursor.position !== end) throw new Unprintable("a field goes beyond its message");
  if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS && nanos >= 0 && nanos <= 999_999_999)) {
    throw new Unprintable("a time out of range");
  }
  const day = Math.floor(seconds / SECONDS_PER_DAY);
  return `${dateText(day)}T${clockText(seconds - day * SECONDS_PER_DAY)}${fraction(nanos)}Z`;
}

/** Dates by their days since 1970: the times of a response are near one another. */
const dates = new Map<number, string>();
const MAX_DATES = 1000;

function dateText(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, 10);
  if (dates.size >= MAX_DATES) dates.clear();
  dates.set(day, text);
  return text;
}

function clockText(second: number): string {
  const minute = Math.floor(second / 60);
  return `${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:${TWO_DIGITS[second % 60]}`;
}

function fraction(nanos: number): string {
  if (nanos === 0) return "";
  const digits = String(nanos).padStart(9, "0");
  if (digits.endsWith("000000")) return `.${digits.slice(0, 3)}`;
  return `.${digits.endsWith("000") ? digits.slice(0, 6) : digits}`;
}
