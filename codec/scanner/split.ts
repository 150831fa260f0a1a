/**
 * Reads lists that arrive as a single comma-separated string, like splitCommas and splitNumbers
 * (codec/src/decode/read.ts).
 */
import { byte, COMMA, copyLoosely, QUOTE } from "./bytes";
import { scratch } from "./frame";
import * as L from "./layout";
import { double, number } from "./number";
import { goOn, hasRoom, out, tag, varint } from "./output";
import { enumWord, scalar } from "./scalar";
import { text, written } from "./text";
import { hash, useWord } from "./words";

/** The maximum length of a string that is read as a list. */
const MAX_TEXT: usize = 1024 * 1024;
/**
 * The largest integer that a double represents exactly. Larger integers change, which must be reported as a
 * difference.
 */
const MAX_SAFE: f64 = 9007199254740991;
/**
 * The maximum number of bytes written for an item in addition to the item itself: a tag, and a length or a
 * number.
 */
const ITEM_BYTES: usize = 32;

/**
 * Writes the items of a comma-separated string, starting at its opening quote. Returns the position after the
 * string, or 0.
 */
export function split(each: usize, kind: u32, at: usize): usize {
  const end = text(at + 1, scratch);
  if (end === 0 || end - at > MAX_TEXT) return 0;
  const last = written;
  // terminates the last item
  store<u64>(last, 0);
  for (let start = scratch; start <= last; ) {
    let comma = start;
    while (comma < last && byte(comma) !== COMMA) comma++;
    const from = behindBlanks(start, comma);
    const to = beforeBlanks(from, comma);
    if (to > from) {
      if (!(hasRoom(end, to - from + ITEM_BYTES) && item(each, kind, from, to))) return 0;
    } else if (start !== scratch || comma !== last) {
      // the JavaScript decoder reports an empty item; an empty string is an empty list
      return 0;
    }
    start = comma + 1;
  }
  return end;
}

function item(each: usize, kind: u32, from: usize, to: usize): bool {
  switch (kind) {
    case L.KIND_STRING:
      tag(each);
      varint(to - from);
      copyLoosely(out, from, to - from);
      goOn(out + to - from);
      return true;
    case L.KIND_ENUM:
      tag(each);
      useWord(from, to - from, hash(from, to - from));
      return enumWord(load<u32>(each, L.FIELD_ARGUMENT), L.WORD_AS_STRING);
    case L.KIND_DOUBLE:
    case L.KIND_FLOAT:
      if (number(from) !== to || abs(double) > MAX_SAFE) return false;
      return scalar(each, kind, from) === to;
    default:
      // an integer with quotes inside the string is invalid
      return kind < <u32>L.KIND_ENUM && byte(from) !== QUOTE && scalar(each, kind, from) === to;
  }
}

/** Returns the position after the leading characters that String.prototype.trim removes. */
function behindBlanks(from: usize, to: usize): usize {
  let at = from;
  while (at < to) {
    const length = blankLength(at);
    if (length === 0) break;
    at += length;
  }
  return at;
}

/** Returns the position of the trailing characters that String.prototype.trim removes. */
function beforeBlanks(from: usize, to: usize): usize {
  let at = to;
  while (at > from) {
    let start = at - 1;
    // move to the first byte of the character
    while (start > from && (byte(start) & 0xc0) === 0x80) start--;
    if (start + blankLength(start) !== at) break;
    at = start;
  }
  return at;
}

/**
 * Returns the size in bytes of a character that is white space or a line terminator (ECMA-262 section 12.2
 * and 12.3); 0 for other characters.
 */
function blankLength(at: usize): usize {
  const c = byte(at);
  if (c < 0x80) return c === 0x20 || c - 9 < 5 ? 1 : 0;
  if (c === 0xc2) return byte(at + 1) === 0xa0 ? 2 : 0;
  if (c !== 0xe1 && c !== 0xe2 && c !== 0xe3 && c !== 0xef) return 0;
  const rest = (byte(at + 1) << 8) | byte(at + 2);
  if (c === 0xe1) return rest === 0x9a80 ? 3 : 0;
  if (c === 0xe3) return rest === 0x8080 ? 3 : 0;
  if (c === 0xef) return rest === 0xbbbf ? 3 : 0;
  const isSpace = rest - 0x8080 <= 10 || rest === 0x80a8 || rest === 0x80a9 || rest === 0x80af;
  return isSpace || rest === 0x819f ? 3 : 0;
}
