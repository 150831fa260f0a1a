/**
 * Keys that no field names and no message collects: where they are, for the host to report. The host puts
 * them into the order in which the decoder would have found them.
 */

/**
 * A step from a message to one in it: the rank and the address of a field, and the index in a list;
 * -1 without a list.
 */
const STEP: usize = 12;
const STEP_FIELD: usize = 4;
const STEP_INDEX: usize = 8;
/** Before the steps of a report: how many there are, the key, and its value. */
const HEAD: usize = 20;
/** More steps than a message may be deep. */
const PATH_BYTES: usize = 128 * STEP;

let path: usize = 0;
let top: usize = 0;
let first: usize = 0;
let next: usize = 0;
let end: usize = 0;
/** How many values are around that the host cannot name. */
let hidden = 0;

/** Says where the path and the reports are kept. */
export function useReports(from: usize, to: usize): void {
  path = from;
  first = from + PATH_BYTES;
  end = to;
}

export function beginReports(): void {
  top = path;
  next = first;
  hidden = 0;
}

/** Goes into a field with a message, or a list of such. */
export function enter(rank: u32, field: usize): void {
  store<u32>(top, rank);
  store<u32>(top, field, STEP_FIELD);
  store<i32>(top, -1, STEP_INDEX);
  top += STEP;
}

export function leave(): void {
  top -= STEP;
}

/** Goes to an item of the list that was entered, if it was. */
export function item(index: i32): void {
  if (hidden === 0) store<i32>(top - STEP, index, STEP_INDEX);
}

/** Goes into, and out of, what the host cannot name. */
export function hide(): void {
  hidden++;
}

export function show(): void {
  hidden--;
}

/** Whether the host can name what is read: a field of messages that are fields, or all of the payload. */
export function isNamed(): bool {
  return hidden === 0 || (hidden === 1 && top === path);
}

/** How many fields were entered. */
export function stepCount(): usize {
  return (top - path) / STEP;
}

export function hasReports(): bool {
  return next !== first;
}

/** How many bytes of reports there are, and where. */
export function reportsLength(): usize {
  return next - first;
}

export function reportsStart(): usize {
  return first;
}

/** Notes a key; false where it cannot be. */
export function report(keyAt: usize, keyLength: usize, valueAt: usize, valueEnd: usize): bool {
  const length = top - path;
  if (hidden !== 0 || next + HEAD + length > end) return false;
  store<u32>(next, length / STEP);
  store<u32>(next, keyAt, 4);
  store<u32>(next, keyLength, 8);
  store<u32>(next, valueAt, 12);
  store<u32>(next, valueEnd, 16);
  memory.copy(next + HEAD, path, length);
  next += HEAD + length;
  return true;
}
