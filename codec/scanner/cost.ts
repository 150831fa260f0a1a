/** The cost of reading JSON, counted exactly as in codec/src/cost/json-cost.ts. */
import {
  BACKSLASH,
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isDigit,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  POINT,
  plainEnd,
  QUOTE,
} from "./bytes";

const VALUE_COST = 1;
const ARRAY_COST = 3;
const OBJECT_COST = 8;
const NUMERIC_TEXT_COST = 3;
const LONG_NUMBER_COST = 16;
const LONG_NUMBER: usize = 16;
const FRACTION_COST = 1;
const NOTATION_COST = 9;
const LARGE_NUMBER_COST = 300;
const NEW_KEY_COST = 12;
const ORDINARY_KEYS = 1000;
/** The key filter has 2^20 bits, one for each hash. */
const KEY_BITS: u32 = 0xfffff;
const MAX_NUMBER: usize = 1000;
const DIGIT_COST = 1;

let different = 0;

/** Returns the number of distinct keys so far. */
export function newKeys(): i32 {
  return different;
}

/**
 * Returns the cost of JSON; -1 as soon as it exceeds the limit. Invalid JSON also has a cost. JSON may arrive
 * in pieces, each ending after a comma.
 *
 * @param keys 128 KB: zeros, or the state after the previous pieces
 * @param known the number of distinct keys in the previous pieces
 * @param seed random, so that nobody can craft distinct keys with the same hash
 */
export function cost(from: usize, length: usize, limit: f64, keys: usize, known: i32, seed: u32): i32 {
  const end = from + length;
  different = known;
  let total = 0;
  let at = from;
  while (at < end) {
    const c = byte(at);
    if (c <= 0x20 || c === COMMA || c === COLON || c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      at++;
      continue;
    }
    if (c === OPEN_BRACE || c === OPEN_BRACKET) {
      total += c === OPEN_BRACE ? OBJECT_COST : ARRAY_COST;
      at++;
    } else if (c === QUOTE) {
      total += isNumeric(byte(at + 1)) ? VALUE_COST + NUMERIC_TEXT_COST : VALUE_COST;
      const behind = stringEnd(at + 1, end);
      if (isKey(behind) && isNew(keys, at + 1, behind - at - 1, seed) && ++different > ORDINARY_KEYS) {
        total += NEW_KEY_COST;
      }
      at = behind;
    } else {
      const behind = scalarEnd(at + 1, end);
      total += isNumeric(c) ? numberCost(at, behind) : VALUE_COST;
      at = behind;
    }
    if (total > limit) return -1;
  }
  return total;
}

function isNumeric(c: u32): bool {
  return isDigit(c) || c === MINUS;
}

/** Reports whether the string that ends at a position is a key. */
function isKey(from: usize): bool {
  let at = from;
  while (byte(at) <= 0x20 && byte(at) !== 0) at++;
  return byte(at) === COLON;
}

function isNew(keys: usize, from: usize, length: usize, seed: u32): bool {
  let h = seed;
  for (let at = from; at < from + length; at++) h = (h ^ byte(at)) * 0x01000193;
  const bit = (h ^ (h >> 15)) & KEY_BITS;
  const at = keys + (bit >> 3);
  const mask: u32 = 1 << (bit & 7);
  const known = byte(at);
  store<u8>(at, known | mask);
  return (known & mask) === 0;
}

/** Returns the position after a string; the end of the input if the string does not end. */
function stringEnd(from: usize, end: usize): usize {
  let at = from;
  while (at < end) {
    at = plainEnd(at);
    const c = byte(at);
    if (at >= end) return end;
    if (c === QUOTE) return at + 1;
    at += c === BACKSLASH ? 2 : 1;
  }
  return end;
}

function scalarEnd(from: usize, end: usize): usize {
  for (let at = from; at < end; at++) {
    const c = byte(at);
    if (c <= 0x20 || c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET) return at;
    if (c === QUOTE || c === OPEN_BRACE || c === OPEN_BRACKET || c === COLON) return at;
  }
  return end;
}

function numberCost(from: usize, end: usize): i32 {
  const length = end - from;
  if (length === 1) return VALUE_COST;
  if (length > MAX_NUMBER) return VALUE_COST + LONG_NUMBER_COST + DIGIT_COST * <i32>(length - MAX_NUMBER);
  if (length >= LONG_NUMBER) return VALUE_COST + LONG_NUMBER_COST + exponentCost(from, end);
  return VALUE_COST + notationCost(from, end);
}

function notationCost(from: usize, end: usize): i32 {
  let found = 0;
  for (let at = from; at < end; at++) {
    const c = byte(at);
    if (c === POINT) found = FRACTION_COST;
    if ((c | 0x20) === 0x65) return NOTATION_COST + exponentCost(from, end);
  }
  const isMinusZero = end - from === 2 && byte(from) === MINUS;
  return byte(end - 1) === 0x30 && (found > 0 || isMinusZero) ? NOTATION_COST : found;
}

/** Returns the extra cost of a positive exponent of three digits or more. */
function exponentCost(from: usize, end: usize): i32 {
  for (let at = from; at < end; at++) {
    if ((byte(at) | 0x20) !== 0x65) continue;
    let digit = at + 1;
    if (byte(digit) === 0x2b) digit++;
    while (byte(digit) === 0x30) digit++;
    if (
      byte(digit) !== 0x30 &&
      isDigit(byte(digit)) &&
      isDigit(byte(digit + 1)) &&
      isDigit(byte(digit + 2))
    ) {
      return LARGE_NUMBER_COST;
    }
  }
  return 0;
}
