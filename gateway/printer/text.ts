/** Texts and bytes as JSON has them. */
import { MARGIN, put, q, room, work, writeTo } from "./output";

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;

/** Prints the UTF-8 between two addresses in quotes, with no more escapes than there have to be. Other bytes trap. */
export function text(from: usize, to: usize): void {
  room(to - from);
  put(QUOTE);
  let at = from;
  let out = q;
  let high: i32 = 0;
  while (true) {
    const block = v128.load(at);
    v128.store(out, block);
    let odd = special(block);
    let bits = i8x16.bitmask(block);
    const rest = to - at;
    if (rest < 16) {
      const mask = (1 << (<i32>rest)) - 1;
      odd &= mask;
      bits &= mask;
    }
    if (odd === 0) {
      high |= bits;
      if (rest <= 16) {
        writeTo(out + rest);
        break;
      }
      at += 16;
      out += 16;
      continue;
    }
    const plain = ctz(odd);
    high |= bits & ((1 << plain) - 1);
    at += <usize>plain;
    writeTo(out + <usize>plain);
    escaped(load<u8>(at++));
    room(to - at);
    out = q;
  }
  put(QUOTE);
  if (high !== 0) checkUtf8(from, to);
}

/** A bit for each of 16 bytes that JSON has not as it is. */
function special(block: v128): i32 {
  return i8x16.bitmask(
    v128.or(
      v128.or(i8x16.eq(block, i8x16.splat(0x22)), i8x16.eq(block, i8x16.splat(0x5c))),
      i8x16.lt_u(block, i8x16.splat(0x20)),
    ),
  );
}

/** What stands behind the backslash of a control character; 0 where that is its number. */
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

/** Traps where bytes are no UTF-8 (RFC 3629). */
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

/** Behind a character of several bytes. */
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
