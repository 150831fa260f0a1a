/** The output: a sequence of protobuf fields. */
import { varintSize } from "./bytes";
import * as L from "./layout";

/** The write position. */
export let out: usize = 0;
/** How far the output may be ahead of the input and still have room for all remaining strings. */
let lead: isize = 0;

/** The most bytes written between two checks for room, in addition to the input. */
const MARGIN = 128;

/** Begins at `start`; the input ends at `inputEnd`, and the output memory at `end`. */
export function beginOutput(start: usize, end: usize, inputEnd: usize): void {
  out = start;
  lead = <isize>(end - inputEnd) - MARGIN;
}

/** Continues after output that was written elsewhere. */
export function goOn(at: usize): void {
  out = at;
}

/** Reports whether all input from a position on, and `more` bytes, fit after the output. */
export function hasRoom(at: usize, more: usize): bool {
  return <isize>(out + more - at) < lead;
}

export function put(byte: u32): void {
  store<u8>(out++, byte);
}

/** Writes the tag of a field. */
export function tag(field: usize): void {
  store<u64>(out, load<u64>(field, L.FIELD_TAG));
  out += load<u32>(field, L.FIELD_TAG_LENGTH);
}

export function varint(value: u64): void {
  let rest = value;
  let at = out;
  while (rest > 127) {
    store<u8>(at++, (<u32>rest & 127) | 128);
    rest >>= 7;
  }
  store<u8>(at, <u32>rest);
  out = at + 1;
}

export function copied(from: usize, length: usize): void {
  memory.copy(out, from, length);
  out += length;
}

/**
 * Stores the length of the output since `start + guess` in `guess` bytes at `start`; returns how many bytes
 * it took.
 */
export function close(start: usize, guess: usize): usize {
  const length = out - start - guess;
  const size = varintSize(length);
  if (size !== guess) memory.copy(start + size, start + guess, length);
  out = start;
  varint(length);
  out += length;
  return size;
}
