/** What is known of the messages and maps that are open: pairs of words. */

/** How deep messages may be nested, as in protobuf-es. */
export const MAX_DEPTH = 100;

let top: usize = 0;
let stackEnd: usize = 0;

export const ENTRY: usize = 8;

export function setUp(from: usize, to: usize): void {
  top = from;
  stackEnd = to;
}

/** Where the next entry goes. */
export function height(): usize {
  return top;
}

export function push(first: u32, second: usize): void {
  if (top + ENTRY > stackEnd) unreachable();
  store<u32>(top, first);
  store<u32>(top, second, 4);
  top += ENTRY;
}

/** Drops all entries from a place on. */
export function drop(from: usize): void {
  top = from;
}
