/**
 * Keys deferred to the end of their object: keys that no field names, and keys of messages that share the
 * object. They are on a stack, the keys of nested objects after the keys of outer ones.
 */
import { byte, isDigit } from "./bytes";
import { same, wordAt, wordHash, wordLength } from "./words";

/** Objects with more deferred keys are left to JavaScript: each key is compared with all previous ones. */
const MAX_WAITING: usize = 256;

export const ENTRY: usize = 32;
export const ENTRY_KEY: usize = 0;
export const ENTRY_LENGTH: usize = 4;
export const ENTRY_HASH: usize = 8;
export const ENTRY_VALUE: usize = 12;
export const ENTRY_FLAGS: usize = 16;
/** The same key in another message of the object. */
export const ENTRY_HOLDER: usize = 20;
/**
 * The message itself knows the key; another message has read the key; a message that contains this one
 * knows the key.
 */
export const OWN: u32 = 1;
export const TAKEN: u32 = 2;
export const HELD: u32 = 4;
/** A oneof is selected by the key, which only the messages that share the object may know. */
export const CHOICE: u32 = 8;

/** The current end of the stack. */
export let waiting: usize = 0;
let waitingEnd: usize = 0;

export function useWaiting(from: usize, to: usize): void {
  waiting = from;
  waitingEnd = to;
}

/** Forgets the keys from here on. */
export function forget(from: usize): void {
  waiting = from;
}

/**
 * Defers the last word after the keys since `first`; returns false for a duplicate, and beyond the limit.
 */
export function remember(first: usize, valueAt: usize, flags: u32, holder: usize): bool {
  if (waiting - first >= MAX_WAITING * ENTRY || waiting + ENTRY > waitingEnd) return false;
  for (let entry = first; entry < waiting; entry += ENTRY) {
    if (load<u32>(entry, ENTRY_HASH) === wordHash && isKey(entry)) return false;
  }
  const entry = waiting;
  store<u32>(entry, wordAt, ENTRY_KEY);
  store<u32>(entry, wordLength, ENTRY_LENGTH);
  store<u32>(entry, wordHash, ENTRY_HASH);
  store<u32>(entry, valueAt, ENTRY_VALUE);
  store<u32>(entry, flags, ENTRY_FLAGS);
  store<u32>(entry, holder, ENTRY_HOLDER);
  waiting += ENTRY;
  return true;
}

function isKey(entry: usize): bool {
  return (
    <usize>load<u32>(entry, ENTRY_LENGTH) === wordLength &&
    same(load<u32>(entry, ENTRY_KEY), wordAt, wordLength)
  );
}

/** Marks a key as read, also for the messages that share the object. */
export function take(entry: usize): void {
  for (let at = entry; at !== 0; at = load<u32>(at, ENTRY_HOLDER)) {
    store<u32>(at, load<u32>(at, ENTRY_FLAGS) | TAKEN, ENTRY_FLAGS);
  }
}

/** Reports whether the word is an array index: JavaScript moves such keys before all others. */
export function isIndex(): bool {
  if (!isDigit(byte(wordAt))) return false;
  for (let i: usize = 0; i < wordLength; i++) if (!isDigit(byte(wordAt + i))) return false;
  return true;
}
