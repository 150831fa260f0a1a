/** Prints google.protobuf.Timestamp as RFC 3339 (section 5.6). */
import { fraction, pair } from "./number";
import { put, q, room, writeTo } from "./output";
import { p, skip, tag, varint } from "./wire";

/** The bounds 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const MIN_SECONDS: i64 = -62135596800;
const MAX_SECONDS: i64 = 253402300799;
const DAY: i64 = 86400;
/** The number of days from 0000-03-01 to 1970-01-01 in the proleptic Gregorian calendar. */
const DAYS_TO_1970: i64 = 719468;
/** The highest field number of google.protobuf.Timestamp. */
const NANOS: u32 = 2;

/** Prints a time in quotes, with 0, 3, 6 or 9 digits after the second. */
export function timestamp(limit: usize): void {
  let seconds: i64 = 0;
  let nanos: i32 = 0;
  while (p < limit) {
    const field = tag();
    if (field === 0x08) {
      seconds = <i64>varint();
    } else if (field === 0x10) {
      nanos = <i32>varint();
    } else if (field >>> 3 <= NANOS) {
      unreachable(); // a known field with an unexpected wire type
    } else {
      skip(field & 7, limit);
    }
  }
  if (p !== limit) unreachable();
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS || nanos < 0 || nanos > 999999999) unreachable();
  room(0);
  // count days from a March before the first valid year
  const shifted = seconds + DAYS_TO_1970 * DAY;
  const day = shifted / DAY;
  put(0x22);
  date(<u32>day);
  put(0x54);
  clock(<u32>(shifted - day * DAY));
  below(nanos);
  store<u16>(q, 0x225a);
  writeTo(q + 2);
}

/** Prints the date that is `days` after 0000-03-01. Years begin in March, so a leap day ends its year. */
function date(days: u32): void {
  const era = days / 146097;
  const ofEra = days - era * 146097;
  const yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  const ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const fromMarch = (5 * ofYear + 2) / 153;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  store<u16>(q, pair(year / 100));
  store<u16>(q + 2, pair(year % 100));
  store<u8>(q + 4, 0x2d);
  store<u16>(q + 5, pair(month));
  store<u8>(q + 7, 0x2d);
  store<u16>(q + 8, pair(ofYear - (153 * fromMarch + 2) / 5 + 1));
  writeTo(q + 10);
}

function clock(second: u32): void {
  const minute = second / 60;
  store<u16>(q, pair(minute / 60));
  store<u8>(q + 2, 0x3a);
  store<u16>(q + 3, pair(minute % 60));
  store<u8>(q + 5, 0x3a);
  store<u16>(q + 6, pair(second % 60));
  writeTo(q + 8);
}

function below(nanos: i32): void {
  if (nanos === 0) return;
  put(0x2e);
  if (nanos % 1000000 === 0) {
    fraction(nanos / 1000000, 3);
  } else if (nanos % 1000 === 0) {
    fraction(nanos / 1000, 6);
  } else {
    fraction(nanos, 9);
  }
}
