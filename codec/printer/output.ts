/** What is written to, behind all else in the memory, which grows with it. */

/** Where writing is, and how far there is room. */
export let q: usize = 0;
let limit: usize = 0;
let maxEnd: usize = 0;
/** How many units of work may still be done: a value is one. */
let budget: i32 = 0;

const PAGE: usize = 65536;
/** Room that is there always, for what is short. */
export const MARGIN: usize = 64;

/** Begins to write at a place. */
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

/** Makes room for so many bytes, and the margin. Traps where there may not be more. */
export function room(size: usize): void {
  if (q + size + MARGIN > limit) grow(q + size + MARGIN);
}

function grow(needed: usize): void {
  if (needed > maxEnd) unreachable();
  const end = <usize>memory.size() * PAGE;
  if (needed > end) {
    // by a quarter more at least, for it takes time
    const pages = (needed - end + (needed >> 2)) / PAGE + 1;
    if (memory.grow(<i32>pages) < 0) unreachable();
  }
  limit = <usize>memory.size() * PAGE;
}

/** Counts work. Traps where it is too much to be done at once. */
export function work(units: i32): void {
  budget -= units;
  if (budget < 0) unreachable();
}

export function put(c: u32): void {
  store<u8>(q++, c);
}

/** Copies short bytes with the blocks around them; up to 15 bytes more are written over. */
export function copy(from: usize, length: usize): void {
  room(length);
  for (let i: usize = 0; i < length; i += 16) v128.store(q + i, v128.load(from + i));
  q += length;
}
