/**
 * Skips JSON, but validates it completely (RFC 8259). Each function takes the position of a value and returns
 * the position after it; 0 for invalid JSON, or if the value is nested too deeply.
 */
import {
  ALSE,
  BACKSLASH,
  bitsFrom,
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  hex4,
  isDigit,
  MINUS,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  POINT,
  QUOTE,
  space,
  special32,
  TRUE,
} from "./bytes";
import { plainOf } from "./escapes";

/** Whether a number since `beginNumbers` had an exponent of three digits or more. */
export let hasLongExponent = false;

export function beginNumbers(): void {
  hasLongExponent = false;
}

/** The maximum nesting depth. JSON.parse, which does not recurse, handles deeper values. */
const MAX_DEPTH = 400;

/** Skips a string, starting after its opening quote. */
export function skipString(from: usize): usize {
  let block = from;
  while (true) {
    let mask = special32(block);
    let at = block;
    while (mask !== 0) {
      at = block + ctz(mask);
      const c = byte(at);
      if (c === QUOTE) return at + 1;
      if (c !== BACKSLASH) return 0;
      at = escapeEnd(at + 1);
      if (at === 0) return 0;
      mask = bitsFrom(mask, at - block);
    }
    block = max<usize>(at, block + 32);
  }
}

/** Returns the position after an escape, given the position after the backslash. */
function escapeEnd(from: usize): usize {
  const c = byte(from);
  if (plainOf(c) !== 0) return from + 1;
  return c === 0x75 && hex4(from + 1) >= 0 ? from + 5 : 0;
}

/** Skips a number, from its first character. */
export function skipNumber(from: usize): usize {
  let at = from;
  if (byte(at) === MINUS) at++;
  if (byte(at) === 0x30) {
    at++;
  } else {
    if (!isDigit(byte(at))) return 0;
    do at++;
    while (isDigit(byte(at)));
  }
  if (byte(at) === POINT) {
    at++;
    if (!isDigit(byte(at))) return 0;
    do at++;
    while (isDigit(byte(at)));
  }
  if ((byte(at) | 0x20) === 0x65) {
    at++;
    const sign = byte(at);
    if (sign === 0x2b || sign === MINUS) at++;
    const start = at;
    while (isDigit(byte(at))) at++;
    if (at === start) return 0;
    if (at - start > 2) hasLongExponent = true;
  }
  return at;
}

/** Skips any value, from its first character. */
export function skip(from: usize): usize {
  return skipBelow(from, 0);
}

function skipBelow(from: usize, depth: i32): usize {
  const c = byte(from);
  if (c === QUOTE) return skipString(from + 1);
  if (c === OPEN_BRACE) return skipObject(from, depth + 1);
  if (c === OPEN_BRACKET) return skipArray(from, depth + 1);
  if (c === 0x6e) return load<u32>(from) === NULL ? from + 4 : 0;
  if (c === 0x74) return load<u32>(from) === TRUE ? from + 4 : 0;
  if (c === 0x66) return load<u32>(from + 1) === ALSE ? from + 5 : 0;
  return skipNumber(from);
}

function skipArray(from: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return 0;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return at + 1;
  while (true) {
    at = skipBelow(at, depth);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at);
    if (c === CLOSE_BRACKET) return at + 1;
    if (c !== COMMA) return 0;
    at = space(at + 1);
  }
}

function skipObject(from: usize, depth: i32): usize {
  if (depth > MAX_DEPTH) return 0;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) return at + 1;
  while (true) {
    if (byte(at) !== QUOTE) return 0;
    at = skipString(at + 1);
    if (at === 0) return 0;
    at = space(at);
    if (byte(at) !== COLON) return 0;
    at = skipBelow(space(at + 1), depth);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at);
    if (c === CLOSE_BRACE) return at + 1;
    if (c !== COMMA) return 0;
    at = space(at + 1);
  }
}
