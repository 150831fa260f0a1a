/**
 * A stack of keys that are deferred to the end of their object: unknown keys, and keys of messages that share
 * the object. Keys of nested objects are above the keys of the objects that contain them.
 */
import { byte, isDigit } from "./bytes";
import { same, wordAt, wordHash, wordLength } from "./words";

/**
 * The maximum number of deferred keys in an object, because each key is compared with all previous keys.
 * JavaScript handles objects with more keys.
 */
const MAX_WAITING: usize = 256;

export const ENTRY: usize = 32;
export const ENTRY_KEY: usize = 0;
export const ENTRY_LENGTH: usize = 4;
export const ENTRY_HASH: usize = 8;
export const ENTRY_VALUE: usize = 12;
export const ENTRY_FLAGS: usize = 16;
/** The row of the same key in another message that shares the object. */
export const ENTRY_HOLDER: usize = 20;
/**
 * Flags: the message itself has a field for the key; another message has read the key; a message that
 * contains this one has a field for the key.
 */
export const OWN: u32 = 1;
export const TAKEN: u32 = 2;
export const HELD: u32 = 4;
/** The key selects a member of a oneof, in one of the messages that share the object. */
export const CHOICE: u32 = 8;

/** The current top of the stack. */
export let waiting: usize = 0;
let waitingEnd: usize = 0;

export function useWaiting(from: usize, to: usize): void {
  waiting = from;
  waitingEnd = to;
}

/** Removes the keys from an entry upwards. */
export function forget(from: usize): void {
  waiting = from;
}

/**
 * Defers the last word, after the keys since `first`. Returns false for a duplicate key, or if the object has
 * too many deferred keys.
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

/** Marks a key as read, for all messages that share the object. */
export function take(entry: usize): void {
  for (let at = entry; at !== 0; at = load<u32>(at, ENTRY_HOLDER)) {
    store<u32>(at, load<u32>(at, ENTRY_FLAGS) | TAKEN, ENTRY_FLAGS);
  }
}

/** Reports whether the last word is an array index. JavaScript lists such keys before all others. */
export function isIndex(): bool {
  if (!isDigit(byte(wordAt))) return false;
  for (let i: usize = 0; i < wordLength; i++) if (!isDigit(byte(wordAt + i))) return false;
  return true;
}
