/**
 * Keys that no field names and no message collects: their positions, for the host to report. The host sorts
 * them into the order in which the decoder would have found them.
 */

/**
 * A step from a message to a nested one: the rank and the address of a field, and the index in a list; -1
 * outside of lists.
 */
const STEP: usize = 12;
const STEP_FIELD: usize = 4;
const STEP_INDEX: usize = 8;
/** The words before the steps of a report: the number of steps, the key, and its value. */
const HEAD: usize = 20;
/** Room for more steps than the nesting limit of messages. */
const PATH_BYTES: usize = 128 * STEP;

let path: usize = 0;
let top: usize = 0;
let first: usize = 0;
let next: usize = 0;
let end: usize = 0;
/** The number of enclosing values that the host cannot name. */
let hidden = 0;

/** Sets the memory of the path and the reports. */
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

/** Enters a message field, or a list of messages. */
export function enter(rank: u32, field: usize): void {
  store<u32>(top, rank);
  store<u32>(top, field, STEP_FIELD);
  store<i32>(top, -1, STEP_INDEX);
  top += STEP;
}

export function leave(): void {
  top -= STEP;
}

/** Enters an item of the current list, if a list was entered. */
export function item(index: i32): void {
  if (hidden === 0) store<i32>(top - STEP, index, STEP_INDEX);
}

/** Enters or leaves a value that the host cannot name. */
export function hide(): void {
  hidden++;
}

export function show(): void {
  hidden--;
}

/**
 * Reports whether the host can name the current value: a field of messages that are fields, or the whole
 * payload.
 */
export function isNamed(): bool {
  return hidden === 0 || (hidden === 1 && top === path);
}

/** Returns the number of fields entered. */
export function stepCount(): usize {
  return (top - path) / STEP;
}

export function hasReports(): bool {
  return next !== first;
}

/** Returns the size of the reports in bytes, and their address. */
export function reportsLength(): usize {
  return next - first;
}

export function reportsStart(): usize {
  return first;
}

/** Records a key; returns false if that is not possible. */
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
