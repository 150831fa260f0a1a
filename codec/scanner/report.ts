/**
 * Records the positions of values that differ from the declaration, for the host to report: keys that no
 * field reads and no message collects, and converted values. The host sorts the reports into the order in
 * which the decoder would find the differences.
 */

/**
 * A step from a message to a nested message: the rank and the address of a field, and the index in a list; -1
 * outside of lists.
 */
const STEP: usize = 12;
const STEP_FIELD: usize = 4;
const STEP_INDEX: usize = 8;
/**
 * The words before the steps of a report: the number of steps, what is reported, the position of the key, and
 * the position of its value.
 */
const HEAD: usize = 24;
const UNKNOWN_KEY: u32 = 0;
/** The last step is a field or list item whose value was converted to its type. */
const CONVERTED: u32 = 1;
/** The host has read the value of the last step, and knows the differences. */
const HANDED_OVER: u32 = 2;
/** The memory for the current path. It has room for more steps than messages can be nested. */
const PATH_BYTES: usize = 128 * STEP;

let path: usize = 0;
export let top: usize = 0;
let first: usize = 0;
export let next: usize = 0;
let end: usize = 0;
/** The number of enclosing values that the host cannot name in a report. */
export let hidden = 0;

/** Sets the memory for the current path and the reports. */
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

/** Enters a message field or a list of messages. */
export function enter(rank: u32, field: usize): void {
  store<u32>(top, rank);
  store<u32>(top, field, STEP_FIELD);
  store<i32>(top, -1, STEP_INDEX);
  top += STEP;
}

export function leave(): void {
  top -= STEP;
}

/** Enters a list item, if the current step is a list. */
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
 * Reports whether the host can name the current value: all enclosing values are fields with messages, or the
 * whole payload.
 */
export function isNamed(): bool {
  return hidden === 0 || (hidden === 1 && top === path);
}

/** Returns the number of steps in the current path. */
export function stepCount(): usize {
  return (top - path) / STEP;
}

/** Continues with an earlier path and earlier reports, after a value that could not be read. */
export function returnTo(pathEnd: usize, index: i32, reportsEnd: usize): void {
  top = pathEnd;
  next = reportsEnd;
  hidden = 0;
  item(index);
}

/** Returns the index in the last step; -1 outside of lists. */
export function itemIndex(): i32 {
  return load<i32>(top - STEP, STEP_INDEX);
}

export function hasReports(): bool {
  return next !== first;
}

/** Returns the size of the reports in bytes. `reportsStart` returns their address. */
export function reportsLength(): usize {
  return next - first;
}

export function reportsStart(): usize {
  return first;
}

/** Records an unknown key. Returns false if that is not possible. */
export function report(keyAt: usize, keyLength: usize, valueAt: usize, valueEnd: usize): bool {
  return add(UNKNOWN_KEY, keyAt, keyLength, valueAt, valueEnd);
}

/** Records that the value of the last step was converted. Returns false if that is not possible. */
export function reportConverted(valueAt: usize, valueEnd: usize): bool {
  return add(CONVERTED, 0, 0, valueAt, valueEnd);
}

/**
 * Records that the host has read the value of the last step. Returns false if that is not possible.
 *
 * @param index the number of values with differences that the host had read before
 */
export function reportHandedOver(index: u32): bool {
  return add(HANDED_OVER, index, 0, 0, 0);
}

function add(what: u32, keyAt: usize, keyLength: usize, valueAt: usize, valueEnd: usize): bool {
  const length = top - path;
  if (hidden !== 0 || next + HEAD + length > end) return false;
  store<u32>(next, length / STEP);
  store<u32>(next, what, 4);
  store<u32>(next, keyAt, 8);
  store<u32>(next, keyLength, 12);
  store<u32>(next, valueAt, 16);
  store<u32>(next, valueEnd, 20);
  memory.copy(next + HEAD, path, length);
  next += HEAD + length;
  return true;
}
