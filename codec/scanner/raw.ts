/**
 * Copies JSON the way JSON.stringify writes it: without white space, with only the necessary escapes, and
 * with unchanged numbers.
 */
import { byte, CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, space } from "./bytes";
import { copied, goOn, hasRoom, out, put } from "./output";
import { skip } from "./skip";
import { rawText, written } from "./text";
import { forget, isIndex, remember, waiting } from "./waiting";
import { key, wordAt, wordLength } from "./words";

/** The maximum nesting depth. JavaScript handles deeper values. */
const MAX_DEPTH = 100;

/** Copies a value; returns the position after it, or 0. */
export function raw(at: usize): usize {
  return rawBelow(at, 0);
}

function rawBelow(at: usize, level: i32): usize {
  if (level > MAX_DEPTH || !hasRoom(at, 0)) return 0;
  const c = byte(at);
  if (c === QUOTE) {
    const end = rawText(at + 1, out);
    goOn(written);
    return end;
  }
  if (c === OPEN_BRACE) return rawObject(at, level + 1);
  if (c === OPEN_BRACKET) return rawArray(at, level + 1);
  const end = skip(at);
  if (end === 0 || !hasRoom(at, end - at)) return 0;
  copied(at, end - at);
  return end;
}

function rawArray(from: usize, level: i32): usize {
  put(OPEN_BRACKET);
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) {
    put(CLOSE_BRACKET);
    return at + 1;
  }
  while (true) {
    at = rawBelow(at, level);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at++);
    put(c);
    if (c === CLOSE_BRACKET) return at;
    if (c !== COMMA) return 0;
    at = space(at);
  }
}

function rawObject(from: usize, level: i32): usize {
  const first = waiting;
  put(OPEN_BRACE);
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) {
    put(CLOSE_BRACE);
    return at + 1;
  }
  while (true) {
    at = rawKey(at, first);
    if (at === 0) return 0;
    at = rawBelow(at, level);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at++);
    put(c);
    if (c === CLOSE_BRACE) {
      forget(first);
      return at;
    }
    if (c !== COMMA) return 0;
    at = space(at);
  }
}

/**
 * Copies a key and its colon. Returns the position of the value, or 0 if the key equals a key copied since
 * `first`.
 */
function rawKey(from: usize, first: usize): usize {
  const at = key(from);
  if (at === 0 || isIndex() || !remember(first, at, 0, 0) || !hasRoom(at, wordLength)) return 0;
  put(QUOTE);
  copied(wordAt, wordLength);
  store<u16>(out, 0x3a22);
  goOn(out + 2);
  return at;
}
