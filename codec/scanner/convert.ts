/**
 * Reads common values of a type other than the declared one: 0 and 1 or words as booleans, and strings as
 * numbers. Each function returns the position after its input, or 0 if it does not handle the input.
 */
import { ALSE, byte, isDigit, POINT, QUOTE, TRUE } from "./bytes";
import * as L from "./layout";
import { integer, isExponent, MAX_SAFE, magnitude, negative, scaled, whole } from "./number";
import { copied, goOn, out, put, tag, varint } from "./output";
import { reportConverted } from "./report";
import { floating, isInt64, writeInt32, writeInt64 } from "./scalar";

/** `"true"`, `"false"`, `"1"` and `"0"`, without the first quote, as little-endian integers. */
const TRUE_TEXT: u64 = 0x2265757274;
const FALSE_TEXT: u64 = 0x2265736c6166;
const ONE_TEXT: u32 = 0x2231;
const ZERO_TEXT: u32 = 0x2230;

/** Writes a field from a value of another type. Reports the conversion, unless the field accepts the type. */
export function converted(field: usize, kind: u32, at: usize, isLoose: bool): usize {
  tag(field);
  const isText = byte(at) === QUOTE;
  if (!isText && isInteger(kind)) return exponential(kind, at);
  let end: usize = 0;
  if (kind === L.KIND_BOOL) {
    end = boolean(at);
  } else if (isText) {
    end = number(kind, at + 1);
  } else if (kind === L.KIND_STRING && load<u32>(field, L.FIELD_ARGUMENT) !== L.TEXT_BYTES) {
    end = string(field, at);
  }
  return end !== 0 && (isLoose || reportConverted(at, end)) ? end : 0;
}

function isInteger(kind: u32): bool {
  return kind >= <u32>L.KIND_INT32 && kind <= <u32>L.KIND_SFIXED64;
}

function boolean(at: usize): usize {
  const c = byte(at);
  if (c !== QUOTE) {
    const next = byte(at + 1);
    if (c - 0x30 > 1 || isDigit(next) || next === POINT || isExponent(next)) return 0;
    put(c - 0x30);
    return at + 1;
  }
  const start = at + 1;
  const word = load<u64>(start);
  const isTrue = (word & 0xffffffffff) === TRUE_TEXT;
  if (isTrue || (word & 0xffffffffffff) === FALSE_TEXT) {
    put(isTrue ? 1 : 0);
    return start + (isTrue ? 5 : 6);
  }
  const short = <u32>word & 0xffff;
  if (short !== ONE_TEXT && short !== ZERO_TEXT) return 0;
  put(short === ONE_TEXT ? 1 : 0);
  return start + 2;
}

/** Writes an integer or `true` as a string, and nothing for `false`. */
function string(field: usize, at: usize): usize {
  if (byte(at) === 0x66 && load<u32>(at + 1) === ALSE) {
    goOn(out - load<u32>(field, L.FIELD_TAG_LENGTH));
    return at + 5;
  }
  const end = load<u32>(at) === TRUE ? at + 4 : integer(at);
  // the notation of larger integers and of -0 is left to the decoder
  if (end === 0 || (byte(at) !== 0x74 && (magnitude > MAX_SAFE || (negative && magnitude === 0)))) return 0;
  varint(end - at);
  copied(at, end - at);
  return end;
}

/** Writes the number in a string, starting after its opening quote. */
function number(kind: u32, from: usize): usize {
  let end: usize = 0;
  if (kind === L.KIND_DOUBLE || kind === L.KIND_FLOAT) {
    end = floating(kind === L.KIND_FLOAT, from);
  } else if (isInteger(kind) && !isInt64(kind)) {
    end = whole(from);
    if (end !== 0 && !writeInt32(kind)) return 0;
  }
  return end !== 0 && byte(end) === QUOTE ? end + 1 : 0;
}

/** Writes an integer with an exponent. */
function exponential(kind: u32, at: usize): usize {
  const end = scaled(at);
  if (end === 0) return 0;
  return (isInt64(kind) ? writeInt64(kind) : writeInt32(kind)) ? end : 0;
}
