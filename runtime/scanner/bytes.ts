/**
 * What every part of the scanner needs of bytes. Positions are addresses in linear memory; behind the input there are zeros,
 * which are nothing in JSON, so that no loop has to ask for the end.
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

const MIX: u64 = 0x9e3779b97f4a7c15;

/** The byte at a position. */
export function byte(at: usize): u32 {
  return load<u8>(at);
}

/** Behind white space. */
export function space(from: usize): usize {
  let at = from;
  let c = byte(at);
  while (c === 0x20 || c === 0x0a || c === 0x0d || c === 0x09) c = byte(++at);
  return at;
}

export function isDigit(c: u32): bool {
  return c - 0x30 < 10;
}

/** Where the next quote, backslash or control character is, 16 bytes at a time. */
export function plainEnd(from: usize): usize {
  let at = from;
  while (true) {
    const mask = special(at);
    if (mask !== 0) return at + ctz(mask);
    at += 16;
  }
}

/** A bit for each of 16 bytes that is a quote, a backslash or a control character. */
export function special(from: usize): i32 {
  const block = v128.load(from);
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
      i8x16.lt_u(block, i8x16.splat(0x20)),
    ),
  );
}

/** The hash of a key or word, 8 bytes at a time. */
export function hash(from: usize, length: usize): u32 {
  let h: u64 = (<u64>length + 1) * MIX;
  let at = from;
  let rest = length;
  while (rest > 8) {
    h = (h ^ load<u64>(at)) * MIX;
    h ^= h >> 32;
    at += 8;
    rest -= 8;
  }
  if (rest > 0) h = (h ^ (load<u64>(at) & (u64.MAX_VALUE >> ((8 - <u64>rest) << 3)))) * MIX;
  h ^= h >> 32;
  return <u32>h | 1;
}

/** Whether two stretches of bytes are the same. */
export function same(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  while (length - i >= 8) {
    if (load<u64>(a + i) !== load<u64>(b + i)) return false;
    i += 8;
  }
  const rest = length - i;
  if (rest === 0) return true;
  return ((load<u64>(a + i) ^ load<u64>(b + i)) & (u64.MAX_VALUE >> ((8 - <u64>rest) << 3))) === 0;
}

/** Copies 16 bytes at a time, and up to 15 more than asked for. */
export function copyLoosely(to: usize, from: usize, length: usize): void {
  if (length > 512) {
    memory.copy(to, from, length);
    return;
  }
  for (let i: usize = 0; i < length; i += 16) v128.store(to + i, v128.load(from + i));
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
