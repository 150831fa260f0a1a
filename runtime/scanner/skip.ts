/**
 * JSON that is not kept (RFC 8259): all of it is checked all the same. Each function takes the position of a value and
 * returns the one behind it; 0 for what is no JSON, or too deep.
 */
import {
  ALSE,
  BACKSLASH,
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
  plainEnd,
  QUOTE,
  space,
  TRUE,
} from "./bytes";

/** Deeper values are left to JSON.parse, which does not recurse. */
const MAX_DEPTH = 400;

/** A string, from behind its opening quote. */
export function skipString(from: usize): usize {
  let at = from;
  while (true) {
    at = plainEnd(at);
    const c = byte(at);
    if (c === QUOTE) return at + 1;
    if (c !== BACKSLASH) return 0;
    const escaped = byte(at + 1);
    if (escaped === 0x75) {
      if (hex4(at + 2) < 0) return 0;
      at += 6;
    } else {
      if (!isShortEscape(escaped)) return 0;
      at += 2;
    }
  }
}

/** Whether a backslash and this character are an escape of two characters. */
export function isShortEscape(c: u32): bool {
  switch (c) {
    case 0x22:
    case 0x5c:
    case 0x2f:
    case 0x62:
    case 0x66:
    case 0x6e:
    case 0x72:
    case 0x74:
      return true;
    default:
      return false;
  }
}

/** A number, from its first character. */
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
    if (!isDigit(byte(at))) return 0;
    do at++;
    while (isDigit(byte(at)));
  }
  return at;
}

/** Any value, from its first character. */
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
