/** Prints strings and bytes as JSON strings. */
import { MARGIN, put, q, room, work, writeTo } from "./output";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/**
 * Prints the UTF-8 between two addresses in quotes, with only the necessary escapes. Traps for invalid
 * UTF-8.
 */
export function text(from: usize, to: usize): void {
  room(to - from);
  put(QUOTE);
  let at = from;
  let out = q;
  let high: u32 = 0;
  while (at < to) {
    const block = at;
    const rest = to - block;
    const inside: u32 = rest < 32 ? (1 << (<u32>rest)) - 1 : 0xffffffff;
    let odd = (special(block) | (special(block + 16) << 16)) & inside;
    high |= (i8x16.bitmask(v128.load(block)) | (i8x16.bitmask(v128.load(block, 16)) << 16)) & inside;
    copy32(out, at);
    while (odd !== 0) {
      const next = block + ctz(odd);
      writeTo(out + (next - at));
      escaped(load<u8>(next));
      at = next + 1;
      room(to - at);
      out = q;
      copy32(out, at);
      odd &= odd - 1;
    }
    const end = min(block + 32, to);
    out += end - at;
    at = end;
  }
  writeTo(out);
  put(QUOTE);
  if (high !== 0) checkUtf8(from, to);
}

function copy32(to: usize, from: usize): void {
  const first = v128.load(from);
  const second = v128.load(from, 16);
  v128.store(to, first);
  v128.store(to, second, 16);
}

/** Constant blocks for `special`: V8 loads a constant faster than it builds one. */
const TWOS = memory.data<u8>([2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
const BLANKS = memory.data<u8>([32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32]);
const BACKSLASHES = memory.data<u8>([92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92, 92]);

/** Returns a mask with one bit for each of the 16 bytes at `from`, set if JSON must escape the byte. */
function special(from: usize): u32 {
  const block = v128.load(from);
  // flipping the second bit turns a quote into 0x20, next to the control characters, and a space into 0x22
  const turned = v128.xor(block, v128.load(TWOS));
  return i8x16.bitmask(
    v128.or(i8x16.le_u(turned, v128.load(BLANKS)), i8x16.eq(block, v128.load(BACKSLASHES))),
  );
}

/** The second character of the short escape of each control character; 0 if the character needs `\u`. */
const SHORT = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0x62, 0x74, 0x6e, 0, 0x66, 0x72, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0,
]);

function escaped(c: u32): void {
  work(1);
  put(BACKSLASH);
  const short: u32 = c < 0x20 ? load<u8>(SHORT + c) : c;
  if (short !== 0) {
    put(short);
    return;
  }
  put(0x75);
  store<u16>(q, 0x3030);
  store<u8>(q + 2, 0x30 + (c >> 4));
  const low = c & 15;
  store<u8>(q + 3, low < 10 ? 0x30 + low : 0x57 + low);
  writeTo(q + 4);
}

/** Traps if a range is not valid UTF-8 (RFC 3629). */
function checkUtf8(from: usize, to: usize): void {
  let at = from;
  while (at < to) {
    const bits = i8x16.bitmask(v128.load(at));
    if (bits === 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(bits);
    while (at < to && load<u8>(at) > 0x7f) {
      at = behindSequence(at);
      if (at > to) unreachable();
    }
  }
}

/** Returns the position after a multi-byte character. */
function behindSequence(at: usize): usize {
  const c: u32 = load<u8>(at);
  const d: u32 = load<u8>(at + 1);
  if (c < 0xe0) {
    if (c < 0xc2 || !isNext(d)) unreachable();
    return at + 2;
  }
  if (!isNext(d) || !isNext(load<u8>(at + 2))) unreachable();
  if (c < 0xf0) {
    if ((c === 0xe0 && d < 0xa0) || (c === 0xed && d > 0x9f)) unreachable();
    return at + 3;
  }
  if (!isNext(load<u8>(at + 3)) || c > 0xf4) unreachable();
  if ((c === 0xf0 && d < 0x90) || (c === 0xf4 && d > 0x8f)) unreachable();
  return at + 4;
}

function isNext(c: u32): bool {
  return (c & 0xc0) === 0x80;
}

const ALPHABET = memory.data<u8>([
  65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 97,
  98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119,
  120, 121, 122, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 43, 47,
]);

/** Prints bytes as base64 (RFC 4648 section 4) in quotes. */
export function base64(from: usize, to: usize): void {
  room(((to - from) / 3 + 1) * 4 + MARGIN);
  put(QUOTE);
  let at = from;
  let out = q;
  for (; at + 3 <= to; at += 3) {
    const bits = ((<u32>load<u8>(at)) << 16) | ((<u32>load<u8>(at + 1)) << 8) | <u32>load<u8>(at + 2);
    four(out, bits);
    out += 4;
  }
  const rest = to - at;
  if (rest > 0) {
    const second: u32 = rest > 1 ? (<u32>load<u8>(at + 1)) << 8 : 0;
    four(out, ((<u32>load<u8>(at)) << 16) | second);
    store<u8>(out + 3, 0x3d);
    if (rest === 1) store<u8>(out + 2, 0x3d);
    out += 4;
  }
  writeTo(out);
  put(QUOTE);
}

function four(out: usize, bits: u32): void {
  store<u8>(out, load<u8>(ALPHABET + (bits >> 18)));
  store<u8>(out + 1, load<u8>(ALPHABET + ((bits >> 12) & 63)));
  store<u8>(out + 2, load<u8>(ALPHABET + ((bits >> 6) & 63)));
  store<u8>(out + 3, load<u8>(ALPHABET + (bits & 63)));
}
