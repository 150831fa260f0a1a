/**
 * Decodes base64 like the JavaScript decoder (codec/src/decode/scalar.ts): accepts both alphabets, optional
 * padding, and line breaks, tabs and spaces anywhere.
 */
import { BACKSLASH, byte, hex4, QUOTE } from "./bytes";
import { plainOf } from "./escapes";

/** The end of the last output. */
export let decodedEnd: usize = 0;

/** The value of each character: six bits, or one of the constants below. */
const VALUES = memory.data(256);
const PADDING: u32 = 64;
const SPACE: u32 = 65;
const NONE: u32 = 66;

/** The longest valid padding: `=` and `==`. */
const MAX_PADDING = 2;

fillValues();

function fillValues(): void {
  memory.fill(VALUES, <u8>NONE, 256);
  for (let i: usize = 0; i < 26; i++) {
    store<u8>(VALUES + 0x41 + i, i);
    store<u8>(VALUES + 0x61 + i, 26 + i);
  }
  for (let i: usize = 0; i < 10; i++) store<u8>(VALUES + 0x30 + i, 52 + i);
  // `+/` of the standard alphabet, `-_` of the URL-safe alphabet
  store<u8>(VALUES + 0x2b, 62);
  store<u8>(VALUES + 0x2d, 62);
  store<u8>(VALUES + 0x2f, 63);
  store<u8>(VALUES + 0x5f, 63);
  store<u8>(VALUES + 0x3d, PADDING);
  store<u8>(VALUES + 0x09, SPACE);
  store<u8>(VALUES + 0x0a, SPACE);
  store<u8>(VALUES + 0x0c, SPACE);
  store<u8>(VALUES + 0x0d, SPACE);
  store<u8>(VALUES + 0x20, SPACE);
}

function sextet(c: u32): u32 {
  return load<u8>(VALUES + c);
}

/**
 * Decodes a base64 string, starting after its opening quote. Returns the position after the closing quote, or
 * 0 on failure. May overwrite 3 bytes after the output.
 */
export function base64(from: usize, to: usize): usize {
  let at = from;
  let out = to;
  let bits: u32 = 0;
  /** the number of digits read */
  let digits = 0;
  let padding = 0;
  while (true) {
    if (digits === 0 && padding === 0) {
      const start = at;
      at = fours(at, out);
      out += ((at - start) >> 2) * 3;
    }
    let c = byte(at);
    if (c === QUOTE) break;
    if (c === BACKSLASH) {
      c = escaped(at + 1);
      at += byte(at + 1) === 0x75 ? 6 : 2;
    } else {
      // JSON does not allow bare control characters
      if (c < 0x20) return 0;
      at++;
    }
    const value = sextet(c);
    if (value < PADDING && padding === 0) {
      bits = (bits << 6) | value;
      if (++digits === 4) {
        store<u32>(out, bswap<u32>(bits << 8));
        out += 3;
        digits = 0;
        bits = 0;
      }
    } else if (value === PADDING) {
      if (++padding > MAX_PADDING) return 0;
    } else if (value !== SPACE) {
      return 0;
    }
  }
  // a single digit has six bits, less than a byte
  if (digits === 1) return 0;
  if (digits > 1) {
    store<u32>(out, bswap<u32>(bits << (32 - 6 * digits)));
    out += digits - 1;
  }
  decodedEnd = out;
  return at + 1;
}

/**
 * Decodes groups of four digits into three bytes each. Returns the position of the first group that contains
 * any other character.
 */
function fours(from: usize, to: usize): usize {
  let at = from;
  let out = to;
  while (true) {
    const first = sextet(byte(at));
    const second = sextet(byte(at + 1));
    const third = sextet(byte(at + 2));
    const fourth = sextet(byte(at + 3));
    if ((first | second | third | fourth) >= PADDING) return at;
    store<u32>(out, bswap<u32>((first << 26) | (second << 20) | (third << 14) | (fourth << 8)));
    at += 4;
    out += 3;
  }
}

/**
 * Returns the character that an escape represents, given the position after its backslash. For an invalid or
 * unsupported escape, returns a character that is not base64.
 */
function escaped(at: usize): u32 {
  const c = byte(at);
  if (c !== 0x75) return plainOf(c);
  const code = hex4(at + 1);
  return code < 0 || code > 0x7f ? 0 : code;
}
