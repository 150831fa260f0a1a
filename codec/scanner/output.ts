/** The output of the scanner: a sequence of protobuf fields. */
import { varintSize } from "./bytes";
import * as L from "./layout";

/** The write position. */
export let out: usize = 0;
/** How far the output may be ahead of the input and still have room for all remaining strings. */
let lead: isize = 0;

/**
 * The maximum number of bytes written between two checks for room, in addition to the length of the input.
 */
const MARGIN = 128;

/** Starts the output at `start`. The input ends at `inputEnd`, and the memory for output at `end`. */
export function beginOutput(start: usize, end: usize, inputEnd: usize): void {
  out = start;
  lead = <isize>(end - inputEnd) - MARGIN;
}

/** Continues the output after bytes that another function has written. */
export function goOn(at: usize): void {
  out = at;
}

/** Reports whether the input from a position on, plus `more` bytes, fits into the remaining output memory. */
export function hasRoom(at: usize, more: usize): bool {
  return <isize>(out + more - at) < lead;
}

/** Returns how many bytes may be written before the input from a position on has no room. */
export function roomFrom(at: usize): isize {
  return lead - <isize>(out - at);
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
 * Stores the length of the output since `start + guess` at `start`, where `guess` bytes are reserved. Returns
 * how many bytes the length took.
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
