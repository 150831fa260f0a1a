/** Prints numbers the way JavaScript prints them. Each number fits into the reserved margin. */
import { MARGIN, put, q, room, work, writeTo } from "./output";

/** Prints a double like JavaScript's `String` to an address, and returns its length. */
declare function hostDouble(value: f64, at: usize): usize;

const HOST_WORK = 20;

/** Prints an integer. */
export function unsigned(value: u64): void {
  let rest = value;
  let at = q + digitsOf(value);
  writeTo(at);
  while (rest >= 100) {
    const next = rest / 100;
    at -= 2;
    store<u16>(at, pair(<u32>(rest - next * 100)));
    rest = next;
  }
  if (rest >= 10) {
    store<u16>(at - 2, pair(<u32>rest));
  } else {
    store<u8>(at - 1, 0x30 + <u32>rest);
  }
}

export function signed(value: i64): void {
  if (value < 0) put(0x2d);
  unsigned(<u64>(value < 0 ? -value : value));
}

/** Returns the two digits of a number below 100, as a little-endian integer. */
export function pair(value: u32): u32 {
  const tens = value / 10;
  return 0x3030 + tens + ((value - tens * 10) << 8);
}

function digitsOf(value: u64): usize {
  let count: usize = 1;
  let rest = value;
  while (rest >= 10000) {
    rest /= 10000;
    count += 4;
  }
  if (rest >= 1000) return count + 3;
  if (rest >= 100) return count + 2;
  return rest >= 10 ? count + 1 : count;
}

/** Prints a finite double. */
export function double(value: f64): void {
  const size = Math.abs(value);
  if (size <= 9007199254740991 && Math.trunc(value) === value) {
    if (reinterpret<i64>(value) < 0) put(0x2d);
    unsigned(<u64>size);
  } else if (!decimal(value, size)) {
    work(HOST_WORK);
    room(MARGIN);
    writeTo(q + hostDouble(value, q));
  }
}

/**
 * Prints a double that equals a decimal number of at most 15 digits, with 1 to 6 digits after the point.
 * Returns false for any other double. Two such decimal numbers never round to the same double, so the first
 * match is the shortest. The quotient of two exact doubles is correctly rounded.
 */
function decimal(value: f64, size: f64): bool {
  let power: f64 = 1;
  let unit: u64 = 1;
  for (let places = 1; places <= 6; places++) {
    power *= 10;
    unit *= 10;
    const whole = nearest(size * power);
    if (whole >= 1e15) return false;
    if (whole / power !== size) continue;
    if (value < 0) put(0x2d);
    const digits = <u64>whole;
    unsigned(digits / unit);
    put(0x2e);
    fraction(digits % unit, places);
    return true;
  }
  return false;
}

/** Prints a number with a fixed number of digits, padded with leading zeros. */
export function fraction(value: u64, digits: i32): void {
  let rest = value;
  for (let i = digits - 1; i >= 0; i--) {
    store<u8>(q + i, 0x30 + <u32>(rest % 10));
    rest /= 10;
  }
  writeTo(q + digits);
}
