/** The stack of messages and maps in progress. Each entry is a pair of words. */

/** The maximum nesting depth of messages, the same as in protobuf-es. */
export const MAX_DEPTH = 100;

let top: usize = 0;
let stackEnd: usize = 0;

export const ENTRY: usize = 8;

export function setUp(from: usize, to: usize): void {
  top = from;
  stackEnd = to;
}

/** Returns the position of the next entry. */
export function height(): usize {
  return top;
}

export function push(first: u32, second: usize): void {
  if (top + ENTRY > stackEnd) unreachable();
  store<u32>(top, first);
  store<u32>(top, second, 4);
  top += ENTRY;
}

/** Removes all entries from a position upwards. */
export function drop(from: usize): void {
  top = from;
}
