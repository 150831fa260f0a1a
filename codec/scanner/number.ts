/**
 * Reads JSON numbers and strings of digits. Each function returns the position after its input, or 0 if it
 * does not handle the input.
 */
import { byte, isDigit, MINUS, POINT, QUOTE } from "./bytes";
import { skipNumber } from "./skip";

/** Parses a number to the nearest double, in the host. Called if exact arithmetic is not possible here. */
declare function hostNumber(from: usize, length: usize): f64;

/** The last integer read: its digits, and whether it is negative. */
export let magnitude: u64 = 0;
export let negative: bool = false;
/** The last double read. */
export let double: f64 = 0;

/** The maximum number of zeros after the point. The decoder handles numbers with more zeros. */
const MAX_ZEROS: usize = 32;

/** Reads an integer below 2^64 in plain notation. */
export function integer(from: usize): usize {
  const at = wholePart(from);
  const c = byte(at);
  return at === 0 || c === POINT || isExponent(c) ? 0 : at;
}

/** Reads an integer below 2^64, optionally with zeros after a point. */
export function whole(from: usize): usize {
  const at = wholePart(from);
  if (at === 0) return 0;
  const c = byte(at);
  if (c === POINT) return zerosEnd(at + 1);
  return isExponent(c) ? 0 : at;
}

/** Returns the position after the zeros that follow a point, if they end the number. */
function zerosEnd(from: usize): usize {
  let at = from;
  while (byte(at) === 0x30) at++;
  const c = byte(at);
  return at === from || at - from > MAX_ZEROS || isDigit(c) || isExponent(c) ? 0 : at;
}

export function isExponent(c: u32): bool {
  return (c | 0x20) === 0x65;
}

/**
 * The largest integer that a double represents exactly. The decoder handles larger integers with an exponent.
 */
export const MAX_SAFE: u64 = 9007199254740991;

/** Reads an integer with a positive exponent and without a point. */
export function scaled(from: usize): usize {
  if (skipNumber(from) === 0) return 0;
  let at = wholePart(from);
  if (at === 0 || !isExponent(byte(at))) return 0;
  at++;
  if (byte(at) === 0x2b) at++;
  const start = at;
  let power = 0;
  for (; isDigit(byte(at)); at++) power = min(power * 10 + (byte(at) - 0x30), 99);
  if (at === start) return 0;
  let value = magnitude;
  if (value > MAX_SAFE) return 0;
  for (; power > 0 && value !== 0; power--) {
    value *= 10;
    if (value > MAX_SAFE) return 0;
  }
  magnitude = value;
  return at;
}

/** Reads a sign and the digits before a point or exponent. Returns 0 for 2^64 and above. */
function wholePart(from: usize): usize {
  negative = byte(from) === MINUS;
  const start = negative ? from + 1 : from;
  const at = digitsEnd(start);
  const digits = at - start;
  if (digits === 0 || (digits > 1 && byte(start) === 0x30)) return 0;
  return digits > 19 && !(digits === 20 && isTwentyDigits(start)) ? 0 : at;
}

/** Reads digits into `magnitude`, eight at a time. Returns the position after them. */
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

/** Returns how many leading characters of the eight are digits. */
function digitsIn(chunk: u64): usize {
  const values = chunk ^ 0x3030303030303030;
  // a value above nine sets the highest bit of its byte, and can only affect the bytes after it
  return <usize>ctz(((values + 0x7676767676767676) | values) & 0x8080808080808080) >> 3;
}

/** Returns the number that eight digits represent. The first digits may be zero bytes. */
function eightDigits(chunk: u64): u64 {
  const digits = chunk & 0x0f0f0f0f0f0f0f0f;
  const pairs = (digits * 10 + (digits >> 8)) & 0x00ff00ff00ff00ff;
  const fours = (pairs * 100 + (pairs >> 16)) & 0x0000ffff0000ffff;
  return (fours * 10000 + (fours >> 32)) & 0xffffffff;
}

/**
 * Reports whether 20 digits are at most 2^64 - 1 = 18446744073709551615. If their value has wrapped around,
 * it is less than the value of the first 19 digits.
 */
function isTwentyDigits(start: usize): bool {
  // a value that starts with 1 is at least 10^19, unless it has wrapped around
  return byte(start) === 0x31 && magnitude >= 10000000000000000000;
}

/** Reads an integer, written as a number or as a string of digits. */
export function integerOrText(from: usize): usize {
  if (byte(from) !== QUOTE) return integer(from);
  return textEnd(integer(from + 1));
}

/** Like `integerOrText`, but allows zeros after a point. */
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
 * Reads a number as a double. An integer of 53 bits and a power of ten are both exact, so their quotient is
 * correctly rounded.
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
  // 19 digits are below 2^64, so the integer is rounded only once
  const isShort = scale === 0 ? end - start <= 19 : digits <= 18 && value <= 9007199254740992 && places <= 22;
  if (at === end && isShort) {
    const magnitude = <f64>value / load<f64>(POWERS + (places << 3));
    double = minus ? -magnitude : magnitude;
  } else {
    double = hostNumber(from, end - from);
  }
  return end;
}
