/**
 * Numbers of JSON and texts of digits. Each function returns the position behind what it read,
 * 0 where it does not know it.
 */
import { byte, isDigit, MINUS, POINT, QUOTE } from "./bytes";
import { skipNumber } from "./skip";

/** The nearest double of a number's text, by the host; for what is not exact here. */
declare function hostNumber(from: usize, length: usize): f64;

/** The last integer that was read: its digits, and whether a minus stands in front of them. */
export let magnitude: u64 = 0;
export let negative: bool = false;
/** The last double that was read. */
export let double: f64 = 0;

/** More zeros behind the point are left to the decoder. */
const MAX_ZEROS: usize = 32;

/** An integer below 2^64, written as such. */
export function integer(from: usize): usize {
  const at = wholePart(from);
  const c = byte(at);
  return at === 0 || c === POINT || isExponent(c) ? 0 : at;
}

/** An integer below 2^64, behind whose point zeros may stand. */
export function whole(from: usize): usize {
  const at = wholePart(from);
  if (at === 0) return 0;
  const c = byte(at);
  if (c === POINT) return zerosEnd(at + 1);
  return isExponent(c) ? 0 : at;
}

/** Zeros behind a point, and nothing more of the number. */
function zerosEnd(from: usize): usize {
  let at = from;
  while (byte(at) === 0x30) at++;
  const c = byte(at);
  return at === from || at - from > MAX_ZEROS || isDigit(c) || isExponent(c) ? 0 : at;
}

function isExponent(c: u32): bool {
  return (c | 0x20) === 0x65;
}

/** The digits in front of a point and an exponent, with their sign; 0 for those beyond 2^64. */
function wholePart(from: usize): usize {
  negative = byte(from) === MINUS;
  const start = negative ? from + 1 : from;
  const at = digitsEnd(start);
  const digits = at - start;
  if (digits === 0 || (digits > 1 && byte(start) === 0x30)) return 0;
  return digits > 19 && !(digits === 20 && isTwentyDigits(start)) ? 0 : at;
}

/** Reads digits, eight at a time, into `magnitude`; returns the position behind them. */
function digitsEnd(from: usize): usize {
  let at = from;
  let value: u64 = 0;
  let chunk = load<u64>(at);
  let count = digitsIn(chunk);
  while (count === 8) {
    value = value * 100000000 + eightDigits(chunk);
    at += 8;
    chunk = load<u64>(at);
    count = digitsIn(chunk);
  }
  if (count > 0) {
    value = value * load<u64>(TENS + (count << 3)) + eightDigits(chunk << (64 - ((<u64>count) << 3)));
  }
  magnitude = value;
  return at + count;
}

const TENS = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000]);

/** With how many digits eight characters begin. */
function digitsIn(chunk: u64): usize {
  const values = chunk ^ 0x3030303030303030;
  // what is above nine sets the highest bit of its byte, and may spoil the bytes behind it alone
  return <usize>ctz(((values + 0x7676767676767676) | values) & 0x8080808080808080) >> 3;
}

/** The number that eight digits are, of which the first may be zero bytes. */
function eightDigits(chunk: u64): u64 {
  const digits = chunk & 0x0f0f0f0f0f0f0f0f;
  const pairs = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  const fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffff;
  return (fours * 10000 + (fours >> 32)) & 0xffffffff;
}

/**
 * Up to 2^64 - 1 = 18446744073709551615: the sum of 20 digits has wrapped around
 * where it is less than its first 19.
 */
function isTwentyDigits(start: usize): bool {
  // with a leading 1, a sum without a wrap is at least 10^19
  return byte(start) === 0x31 && magnitude >= 10000000000000000000;
}

/** An integer, as a number or as a text of digits alone. */
export function integerOrText(from: usize): usize {
  if (byte(from) !== QUOTE) return integer(from);
  return textEnd(integer(from + 1));
}

/** The like, where zeros may stand behind its point. */
export function wholeOrText(from: usize): usize {
  if (byte(from) !== QUOTE) return whole(from);
  return textEnd(whole(from + 1));
}

function textEnd(end: usize): usize {
  return end !== 0 && byte(end) === QUOTE ? end + 1 : 0;
}

/** Powers of ten that a double holds exactly. */
const POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
  1e20, 1e21, 1e22,
]);

/**
 * A number as a double. An integer of 53 bits and a power of ten that are both exact make an exact quotient.
 */
export function number(from: usize): usize {
  const end = skipNumber(from);
  if (end === 0) return 0;
  let at = from;
  const minus = byte(at) === MINUS;
  if (minus) at++;
  const start = at;
  let value: u64 = 0;
  let digits = 0;
  let scale = 0;
  for (; at < end; at++) {
    const c = byte(at);
    if (isDigit(c)) {
      value = value * 10 + (c - 0x30);
      if (value !== 0) digits++;
      if (scale !== 0) scale++;
    } else if (c === POINT) {
      scale = 1;
    } else {
      break;
    }
  }
  const places = scale === 0 ? 0 : scale - 1;
  // an integer of 19 digits is below 2^64, and rounded once
  const isShort = scale === 0 ? end - start <= 19 : digits <= 18 && value <= 9007199254740992 && places <= 22;
  if (at === end && isShort) {
    const magnitude = <f64>value / load<f64>(POWERS + (places << 3));
    double = minus ? -magnitude : magnitude;
  } else {
    double = hostNumber(from, end - from);
  }
  return end;
}
