/**
 * Converts JSON to protobuf bytes in one pass, driven by tables (see layout.ts). The host reads unusual
 * values with the JavaScript decoder, if a report can name them. Anything else ends the pass, and the
 * JavaScript decoder then reads the response from its beginning.
 */
import { body, pageAt, pageEnd } from "./body";
import { space } from "./bytes";
import { useFrames } from "./frame";
import { beginHandover } from "./handover";
import { beginOutput, out } from "./output";
import { beginPlaces } from "./places";
import { beginReports, useReports } from "./report";
import { beginNumbers, hasLongExponent } from "./skip";
import { lastItem } from "./value";
import { useWaiting } from "./waiting";

export { cost, newKeys } from "./cost";
export { lastPlace } from "./places";
export { reportsLength, reportsStart } from "./report";
export { hash } from "./words";

/**
 * The start of the stacks: half of the memory is for objects in progress, half for deferred keys. The memory
 * for reports follows.
 */
let stack: usize = 0;
let stackEnd: usize = 0;
/** The start of the input. */
let first: usize = 0;

/** Sets the memory for the stacks, and the memory for reports from `to` to `end`. */
export function setUp(from: usize, to: usize, end: usize): void {
  stack = from;
  stackEnd = to;
  useReports(to, end);
}

/**
 * Reads `length` bytes of valid UTF-8, followed by 64 zeros, and writes protobuf to `output`. Returns the
 * number of bytes written; -1 if the JavaScript decoder must read the input.
 */
export function scan(
  input: usize,
  length: usize,
  root: usize,
  output: usize,
  end: usize,
  room: usize,
  withStatus: bool,
): i32 {
  const inputEnd = input + length;
  first = input;
  const middle = (stack + ((stackEnd - stack) >> 1)) & ~15;
  useFrames(stack, middle, room);
  useWaiting(middle, stackEnd);
  beginOutput(output, end, inputEnd);
  beginReports();
  beginPlaces();
  beginHandover(length);
  beginNumbers();
  const last = body(root, space(input), withStatus);
  return last !== 0 && space(last) === inputEnd ? <i32>(out - output) : -1;
}

/** Reports whether the input contains a number whose cost exceeds the usual cost of its bytes. */
export function hasCostlyNumber(): bool {
  return hasLongExponent;
}

/**
 * Returns the position of the last list item in the last page, relative to the input. If the list is empty,
 * returns the position of the list.
 */
export function listStart(): usize {
  return pageAt - first;
}

export function listEnd(): usize {
  return pageEnd - first;
}

export function lastItemStart(): usize {
  return lastItem - first;
}
