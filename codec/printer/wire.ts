/**
 * Reads the protobuf wire format (https://protobuf.dev/programming-guides/encoding). The input
 * is padded with zeros, so that even a truncated varint ends. Unusual input traps, and the host prints the
 * message with protobuf-es.
 */

/** The read position. */
export let p: usize = 0;

export function moveTo(at: usize): void {
  p = at;
}

/** Reads a varint and returns its lower 64 bits. */
export function varint(): u64 {
  const first: u64 = load<u8>(p++);
  return first < 0x80 ? first : longVarint(first & 0x7f);
}

function longVarint(first: u64): u64 {
  let value = first;
  for (let shift: u64 = 7; shift < 70; shift += 7) {
    const c: u64 = load<u8>(p++);
    value |= (c & 0x7f) << shift;
    if (c < 0x80) return value;
  }
  unreachable();
  return 0;
}

/** Reads a tag: field number and wire type. */
export function tag(): u32 {
  const before = p;
  const value = varint();
  if (value < 8 || value > 0xffffffff || p - before > 5) unreachable();
  return <u32>value;
}

/** Reads the length of a length-delimited value, and returns the end of the value. `p` is then its start. */
export function end(limit: usize): usize {
  const length = varint();
  if (p > limit || length > <u64>(limit - p)) unreachable();
  return p + <usize>length;
}

/** Skips the value of an unknown field. */
export function skip(wireType: u32, limit: usize): void {
  if (wireType === 0) {
    varint();
  } else if (wireType === 1) {
    p += 8;
  } else if (wireType === 2) {
    p = end(limit);
  } else if (wireType === 5) {
    p += 4;
  } else {
    unreachable();
  }
}

/** Reads the next tag if it equals `expected`, and reports whether it does. */
export function nextIs(expected: u32, limit: usize): bool {
  const before = p;
  if (before < limit && varint() === <u64>expected) return true;
  p = before;
  return false;
}

export function fixed32(): u32 {
  const value = load<u32>(p);
  p += 4;
  return value;
}

export function fixed64(): u64 {
  const value = load<u64>(p);
  p += 8;
  return value;
}
