/**
 * Bodies that are read in windows (codec/src/scan/pieces.ts). A window ends anywhere, and reading fails
 * there. Until then it is noted where the items begin of the outermost list that is read: the last of these
 * places is where the next window goes on.
 */
import { byte } from "./bytes";
import { isNamed, reportsLength, stepCount } from "./report";

/**
 * The list, if one is open that the host can name, what is in front of its first item,
 * and how many steps lead to it.
 */
const LIST: usize = 0;
const LIST_INPUT: usize = 4;
const LIST_OUTPUT: usize = 8;
const LIST_STEPS: usize = 12;
/** The last item that began: where, what had been written and reported by then, and its index. */
const ITEM_INPUT: usize = 16;
const ITEM_OUTPUT: usize = 20;
const ITEM_REPORTS: usize = 24;
const ITEM_INDEX: usize = 28;

const LAST = memory.data(32, 4);

/** The words above; the first is 0 where no list is open. */
export function lastPlace(): usize {
  return LAST;
}

export function beginPlaces(): void {
  store<u32>(LAST, 0, LIST);
}

/**
 * Begins a list at its first item; false for one that is in another one, or where the host cannot name it.
 */
export function openList(field: usize, input: usize, output: usize): bool {
  if (load<u32>(LAST, LIST) !== 0 || !isNamed()) return false;
  store<u32>(LAST, field, LIST);
  store<u32>(LAST, input, LIST_INPUT);
  store<u32>(LAST, output, LIST_OUTPUT);
  store<u32>(LAST, stepCount(), LIST_STEPS);
  return true;
}

/** An item begins, unless it is the end of the window. */
export function place(input: usize, output: usize, index: i32): void {
  if (byte(input) === 0) return;
  store<u32>(LAST, input, ITEM_INPUT);
  store<u32>(LAST, output, ITEM_OUTPUT);
  store<u32>(LAST, reportsLength(), ITEM_REPORTS);
  store<i32>(LAST, index, ITEM_INDEX);
}

export function closeList(): void {
  store<u32>(LAST, 0, LIST);
}
