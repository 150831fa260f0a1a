/** The output buffer. It is at the end of linear memory, and the memory grows with it. */

/** The write position, and the end of the reserved space. */
export let q: usize = 0;
let limit: usize = 0;
let maxEnd: usize = 0;
/** The remaining work budget. Each value costs one unit. */
let budget: i32 = 0;

const PAGE: usize = 65536;
/** The number of bytes that are always reserved, so that short output needs no check. */
export const MARGIN: usize = 64;

/** Starts the output at an address. */
export function start(at: usize, maxLength: usize, maxWork: i32): void {
  q = at;
  maxEnd = at + maxLength;
  limit = 0;
  budget = maxWork;
  room(0);
}

export function writeTo(at: usize): void {
  q = at;
}

/** Reserves `size` bytes in addition to the margin. Traps if the output exceeds its limit. */
export function room(size: usize): void {
  if (q + size + MARGIN > limit) grow(q + size + MARGIN);
}

function grow(needed: usize): void {
  if (needed > maxEnd) unreachable();
  const end = <usize>memory.size() * PAGE;
  if (needed > end) {
    // growing memory is slow: grow by at least a quarter
    const pages = (needed - end + (needed >> 2)) / PAGE + 1;
    if (memory.grow(<i32>pages) < 0) unreachable();
  }
  limit = <usize>memory.size() * PAGE;
}

/** Subtracts from the work budget. Traps when the budget is exhausted. */
export function work(units: i32): void {
  budget -= units;
  if (budget < 0) unreachable();
}

export function put(c: u32): void {
  store<u8>(q++, c);
}

/** Copies a short range in whole blocks. May overwrite up to 15 bytes after the copy. */
export function copy(from: usize, length: usize): void {
  room(length);
  for (let i: usize = 0; i < length; i += 16) v128.store(q + i, v128.load(from + i));
  q += length;
}
