/**
 * One pass from JSON to protobuf bytes, driven by tables (see layout.ts). It knows what responses usually
 * are: whatever is unusual ends it, and the JavaScript decoder takes the response from its beginning.
 */
import { body, pageAt, pageEnd } from "./body";
import { space } from "./bytes";
import { useFrames } from "./frame";
import { beginOutput, out } from "./output";
import { beginPlaces } from "./places";
import { beginReports, useReports } from "./report";
import { lastItem } from "./value";
import { useWaiting } from "./waiting";

export { cost, newKeys } from "./cost";
export { lastPlace } from "./places";
export { reportsLength, reportsStart } from "./report";
export { hash } from "./words";

/** The stacks: half for objects that are open, half for keys that wait. Behind them is room for reports. */
let stack: usize = 0;
let stackEnd: usize = 0;
/** Where the input begins. */
let first: usize = 0;

/** Says where the stacks are, and behind them the room for reports, up to `end`. */
export function setUp(from: usize, to: usize, end: usize): void {
  stack = from;
  stackEnd = to;
  useReports(to, end);
}

/**
 * Reads `length` bytes of valid UTF-8, behind which there are 64 zeros, and writes to `output`. Returns how
 * many bytes were written; -1 where the JavaScript decoder has to read them.
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
  const last = body(root, space(input), withStatus);
  return last !== 0 && space(last) === inputEnd ? <i32>(out - output) : -1;
}

/**
 * Where the list of the page is that was scanned last, and its last item, if it has one;
 * counted from where the input begins.
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
