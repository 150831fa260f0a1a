/**
 * Reads google.protobuf.Value, Struct and ListValue, and map keys. Each function returns the position after
 * its input, or 0 on failure.
 */
import {
  ALSE,
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  isDigit,
  MINUS,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  space,
  TRUE,
} from "./bytes";
import { ascend, descend } from "./depth";
import * as L from "./layout";
import { double } from "./number";
import { close, copied, goOn, hasRoom, out, put, varint } from "./output";
import { floating, string } from "./scalar";
import { forget, isIndex, remember, waiting } from "./waiting";
import { key, wordAt, wordLength } from "./words";

/**
 * The largest integer that a double represents exactly. Larger integers become strings, which is reported as
 * a difference.
 */
const MAX_SAFE: f64 = 9007199254740991;

/** Writes a Value, Struct or ListValue, after its tag. */
export function dynamicField(kind: u32, at: usize): usize {
  if (!descend()) return 0;
  const start = out;
  goOn(start + 1);
  const end = kind === L.KIND_VALUE ? dynamic(at) : kind === L.KIND_STRUCT ? struct(at) : items(at);
  if (end === 0) return 0;
  close(start, 1);
  ascend();
  return end;
}

function dynamic(at: usize): usize {
  if (!hasRoom(at, 0)) return 0;
  const c = byte(at);
  switch (c) {
    case QUOTE:
      put(0x1a);
      return string(at + 1);
    case OPEN_BRACE:
      put(0x2a);
      return dynamicField(L.KIND_STRUCT, at);
    case OPEN_BRACKET:
      put(0x32);
      return dynamicField(L.KIND_LIST_VALUE, at);
    case 0x6e:
      return load<u32>(at) === NULL ? constant(0x0008, at + 4) : 0;
    case 0x74:
      return load<u32>(at) === TRUE ? constant(0x0120, at + 4) : 0;
    case 0x66:
      return load<u32>(at + 1) === ALSE ? constant(0x0020, at + 5) : 0;
    default:
      return heldNumber(at);
  }
}

function constant(field: u16, end: usize): usize {
  store<u16>(out, field);
  goOn(out + 2);
  return end;
}

function heldNumber(at: usize): usize {
  put(0x11);
  const end = floating(false, at);
  return end !== 0 && (Math.abs(double) <= MAX_SAFE || !areDigits(at, end)) ? end : 0;
}

/** Reports whether a number contains only digits and a sign. */
function areDigits(from: usize, end: usize): bool {
  let at = byte(from) === MINUS ? from + 1 : from;
  while (isDigit(byte(at))) at++;
  return at === end;
}

function items(from: usize): usize {
  if (byte(from) !== OPEN_BRACKET) return 0;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return at + 1;
  while (true) {
    put(0x0a);
    at = dynamicField(L.KIND_VALUE, at);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at++);
    if (c === CLOSE_BRACKET) return at;
    if (c !== COMMA) return 0;
    at = space(at);
  }
}

function struct(from: usize): usize {
  if (byte(from) !== OPEN_BRACE || !descend()) return 0;
  const first = waiting;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) {
    ascend();
    return at + 1;
  }
  while (true) {
    put(0x0a);
    const start = out;
    at = entryKey(at, first);
    if (at === 0) return 0;
    put(0x12);
    at = dynamicField(L.KIND_VALUE, at);
    if (at === 0) return 0;
    close(start, 1);
    at = space(at);
    const c = byte(at++);
    if (c === CLOSE_BRACE) break;
    if (c !== COMMA) return 0;
    at = space(at);
  }
  forget(first);
  ascend();
  return at;
}

/**
 * Writes the key of a map entry, after one byte for the length of the entry. Returns the position of the
 * value, or 0 if the key is invalid or equals a key written since `first`.
 */
export function entryKey(from: usize, first: usize): usize {
  const at = key(from);
  if (at === 0 || isIndex() || !remember(first, at, 0, 0) || !hasRoom(at, wordLength)) return 0;
  goOn(out + 1);
  put(0x0a);
  varint(wordLength);
  copied(wordAt, wordLength);
  return at;
}
