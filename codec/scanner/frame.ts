/**
 * The state of an object while it is read as a message. Each field, each oneof and each key that is only
 * inspected has a rank. The frame records which keys of a rank have arrived, and where the rank was written.
 * Frames form a stack.
 */
import { copyLoosely } from "./bytes";
import * as L from "./layout";
import { goOn, out } from "./output";
import { waiting } from "./waiting";

/** The size of the head of a frame. */
const HEAD: usize = 32;
const LAST_RANK: usize = 0;
const OUT_OF_ORDER: usize = 4;
const FIRST_WAITING: usize = 8;
/**
 * The offsets of two arrays: one bit for each written rank, and the start and length of the output of each
 * rank.
 */
const WRITTEN: usize = 12;
const SPANS: usize = 16;

/**
 * The state of a rank: one bit for each key that has arrived, above these bits the index of the key that was
 * used, counted from 1, and one bit that is set if the value of that key is null.
 */
const TAKEN_SHIFT: u32 = 24;
const TAKEN: u32 = 0x7f;
export const SEEN: u32 = 0xffffff;
export const NULL_TAKEN: u32 = 0x80000000;

/** The end of the frames of all objects in progress. */
export let frames: usize = 0;
let framesEnd: usize = 0;
/** Memory for sorting the fields of a message; as large as the output. */
export let scratch: usize = 0;

export function useFrames(from: usize, to: usize, room: usize): void {
  frames = from;
  framesEnd = to;
  scratch = room;
}

/** Creates a frame for a message. Returns 0 when out of memory. */
export function open(message: usize): usize {
  const ranks: usize = load<u32>(message, L.MESSAGE_RANKS);
  const frame = frames;
  const written = frame + HEAD + (ranks << 2);
  const spans = (written + (((ranks + 63) >> 6) << 3) + 15) & ~15;
  frames = (spans + (ranks << 3) + 15) & ~15;
  if (frames > framesEnd) return 0;
  for (let at = frame; at < spans; at += 16) v128.store(at, i64x2.splat(0));
  store<u32>(frame, waiting, FIRST_WAITING);
  store<u32>(frame, written, WRITTEN);
  store<u32>(frame, spans, SPANS);
  return frame;
}

/** Removes a frame and all frames after it. */
export function shut(frame: usize): void {
  frames = frame;
}

/** Returns the first deferred key of the object. */
export function firstWaiting(frame: usize): usize {
  return load<u32>(frame, FIRST_WAITING);
}

export function stateOf(frame: usize, rank: u32): u32 {
  return load<u32>(frame + HEAD + ((<usize>rank) << 2));
}

export function setState(frame: usize, rank: u32, state: u32): void {
  store<u32>(frame + HEAD + ((<usize>rank) << 2), state);
}

/** Returns the state of a rank once the key with this index has been used. */
export function takenAt(place: u32): u32 {
  return ((place + 1) << TAKEN_SHIFT) | (1 << place);
}

/** Returns the index of the key that was used, counted from 1; 0 if no key was used. */
export function placeOf(state: u32): u32 {
  return (state >> TAKEN_SHIFT) & TAKEN;
}

export function placeTaken(frame: usize, rank: u32): u32 {
  return placeOf(stateOf(frame, rank));
}

function spanOf(frame: usize, rank: u32): usize {
  return <usize>load<u32>(frame, SPANS) + ((<usize>rank) << 3);
}

/** Records where the value of an inspected key is. */
export function keepValue(frame: usize, rank: u32, at: usize): void {
  store<u32>(spanOf(frame, rank), at);
}

export function keptValue(frame: usize, rank: u32): usize {
  return load<u32>(spanOf(frame, rank));
}

/** Removes the output of a rank. */
export function unnote(frame: usize, rank: u32): void {
  store<u32>(spanOf(frame, rank), 0, 4);
  mixUp(frame);
}

/** Marks the fields as unsorted, so that they are sorted by rank. */
export function mixUp(frame: usize): void {
  store<u32>(frame, 1, OUT_OF_ORDER);
}

/** Records that the output since `start` is the value of a rank. */
export function note(frame: usize, rank: u32, start: usize): void {
  const span = spanOf(frame, rank);
  store<u32>(span, start);
  store<u32>(span, out - start, 4);
  const bits: usize = <usize>load<u32>(frame, WRITTEN) + ((<usize>(rank >> 6)) << 3);
  store<u64>(bits, load<u64>(bits) | ((<u64>1) << (<u64>(rank & 63))));
  store<u32>(frame, load<u32>(frame, OUT_OF_ORDER) | <u32>(load<u32>(frame, LAST_RANK) > rank), OUT_OF_ORDER);
  store<u32>(frame, rank, LAST_RANK);
}

/** Reports whether at most one field of each oneof was read. */
export function isOneAtMost(message: usize, frame: usize): bool {
  const oneofs = load<u32>(message, L.MESSAGE_ONEOF_COUNT);
  let at: usize = load<u32>(message, L.MESSAGE_ONEOFS);
  for (let i: u32 = 0; i < oneofs; i++) {
    let found = 0;
    const end = at + 4 + ((<usize>load<u32>(at)) << 2);
    for (at += 4; at < end; at += 4) if (placeTaken(frame, load<u32>(at)) !== 0) found++;
    if (found > 1) return false;
  }
  return true;
}

/**
 * Sorts the fields between `start` and `last` by rank if necessary. The output after `last` stays after the
 * sorted fields.
 */
export function putInOrder(message: usize, frame: usize, start: usize, last: usize): void {
  if (!load<u32>(frame, OUT_OF_ORDER)) return;
  let to = scratch;
  const spans: usize = load<u32>(frame, SPANS);
  const marks: usize = load<u32>(frame, WRITTEN);
  const words: usize = (<usize>load<u32>(message, L.MESSAGE_RANKS) + 63) >> 6;
  for (let word: usize = 0; word < words; word++) {
    for (let bits = load<u64>(marks + (word << 3)); bits !== 0; bits &= bits - 1) {
      const span = spans + (((word << 6) + <usize>ctz(bits)) << 3);
      const length: usize = load<u32>(span, 4);
      copyLoosely(to, load<u32>(span), length);
      to += length;
    }
  }
  const rest = out - last;
  if (rest > 0) {
    memory.copy(to, last, rest);
    to += rest;
  }
  const length = to - scratch;
  memory.copy(start, scratch, length);
  goOn(start + length);
}
