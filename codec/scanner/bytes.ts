/**
 * Byte functions that all parts of the scanner use. Positions are addresses in linear memory. Zeros follow
 * the input; they are not valid JSON, so loops need not check for the end of the input.
 */

export const QUOTE: u32 = 0x22;
export const BACKSLASH: u32 = 0x5c;
export const COMMA: u32 = 0x2c;
export const COLON: u32 = 0x3a;
export const OPEN_BRACE: u32 = 0x7b;
export const CLOSE_BRACE: u32 = 0x7d;
export const OPEN_BRACKET: u32 = 0x5b;
export const CLOSE_BRACKET: u32 = 0x5d;
export const MINUS: u32 = 0x2d;
export const POINT: u32 = 0x2e;
/** `null`, `true` and `alse` as little-endian integers. */
export const NULL: u32 = 0x6c6c756e;
export const TRUE: u32 = 0x65757274;
export const ALSE: u32 = 0x65736c61;

/** A set with one bit for each white space character. */
const SPACES: u64 = 0x100002600;

/** Returns the byte at a position. */
export function byte(at: usize): u32 {
  return load<u8>(at);
}

/** Returns the position after white space. */
export function space(from: usize): usize {
  return byte(from) > 0x20 ? from : spaceEnd(from);
}

function spaceEnd(from: usize): usize {
  let at = from;
  while (isSpace(byte(at))) at++;
  return at;
}

function isSpace(c: u32): bool {
  return c <= 0x20 && (SPACES >> <u64>c) & 1;
}

export function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

/** Returns the position of the next quote, backslash or control character. */
export function plainEnd(from: usize): usize {
  let at = from;
  let mask = special32(at);
  while (mask === 0) {
    at += 32;
    mask = special32(at);
  }
  return at + ctz(mask);
}

/** Constant blocks for `special`: V8 loads a constant faster than it builds one. */
const TWOS = memory.data<u8>([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
const BLANKS = memory.data<u8>([32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32]);
const BACKSLASHES = memory.data<u8>([92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92]);

/**
 * Returns a mask with one bit for each of the 16 bytes at `from`, set for a quote, a backslash or a control
 * character.
 */
export function special(from: usize): i32 {
  const block = v128.load(from);
  // flipping the second bit turns a quote into 0x20, next to the control characters, and a space into 0x22
  const turned = v128.xor(block, v128.load(TWOS));
  return i8x16.bitmask(
    v128.or(i8x16.le_u(turned, v128.load(BLANKS)), i8x16.eq(block, v128.load(BACKSLASHES))),
  );
}

/** Like `special`, with 32 bytes. */
export function special32(from: usize): u32 {
  return special(from) | (special(from + 16) << 16);
}

/** Clears the bits of a mask below `first`. */
export function bitsFrom(mask: u32, first: usize): u32 {
  return first < 32 ? (mask >> first) << first : 0;
}

/** Copies 32 bytes at a time. May copy up to 31 bytes more than requested. */
export function copyLoosely(to: usize, from: usize, length: usize): void {
  if (length > 512) {
    memory.copy(to, from, length);
    return;
  }
  copy32(to, from);
  for (let i: usize = 32; i < length; i += 32) copy32(to + i, from + i);
}

export function copy32(to: usize, from: usize): void {
  const first = v128.load(from);
  const second = v128.load(from, 16);
  v128.store(to, first);
  v128.store(to, second, 16);
}

/** Returns the value of a hexadecimal digit; a negative number for any other character. */
function hexDigit(c: u32): i32 {
  if (isDigit(c)) return c - 0x30;
  const letter = c | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Returns the value of four hexadecimal digits; a negative number if one is not a digit. */
export function hex4(at: usize): i32 {
  const a = hexDigit(byte(at));
  const b = hexDigit(byte(at + 1));
  const c = hexDigit(byte(at + 2));
  const d = hexDigit(byte(at + 3));
  return (a | b | c | d) < 0 ? -1 : (a << 12) | (b << 8) | (c << 4) | d;
}

/** Returns the size of a varint in bytes. */
export function varintSize(value: usize): usize {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
