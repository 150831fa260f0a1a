/**
 * What every part of the scanner needs of bytes. Positions are addresses in linear memory; behind the input
 * there are zeros, which are nothing in JSON, so that no loop has to ask for the end.
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

/** A bit for each character that is white space. */
const SPACES: u64 = 0x100002600;

/** The byte at a position. */
export function byte(at: usize): u32 {
  return load<u8>(at);
}

/** Behind white space. */
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

/** Where the next quote, backslash or control character is. */
export function plainEnd(from: usize): usize {
  let at = from;
  let mask = special32(at);
  while (mask === 0) {
    at += 32;
    mask = special32(at);
  }
  return at + ctz(mask);
}

/** Blocks that `special` compares with: V8 reads them faster than it makes them. */
const TWOS = memory.data<u8>([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
const BLANKS = memory.data<u8>([32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32]);
const BACKSLASHES = memory.data<u8>([92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92]);

/** A bit for each of 16 bytes that is a quote, a backslash or a control character. */
export function special(from: usize): i32 {
  const block = v128.load(from);
  // with its second bit turned, a quote comes to stand behind the control characters, and a space does not
  const turned = v128.xor(block, v128.load(TWOS));
  return i8x16.bitmask(
    v128.or(i8x16.le_u(turned, v128.load(BLANKS)), i8x16.eq(block, v128.load(BACKSLASHES))),
  );
}

/** Like `special`, for 32 bytes. */
export function special32(from: usize): u32 {
  return special(from) | (special(from + 16) << 16);
}

/** The bits of a mask from one on. */
export function bitsFrom(mask: u32, first: usize): u32 {
  return first < 32 ? (mask >> first) << first : 0;
}

/** Copies 32 bytes at a time, and up to 31 more than asked for. */
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

/** The value of a hexadecimal digit; negative for another character. */
function hexDigit(c: u32): i32 {
  if (isDigit(c)) return c - 0x30;
  const letter = c | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Four hexadecimal digits; negative where there are others. */
export function hex4(at: usize): i32 {
  const a = hexDigit(byte(at));
  const b = hexDigit(byte(at + 1));
  const c = hexDigit(byte(at + 2));
  const d = hexDigit(byte(at + 3));
  return (a | b | c | d) < 0 ? -1 : (a << 12) | (b << 8) | (c << 4) | d;
}

/** How many bytes a varint has. */
export function varintSize(value: usize): usize {
  if (value < 0x80) return 1;
  if (value < 0x4000) return 2;
  if (value < 0x200000) return 3;
  return value < 0x10000000 ? 4 : 5;
}
