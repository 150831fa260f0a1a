/** What has been written: fields of protobuf, one behind the other. */
import { varintSize } from "./bytes";
import * as L from "./layout";

/** Where writing goes on. */
export let out: usize = 0;
/** How far output may be in front of input, so that the rest fits, whatever strings it has. */
let lead: isize = 0;

/** Whatever is written between two questions for room, beside what the input has. */
const MARGIN = 128;

/** Begins at `start`; the input ends at `inputEnd`, and the room for output at `end`. */
export function beginOutput(start: usize, end: usize, inputEnd: usize): void {
  out = start;
  lead = <isize>(end - inputEnd) - MARGIN;
}

/** Goes on at another position: behind what has been written there. */
export function goOn(at: usize): void {
  out = at;
}

/** Whether all input from a position on fits behind what has been written, and `more` bytes. */
export function hasRoom(at: usize, more: usize): bool {
  return <isize>(out + more - at) < lead;
}

export function put(byte: u32): void {
  store<u8>(out++, byte);
}

/** Writes a field's tag. */
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
 * Puts the length of what was written since `start + guess` into `guess` bytes at `start`;
 * returns how many it took.
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
