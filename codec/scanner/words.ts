/**
 * Reads words: keys and enum names, which are short strings. Words are looked up in hash
 * tables.
 */
import { BACKSLASH, byte, COLON, plainEnd, QUOTE, space, special } from "./bytes";
import { scratch } from "./frame";
import * as L from "./layout";
import { text, written } from "./text";

const MIX: u64 = 0x9e3779b97f4a7c15;
const MIX_HIGH: u64 = 0xc2b2ae3d27d4eb4f;
const MIX_SECOND: u64 = 0x165667b19e3779f9;
const MIX_LAST: u64 = 0x27d4eb2f165667c5;

/**
 * Masks for words of up to 32 bytes. In the block that begins n bytes before this address, the first n bytes
 * are set.
 */
const MASKS =
  memory.data<u8>([
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]) + 32;

/** The last word read. */
export let wordAt: usize = 0;
export let wordLength: usize = 0;
export let wordHash: u32 = 0;
/** The position of the value of the last key read. */
export let valueAt: usize = 0;

/**
 * Reads a word, starting after its opening quote. Returns the position after the closing quote, or 0 if the
 * word does not end, or contains a character that JSON always escapes.
 */
export function word(from: usize): usize {
  const mask = special(from);
  const length: usize = mask === 0 ? plainEnd(from + 16) - from : ctz(mask);
  const c = byte(from + length);
  if (c === BACKSLASH) return isResolved(from) ? word(from) : 0;
  if (c !== QUOTE) return 0;
  useWord(from, length, hash(from, length));
  return from + length + 1;
}

/**
 * Replaces the escapes of a word in the input, and adds white space after the closing quote, so that the
 * input has the same meaning. Returns false if the word contains a character that JSON always escapes.
 */
function isResolved(from: usize): bool {
  const end = text(from, scratch);
  if (end === 0) return false;
  const last = written;
  store<u8>(last, QUOTE);
  if (plainEnd(scratch) !== last) return false;
  const behind = from + (last - scratch) + 1;
  memory.copy(from, scratch, behind - from);
  memory.fill(behind, 0x20, end - behind);
  return true;
}

/**
 * Reads a key and its colon. Returns the position of the value; 0 if no key follows, or if `word`
 * fails.
 */
export function key(from: usize): usize {
  if (byte(from) !== QUOTE) return 0;
  const end = word(from + 1);
  if (end === 0) return 0;
  const at = space(end);
  return byte(at) === COLON ? space(at + 1) : 0;
}

/** Sets the last word. */
export function useWord(at: usize, length: usize, hashed: u32): void {
  wordAt = at;
  wordLength = length;
  wordHash = hashed;
}

/** Returns the hash of a word, computed 32 bytes at a time; never 0. */
export function hash(from: usize, length: usize): u32 {
  let h: u64 = <u64>length;
  let at = from;
  let rest = length;
  while (rest > 32) {
    h = mixed(h, v128.load(at), v128.load(at, 16));
    at += 32;
    rest -= 32;
  }
  return <u32>mixed(h, first(at, rest), second(at, rest)) | 1;
}

/**
 * Returns the first 16 bytes of a word of at most 32 bytes, padded with zeros. `second` returns the remaining
 * bytes.
 */
function first(at: usize, length: usize): v128 {
  return v128.and(v128.load(at), v128.load(MASKS - length));
}

function second(at: usize, length: usize): v128 {
  return v128.and(v128.load(at, 16), v128.load(MASKS - length, 16));
}

function mixed(h: u64, a: v128, b: v128): u64 {
  const low = ((h ^ v128.extract_lane<u64>(a, 0)) * MIX) ^ (v128.extract_lane<u64>(a, 1) * MIX_HIGH);
  const high = (v128.extract_lane<u64>(b, 0) * MIX_SECOND) ^ (v128.extract_lane<u64>(b, 1) * MIX_LAST);
  const sum = low ^ high;
  return sum ^ (sum >> 32);
}

/** Reports whether two ranges of bytes are equal. */
export function same(a: usize, b: usize, length: usize): bool {
  let i: usize = 0;
  let rest = length;
  while (rest > 32) {
    if (differ(v128.load(a + i), v128.load(a + i, 16), v128.load(b + i), v128.load(b + i, 16))) return false;
    i += 32;
    rest -= 32;
  }
  return !differ(first(a + i, rest), second(a + i, rest), first(b + i, rest), second(b + i, rest));
}

function differ(a: v128, aSecond: v128, b: v128, bSecond: v128): bool {
  return v128.any_true(v128.or(v128.xor(a, b), v128.xor(aSecond, bSecond)));
}

/** Reports whether the last word equals a string. */
export function isWord(text: usize, length: usize): bool {
  return wordLength === length && same(text, wordAt, length);
}

/** Returns the row of the last word in a hash table; 0 if the table does not contain the word. */
export function rowOf(rows: usize, mask: u32, size: usize): usize {
  let i = wordHash >> 4;
  while (true) {
    const row = rows + <usize>(i & mask) * size;
    const found = load<u32>(row, L.WORD_HASH);
    if (found === wordHash && isWord(load<u32>(row, L.WORD_TEXT), load<u32>(row, L.WORD_LENGTH))) return row;
    if (found === 0) return 0;
    i++;
  }
}

/**
 * Reads a key from its opening quote, and finds its row in the hash table of a message. Returns 0 if the
 * message has no field for the key. Sets `valueAt` to the position of the value, or to 0 if no key follows or
 * `word` fails.
 */
export function keyRow(message: usize, from: usize): usize {
  const at = from + 1;
  const a = v128.load(at);
  const b = v128.load(at, 16);
  const quotes = quotesIn(a) | (quotesIn(b) << 16);
  const length: usize = ctz(quotes);
  const rows: usize = load<u32>(message, L.MESSAGE_ROWS);
  const a1 = v128.and(a, v128.load(MASKS - length));
  const b1 = v128.and(b, v128.load(MASKS - length, 16));
  const hashed = <u32>mixed(length, a1, b1) | 1;
  const row = rows + ((<usize>((hashed >> 4) & load<u32>(message, L.MESSAGE_MASK))) << L.ROW_SHIFT);
  const text: usize = load<u32>(row, L.WORD_TEXT);
  if (
    quotes !== 0 &&
    byte(from) === QUOTE &&
    byte(at + length + 1) === COLON &&
    load<u32>(row, L.WORD_HASH) === hashed &&
    <usize>load<u32>(row, L.WORD_LENGTH) === length &&
    // the strings in the table contain no characters that JSON escapes
    !differ(a1, b1, v128.load(text), v128.load(text, 16))
  ) {
    useWord(at, length, hashed);
    valueAt = space(at + length + 2);
    return row;
  }
  valueAt = key(from);
  return valueAt === 0 ? 0 : rowOf(rows, load<u32>(message, L.MESSAGE_MASK), L.ROW_SIZE);
}

function quotesIn(block: v128): u32 {
  return i8x16.bitmask(i8x16.eq(block, i8x16.splat(0x22)));
}
