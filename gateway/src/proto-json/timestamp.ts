import type { WireCursor } from "./wire-cursor.ts";
import { Unprintable } from "./wire-cursor.ts";

const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;

/** Reads a google.protobuf.Timestamp and prints it (RFC 3339 section 5.6) with 0, 3, 6 or 9 digits of a second. */
export function timestampText(cursor: WireCursor, end: number): string {
  let seconds = 0;
  let nanos = 0;
  while (cursor.position < end) {
    const tag = cursor.tag();
    if (tag === 0x08) {
      cursor.varint64();
      seconds = (cursor.high | 0) * 0x1_0000_0000 + cursor.low;
    } else if (tag === 0x10) nanos = cursor.varint32() | 0;
    else cursor.skip(tag & 7, end);
  }
  if (cursor.position !== end) throw new Unprintable("a field goes beyond its message");
  if (!(seconds >= minSeconds && seconds <= maxSeconds && nanos >= 0 && nanos <= 999_999_999)) {
    throw new Unprintable("a time out of range");
  }
  const text = new Date(seconds * 1000).toISOString();
  return `${text.slice(0, -5)}${fraction(nanos)}Z`;
}

function fraction(nanos: number): string {
  if (nanos === 0) return "";
  const digits = String(nanos).padStart(9, "0");
  if (digits.endsWith("000000")) return `.${digits.slice(0, 3)}`;
  return `.${digits.endsWith("000") ? digits.slice(0, 6) : digits}`;
}
