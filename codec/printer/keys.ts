/**
 * The object keys printed so far. Keys are compared with their quotes, because no quoted key is a prefix of
 * another quoted key.
 */
import { drop, ENTRY, height, push } from "./stack";

/**
 * The maximum number of keys in a map. The host splits larger maps, because each key is compared with all
 * previous keys.
 */
const MAX_KEYS: usize = 256;
const MIX: u64 = 0x9e3779b97f4a7c15;

/** Records a key of the object whose keys start at `first`. Traps if the object already has the key. */
export function remember(from: usize, to: usize, first: usize): void {
  const keyHash = hash(from, to);
  const behind = height();
  if (behind - first >= MAX_KEYS * ENTRY) unreachable();
  for (let at = first; at < behind; at += ENTRY) {
    if (load<u32>(at) === keyHash && memory.compare(load<u32>(at, 4), from, to - from) === 0) unreachable();
  }
  push(keyHash, from);
}

/** Removes the keys of the object whose keys start at `first`. */
export function forget(first: usize): void {
  drop(first);
}

function hash(from: usize, to: usize): u32 {
  let mixed: u64 = MIX;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    mixed = (mixed ^ load<u64>(at)) * MIX;
    mixed ^= mixed >> 32;
  }
  for (; at < to; at++) mixed = (mixed ^ load<u8>(at)) * MIX;
  return <u32>(mixed ^ (mixed >> 32));
}
