/** The output, at the end of the memory, which grows with it. */

/** The write position, and the end of the reserved room. */
export let q: usize = 0;
let limit: usize = 0;
let maxEnd: usize = 0;
/** The number of units of work that remain: a value is one unit. */
let budget: i32 = 0;

const PAGE: usize = 65536;
/** Room that is always reserved, for short output. */
export const MARGIN: usize = 64;

/** Begins to write at an address. */
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

/** Reserves room for this many bytes, and the margin. Traps beyond the limit. */
export function room(size: usize): void {
  if (q + size + MARGIN > limit) grow(q + size + MARGIN);
}

function grow(needed: usize): void {
  if (needed > maxEnd) unreachable();
  const end = <usize>memory.size() * PAGE;
  if (needed > end) {
    // growing is slow: by at least a quarter
    const pages = (needed - end + (needed >> 2)) / PAGE + 1;
    if (memory.grow(<i32>pages) < 0) unreachable();
  }
  limit = <usize>memory.size() * PAGE;
}

/** Counts work. Traps when the budget is exhausted. */
export function work(units: i32): void {
  budget -= units;
  if (budget < 0) unreachable();
}

export function put(c: u32): void {
  store<u8>(q++, c);
}

/** Copies short ranges in whole blocks; overwrites up to 15 bytes after them. */
export function copy(from: usize, length: usize): void {
  room(length);
  for (let i: usize = 0; i < length; i += 16) v128.store(q + i, v128.load(from + i));
  q += length;
}
