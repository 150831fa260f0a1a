/**
 * Reads field values that contain no nested values. Each function returns the position after its input, or 0
 * on failure.
 */
import { base64, decodedEnd } from "./base64";
import { ALSE, byte, QUOTE, TRUE } from "./bytes";
import * as L from "./layout";
import { double, integer, magnitude, negative, number, whole, wholeOrText } from "./number";
import { close, goOn, hasRoom, out, put, tag, varint } from "./output";
import { skipNumber } from "./skip";
import { text, written } from "./text";
import { count, duration, formatted, iso, isoDuration, nanos, seconds } from "./time";
import { hash, isWord, rowOf, useWord, word } from "./words";

/** Writes a field with a scalar type, an enum or a time. */
export function scalar(field: usize, kind: u32, at: usize): usize {
  if (!hasRoom(at, 0)) return 0;
  const start = out;
  tag(field);
  const c = byte(at);
  switch (kind) {
    case L.KIND_STRING:
      return c === QUOTE ? string(at + 1) : 0;
    case L.KIND_BOOL:
      return boolean(c, at);
    case L.KIND_INT32:
    case L.KIND_SINT32:
    case L.KIND_SFIXED32:
    case L.KIND_UINT32:
    case L.KIND_FIXED32:
      return int32(kind, at);
    case L.KIND_INT64:
    case L.KIND_SINT64:
    case L.KIND_SFIXED64:
    case L.KIND_UINT64:
    case L.KIND_FIXED64:
      return int64(kind, at);
    case L.KIND_DOUBLE:
    case L.KIND_FLOAT:
      return c === QUOTE ? 0 : floating(kind === L.KIND_FLOAT, at);
    case L.KIND_ENUM:
      return enumValue(load<u32>(field, L.FIELD_ARGUMENT), at);
    case L.KIND_COUNT:
    case L.KIND_NOTATION:
      return time(field, kind, start, at);
    default:
      return 0;
  }
}

/** Writes the length and the bytes of a string, starting after its opening quote. */
export function string(from: usize): usize {
  const start = out;
  const end = text(from, start + 1);
  if (end === 0) return 0;
  endAt(written, start);
  return end;
}

/** Writes the length and the bytes of a base64 string, starting after its opening quote. */
export function bytes(field: usize, from: usize): usize {
  tag(field);
  const start = out;
  const end = base64(from, start + 1);
  if (end === 0) return 0;
  endAt(decodedEnd, start);
  return end;
}

/**
 * Stores the length of the value that ends at `end` before the value. One byte is reserved for the length.
 */
function endAt(end: usize, start: usize): void {
  const length = end - start - 1;
  goOn(end);
  if (length < 128) {
    store<u8>(start, length);
  } else {
    close(start, 1);
  }
}

function boolean(c: u32, at: usize): usize {
  const isTrue = load<u32>(at) === TRUE;
  put(isTrue ? 1 : 0);
  if (isTrue) return at + 4;
  return c === 0x66 && load<u32>(at + 1) === ALSE ? at + 5 : 0;
}

function int32(kind: u32, at: usize): usize {
  const end = whole(at);
  return end !== 0 && writeInt32(kind) ? end : 0;
}

/** Writes the last integer. Returns false if it is out of range. */
export function writeInt32(kind: u32): bool {
  const isSigned = kind === L.KIND_INT32 || kind === L.KIND_SINT32 || kind === L.KIND_SFIXED32;
  if (isSigned ? magnitude > (negative ? 0x80000000 : 0x7fffffff) : negative || magnitude > 0xffffffff) {
    return false;
  }
  const signed: i64 = negative ? -(<i64>magnitude) : <i64>magnitude;
  if (kind === L.KIND_FIXED32 || kind === L.KIND_SFIXED32) {
    store<u32>(out, <u32>signed);
    goOn(out + 4);
  } else if (kind === L.KIND_SINT32) {
    const small = <i32>signed;
    varint(<u32>((small << 1) ^ (small >> 31)));
  } else {
    varint(<u64>signed);
  }
  return true;
}

/** Reports whether an integer kind has 64 bits. */
export function isInt64(kind: u32): bool {
  return kind >= <u32>L.KIND_INT64;
}

function int64(kind: u32, at: usize): usize {
  const end = wholeOrText(at);
  return end !== 0 && writeInt64(kind) ? end : 0;
}

/** Like `writeInt32`, with 64 bits. */
export function writeInt64(kind: u32): bool {
  const isSigned = kind === L.KIND_INT64 || kind === L.KIND_SINT64 || kind === L.KIND_SFIXED64;
  if (isSigned) {
    if (magnitude > <u64>i64.MAX_VALUE + (negative ? 1 : 0)) return false;
  } else if (negative) {
    return false;
  }
  const signed: i64 = negative ? -(<i64>magnitude) : <i64>magnitude;
  if (kind === L.KIND_FIXED64 || kind === L.KIND_SFIXED64) {
    store<i64>(out, signed);
    goOn(out + 8);
  } else {
    varint(<u64>(kind === L.KIND_SINT64 ? (signed << 1) ^ (signed >> 63) : signed));
  }
  return true;
}

export function floating(isFloat: bool, at: usize): usize {
  const end = number(at);
  // the JavaScript decoder handles a value that rounds to infinity
  if (end === 0 || !isFinite(double) || (isFloat && !isFinite<f32>(<f32>double))) return 0;
  if (isFloat) {
    store<f32>(out, <f32>double);
    goOn(out + 4);
  } else {
    store<f64>(out, double);
    goOn(out + 8);
  }
  return end;
}

function enumValue(table: usize, at: usize): usize {
  const isString = byte(at) === QUOTE;
  const end = isString ? word(at + 1) : bareWord(at);
  return end !== 0 && enumWord(table, isString ? L.WORD_AS_STRING : L.WORD_AS_NUMBER) ? end : 0;
}

/**
 * Writes the number of the enum value whose name is the last word. Returns false if the enum has no such
 * word.
 */
export function enumWord(table: usize, spelling: u32): bool {
  const row = rowOf(load<u32>(table, L.ENUM_ROWS), load<u32>(table, L.ENUM_MASK), L.WORD_SIZE);
  if (row === 0 || !(load<u32>(row, L.WORD_FLAGS) & spelling)) return false;
  varint(<u64>(<i64>load<i32>(row, L.WORD_NUMBER)));
  return true;
}

/** Reads a number as an enum word. */
function bareWord(at: usize): usize {
  const end = skipNumber(at);
  if (end !== 0) useWord(at, end - at, hash(at, end - at));
  return end;
}

function time(field: usize, kind: u32, start: usize, at: usize): usize {
  const none: usize = load<u32>(field, L.FIELD_TEXT);
  if (none !== 0) {
    const end = noneEnd(none, load<u32>(field, L.FIELD_TEXT_LENGTH), at);
    if (end !== 0) {
      goOn(start);
      return end;
    }
    // the JavaScript decoder reads -0 as 0
    if (load<u16>(at) === 0x302d) return 0;
  }
  const argument = load<u32>(field, L.FIELD_ARGUMENT);
  const end = kind === L.KIND_COUNT ? count(at, argument) : notation(field, argument, at);
  if (end === 0) return 0;
  const lengthAt = out;
  store<u16>(lengthAt, 0x0800);
  goOn(lengthAt + 2);
  varint(<u64>seconds);
  if (nanos !== 0 || isDuration(kind, argument)) {
    put(0x10);
    varint(nanos);
  }
  store<u8>(lengthAt, out - lengthAt - 1);
  return end;
}

/** Reads a time or duration in the notation of a field. */
function notation(field: usize, argument: u32, at: usize): usize {
  if (argument === L.ISO_TIME) return iso(at, (load<u32>(field, L.FIELD_FLAGS) & L.FIELD_LOOSE) !== 0);
  if (argument === L.DURATION) return duration(at);
  return argument === L.ISO_DURATION ? isoDuration(at) : formatted(at, argument);
}

function isDuration(kind: u32, argument: u32): bool {
  return kind === L.KIND_NOTATION && (argument === L.DURATION || argument === L.ISO_DURATION);
}

/** Returns the position after a value that stands for "no time"; 0 for other values. */
function noneEnd(none: usize, length: usize, at: usize): usize {
  const isString = byte(at) === QUOTE;
  const end = isString ? word(at + 1) : integer(at);
  if (end !== 0 && !isString) useWord(at, end - at, 0);
  return end !== 0 && isWord(none, length) ? end : 0;
}
