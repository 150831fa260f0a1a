/**
 * Hands single values over to the host, which reads them with the JavaScript decoder. The scanner continues
 * after the value.
 */
import { depth, setDepth } from "./depth";
import { frames, shut } from "./frame";
import * as L from "./layout";
import { goOn, out, roomFrom } from "./output";
import { closeList, isListOpen } from "./places";
import { hidden, itemIndex, next, reportHandedOver, returnTo, top } from "./report";
import { skip } from "./skip";
import { unnamed, value } from "./value";
import { forget, waiting } from "./waiting";

/**
 * Writes a value as a field at `to`. Returns twice the number of bytes written, which is less than `room`,
 * plus 1 if there are differences. Returns a negative number if the decoder must read the whole input.
 */
declare function hostValue(field: usize, from: usize, end: usize, to: usize, room: usize, depth: i32): i32;

/**
 * How much the host may still read: a number of bytes, where each value counts as some more bytes. Beyond
 * this limit, the decoder would read the whole input faster, and can pause.
 */
let left: isize = 0;
const MIN_LEFT: isize = 16 * 1024;
const BYTES_PER_VALUE: isize = 256;
/** The number of values with differences that the host has read. */
let count: u32 = 0;

export function beginHandover(length: usize): void {
  left = MIN_LEFT + <isize>(length >> 2);
  count = 0;
}

/**
 * Reads a value, or hands it over. The current path leads to the value.
 *
 * @param isNamed whether reports can name the keys inside the value
 */
export function valueOrHandOver(field: usize, at: usize, isNamed: bool): usize {
  if (hidden !== 0) return isNamed ? value(field, at) : unnamed(field, at);
  const start = out;
  const frame = frames;
  const keys = waiting;
  const level = depth;
  const step = top;
  const index = itemIndex();
  const reports = next;
  const isInList = isListOpen();
  const end = isNamed ? value(field, at) : unnamed(field, at);
  if (end !== 0 || !isHandedOver(field)) return end;
  goOn(start);
  shut(frame);
  forget(keys);
  setDepth(level);
  returnTo(step, index, reports);
  const last = handOver(field, at);
  // a window that ends within the list continues there
  if (last !== 0 && !isInList) closeList();
  return last;
}

/** Hands a value over. The current path leads to the value. Returns the position after the value, or 0. */
export function handOver(field: usize, at: usize): usize {
  if (!isHandedOver(field)) return 0;
  const end = skip(at);
  left -= <isize>(end - at) + BYTES_PER_VALUE;
  const room = end === 0 || left < 0 ? 0 : roomFrom(end);
  const result = room > 0 ? hostValue(field, at, end, out, room, depth) : -1;
  if (result < 0 || (result & 1 && !reportHandedOver(count++))) {
    // the decoder reads the whole input, so the values around this value are not tried
    left = 0;
    return 0;
  }
  goOn(out + (result >> 1));
  return end;
}

function isHandedOver(field: usize): bool {
  return left > 0 && (load<u32>(field, L.FIELD_FLAGS) & L.FIELD_HANDED) !== 0;
}
