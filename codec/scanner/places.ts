/**
 * Supports bodies that are read in windows (codec/src/scan/pieces.ts). A window may end anywhere, and reading
 * fails there. The scanner records where each item of the outermost list starts. The next window continues at
 * the last recorded item.
 */
import { byte } from "./bytes";
import { isNamed, reportsLength, stepCount } from "./report";

/**
 * The list in progress, if the host can name it: the list, the position of its first item, the output before
 * it, and the number of steps to it.
 */
const LIST: usize = 0;
const LIST_INPUT: usize = 4;
const LIST_OUTPUT: usize = 8;
const LIST_STEPS: usize = 12;
/** The start of the last item: its position, the output and reports before it, and its index in the list. */
const ITEM_INPUT: usize = 16;
const ITEM_OUTPUT: usize = 20;
const ITEM_REPORTS: usize = 24;
const ITEM_INDEX: usize = 28;

const LAST = memory.data(32, 4);

/** Returns the address of the recorded words. The first word is 0 if no list is in progress. */
export function lastPlace(): usize {
  return LAST;
}

export function beginPlaces(): void {
  store<u32>(LAST, 0, LIST);
}

/** Begins a list at its first item. Returns false for a nested list, or for one that the host cannot name. */
export function openList(field: usize, input: usize, output: usize): bool {
  if (load<u32>(LAST, LIST) !== 0 || !isNamed()) return false;
  store<u32>(LAST, field, LIST);
  store<u32>(LAST, input, LIST_INPUT);
  store<u32>(LAST, output, LIST_OUTPUT);
  store<u32>(LAST, stepCount(), LIST_STEPS);
  // the window may end before the first item, and another list may have been recorded
  store<i32>(LAST, 0, ITEM_INDEX);
  return true;
}

/** Records the start of an item, unless the window ends there. */
export function place(input: usize, output: usize, index: i32): void {
  if (byte(input) === 0) return;
  store<u32>(LAST, input, ITEM_INPUT);
  store<u32>(LAST, output, ITEM_OUTPUT);
  store<u32>(LAST, reportsLength(), ITEM_REPORTS);
  store<i32>(LAST, index, ITEM_INDEX);
}

/** Reports whether the outermost list is in progress. */
export function isListOpen(): bool {
  return load<u32>(LAST, LIST) !== 0;
}

export function closeList(): void {
  store<u32>(LAST, 0, LIST);
}
