/**
 * One pass from JSON to protobuf bytes, driven by tables (see layout.ts). It knows what responses usually are: whatever is
 * unusual ends it, and the JavaScript decoder takes the response from its beginning.
 *
 * Fields are written as their keys come. Where that is not their order in the message, they are put in order once the
 * object has ended. What depends on a key that may come later waits until then: keys that no field knows, and those of
 * messages that share the object.
 */
import {
  ALSE,
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  copyLoosely,
  hash,
  isDigit,
  MINUS,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  plainEnd,
  QUOTE,
  same,
  space,
  TRUE,
  varintSize,
} from "./bytes";
import * as L from "./layout";
import { double, integer, integerOrText, magnitude, negative, number } from "./number";
import { beginPlaces, closeList, openList, place } from "./places";
import { beginReports, enter, hasReports, hide, item, leave, report, show, useReports } from "./report";
import { skip, skipNumber } from "./skip";
import { rawText, text, written } from "./text";
import { count, iso, nanos, seconds } from "./time";

export { hash } from "./bytes";
export { cost, newKeys } from "./cost";
export { lastPlace } from "./places";
export { reportsLength, reportsStart } from "./report";

/** What protobuf-es reads, and the JavaScript decoder writes. */
const MAX_DEPTH = 100;
/** Objects with more keys that are not known are left to JavaScript: each is compared with those before. */
const MAX_PENDING: usize = 256;

/** Where reading and writing are. */
let p: usize = 0;
let q: usize = 0;
let inputEnd: usize = 0;
let outputEnd: usize = 0;
/** Room in which the fields of a message are put in order. */
let scratch: usize = 0;
let depth = 0;
let isPayloadFound = false;
let checksStatus = false;

/** The frames of objects, and the keys that wait; both grow with the depth. */
let frames: usize = 0;
let framesEnd: usize = 0;
let waiting: usize = 0;
let waitingEnd: usize = 0;

/** The key that was read last. */
let keyAt: usize = 0;
let keyLength: usize = 0;
let keyHash: u32 = 0;

/** A field 2 of type google.protobuf.Value, as entries of google.protobuf.Struct have. */
let valueField: usize = 0;

const EMPTY_OBJECT = memory.data<u8>([
  0x7b, 0x7d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** A frame: its head, a span for each rank, and a bit for each that was written. */
const HEAD: usize = 16;
const LAST_RANK: usize = 0;
const OUT_OF_ORDER: usize = 4;
const FIRST_WAITING: usize = 8;
/** Where the bits are. */
const WRITTEN: usize = 12;
const SPAN: usize = 16;
const SPAN_START: usize = 0;
const SPAN_LENGTH: usize = 4;
/** The place of the key that was taken, counted from 1. */
const SPAN_TAKEN: usize = 8;
/** A bit for each key of the field that has come. */
const SPAN_SEEN: usize = 12;

/** A key that waits. */
const ENTRY: usize = 32;
const ENTRY_KEY: usize = 0;
const ENTRY_LENGTH: usize = 4;
const ENTRY_HASH: usize = 8;
const ENTRY_VALUE: usize = 12;
const ENTRY_FLAGS: usize = 16;
/** The same key in the object's other message. */
const ENTRY_HOLDER: usize = 20;
/** The message itself knows the key; it was read by another message; a message that holds this one knows it. */
const OWN: u32 = 1;
const TAKEN: u32 = 2;
const HELD: u32 = 4;
/** A oneof is chosen by the key, which may be known to the messages alone that share the object. */
const CHOICE: u32 = 8;

/** Says where the stacks and constants are; behind the stacks there is room for reports, up to their end. */
export function setUp(stack: usize, stackEnd: usize, end: usize, structValue: usize): void {
  const middle = (stack + ((stackEnd - stack) >> 1)) & ~15;
  frames = stack;
  framesEnd = middle;
  waiting = middle;
  waitingEnd = stackEnd;
  valueField = structValue;
  useReports(stackEnd, end);
}

/**
 * Reads `length` bytes of valid UTF-8, behind which there are 32 zeros, and writes to `output`. Returns how many bytes were
 * written; -1 where the JavaScript decoder has to read them.
 */
export function scan(
  input: usize,
  length: usize,
  root: usize,
  output: usize,
  end: usize,
  room: usize,
  withStatus: bool,
): i32 {
  p = input;
  inputEnd = input + length;
  q = output;
  outputEnd = end;
  scratch = room;
  depth = 0;
  isPayloadFound = false;
  checksStatus = withStatus;
  beginReports();
  beginPlaces();
  const stack = frames;
  const keys = waiting;
  p = space(p);
  const isRead = value(root) && space(p) === inputEnd && isPayloadFound;
  frames = stack;
  waiting = keys;
  return isRead ? <i32>(q - output) : -1;
}

function varint(value: u64): void {
  let rest = value;
  while (rest > 127) {
    store<u8>(q++, (<u32>rest & 127) | 128);
    rest >>= 7;
  }
  store<u8>(q++, <u32>rest);
}

function tag(value: u32): void {
  if (value < 128) {
    store<u8>(q++, value);
  } else {
    varint(value);
  }
}

/** Puts the length of what was written since `start + guess` into `guess` bytes at `start`. */
function close(start: usize, guess: usize): usize {
  const length = q - start - guess;
  const size = varintSize(length);
  if (size !== guess) memory.copy(start + size, start + guess, length);
  q = start;
  varint(length);
  q += length;
  return size;
}

/** Reads a key with its colon, and what space there is behind it. */
function key(): bool {
  if (byte(p) !== QUOTE) return false;
  keyAt = p + 1;
  const end = plainEnd(keyAt);
  // a key with an escape is for JavaScript
  if (byte(end) !== QUOTE) return false;
  keyLength = end - keyAt;
  keyHash = hash(keyAt, keyLength);
  p = space(end + 1);
  if (byte(p) !== COLON) return false;
  p = space(p + 1);
  return true;
}

/** The row of the key in the table of a message; 0 where it does not know it. */
function rowOf(message: usize): usize {
  const mask: u32 = load<u32>(message, L.MESSAGE_MASK);
  const rows: usize = load<u32>(message, L.MESSAGE_ROWS);
  let i = keyHash >> 4;
  while (true) {
    i &= mask;
    const row = rows + <usize>i * L.ROW_SIZE;
    const found = load<u32>(row, L.ROW_HASH);
    if (found === 0) return 0;
    if (
      found === keyHash &&
      <usize>load<u32>(row, L.ROW_LENGTH) === keyLength &&
      same(load<u32>(row, L.ROW_KEY), keyAt, keyLength)
    ) {
      return row;
    }
    i++;
  }
}

/**
 * Reads a key and finds its row; 0 for one that the message does not know, and `p` is 0 for what is no key. Most objects
 * have their keys in the order of others: what came there last is tried first.
 */
function nextRow(message: usize, place: usize): usize {
  const row: usize = load<u32>(place);
  if (row !== 0 && isKey(row)) return row;
  if (!key()) {
    p = 0;
    return 0;
  }
  const found = rowOf(message);
  if (found !== 0) store<u32>(place, found);
  return found;
}

/** Reads the key of a row, if it is the one that is there: it has no character that JSON would escape. */
function isKey(row: usize): bool {
  const at = p + 1;
  const length: usize = load<u32>(row, L.ROW_LENGTH);
  const end = at + length;
  if (byte(p) !== QUOTE || byte(end) !== QUOTE || !same(load<u32>(row, L.ROW_KEY), at, length)) return false;
  const colon = space(end + 1);
  if (byte(colon) !== COLON) return false;
  keyAt = at;
  keyLength = length;
  keyHash = load<u32>(row, L.ROW_HASH);
  p = space(colon + 1);
  return true;
}

/** JavaScript puts keys that are array indices in front of all others. */
function isIndex(): bool {
  if (!isDigit(byte(keyAt))) return false;
  for (let i: usize = 0; i < keyLength; i++) if (!isDigit(byte(keyAt + i))) return false;
  return true;
}

/** Adds the key to those that wait; 0 for one that is there already, and where there are too many. */
function remember(first: usize, flags: u32, holder: usize): usize {
  if (waiting - first >= MAX_PENDING * ENTRY || waiting + ENTRY > waitingEnd) return 0;
  for (let entry = first; entry < waiting; entry += ENTRY) {
    if (
      load<u32>(entry, ENTRY_HASH) === keyHash &&
      <usize>load<u32>(entry, ENTRY_LENGTH) === keyLength &&
      same(load<u32>(entry, ENTRY_KEY), keyAt, keyLength)
    ) {
      return 0;
    }
  }
  const entry = waiting;
  store<u32>(entry, keyAt, ENTRY_KEY);
  store<u32>(entry, keyLength, ENTRY_LENGTH);
  store<u32>(entry, keyHash, ENTRY_HASH);
  store<u32>(entry, p, ENTRY_VALUE);
  store<u32>(entry, flags, ENTRY_FLAGS);
  store<u32>(entry, holder, ENTRY_HOLDER);
  waiting += ENTRY;
  return entry;
}

/** Marks a key as read, also for the messages that share the object. */
function take(entry: usize): void {
  for (let at = entry; at !== 0; at = load<u32>(at, ENTRY_HOLDER)) {
    store<u32>(at, load<u32>(at, ENTRY_FLAGS) | TAKEN, ENTRY_FLAGS);
  }
}

function skipped(): bool {
  p = skip(p);
  return p !== 0;
}

// objects

/** Makes a frame for a message; 0 where there is no room. */
function open(message: usize): usize {
  const ranks: usize = load<u32>(message, L.MESSAGE_RANKS);
  const frame = frames;
  const size = HEAD + ranks * SPAN + (((ranks + 63) >> 6) << 3);
  frames += (size + 15) & ~15;
  if (frames > framesEnd) return 0;
  memory.fill(frame, 0, size);
  store<u32>(frame, waiting, FIRST_WAITING);
  store<u32>(frame, frame + HEAD + ranks * SPAN, WRITTEN);
  return frame;
}

/** Reads an object as a message, without a tag and a length. */
function object(message: usize): bool {
  const start = q;
  const keys = waiting;
  const frame = open(message);
  if (frame === 0) return false;
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACE) {
    p++;
  } else {
    let place = message + L.MESSAGE_FIRST;
    while (true) {
      const row = nextRow(message, place);
      if (p === 0 || !member(message, frame, row)) return false;
      if (row !== 0) place = row + L.ROW_NEXT;
      p = space(p);
      const c = byte(p++);
      if (c === CLOSE_BRACE) break;
      if (c !== COMMA) return false;
      p = space(p);
    }
  }
  const end = p;
  if (!finish(message, frame, start, false)) return false;
  p = end;
  frames = frame;
  waiting = keys;
  return true;
}

/** Reads the value of the key. */
function member(message: usize, frame: usize, row: usize): bool {
  if (row === 0) return unknown(message, frame);
  if (load<u32>(row, L.ROW_FLAGS) & L.ROW_SHARED) {
    const rowFlags = load<u32>(row, L.ROW_FLAGS);
    const flags = (rowFlags & L.ROW_OWN ? OWN : 0) | (rowFlags & L.ROW_CHOICE ? CHOICE : 0);
    if (remember(load<u32>(frame, FIRST_WAITING), flags, 0) === 0) return false;
  }
  return targets(message, frame, row);
}

/**
 * A key that the message does not know: it is reported where nobody collects such keys, and waits for the end of the object
 * otherwise.
 */
function unknown(message: usize, frame: usize): bool {
  const collector = load<u32>(message, L.MESSAGE_COLLECTOR);
  if (collector !== L.COLLECTOR_IGNORE) {
    if (collector === L.COLLECTOR_NONE && !load<u32>(message, L.MESSAGE_SHARED)) return surplus(frame);
    if (collector === L.COLLECTOR_LEFT) return false;
    if (isIndex() || remember(load<u32>(frame, FIRST_WAITING), 0, 0) === 0) return false;
  }
  return skipped();
}

function surplus(frame: usize): bool {
  const at = p;
  if (isIndex() || remember(load<u32>(frame, FIRST_WAITING), TAKEN, 0) === 0 || !skipped()) return false;
  return report(keyAt, keyLength, at, p);
}

/** Reads a value into all fields that have the key. */
function targets(message: usize, frame: usize, row: usize): bool {
  const first: usize = load<u32>(row, L.ROW_TARGETS);
  const end = first + ((<usize>load<u32>(row, L.ROW_TARGET_COUNT)) << 2);
  const at = p;
  if (first === end) return skipped();
  for (let target = first; target < end; target += 4) {
    p = at;
    if (!intoField(message, frame, load<u32>(target))) return false;
  }
  return true;
}

function intoField(message: usize, frame: usize, target: u32): bool {
  const rank = target & 0xffff;
  const place = (target >> 16) & 0xff;
  const span = frame + HEAD + <usize>rank * SPAN;
  const bit: u32 = 1 << place;
  const seen = load<u32>(span, SPAN_SEEN);
  // of a key that comes twice, the last counts
  if (seen & bit) return false;
  store<u32>(span, seen | bit, SPAN_SEEN);
  const field: usize = load<u32>(load<u32>(message, L.MESSAGE_FIELDS) + ((<usize>rank) << 2));
  const kind = load<u32>(field, L.FIELD_KIND);
  if (load<u32>(p) === NULL) {
    // null is a value of google.protobuf.Value alone, if no further key could have another
    if (kind !== L.KIND_VALUE || !(target & L.TARGET_LAST)) {
      p += 4;
      return true;
    }
  }
  const taken = load<u32>(span, SPAN_TAKEN);
  if (taken !== 0 && taken <= place) return skipped();
  store<u32>(span, place + 1, SPAN_TAKEN);
  if (kind === L.KIND_SLOT) {
    store<u32>(span, p, SPAN_START);
    return skipped();
  }
  if (taken !== 0) {
    // what was reported below the other key does not count
    if (hasReports()) return false;
    store<u32>(frame, 1, OUT_OF_ORDER);
  }
  const start = q;
  const isRead = kind < <u32>L.KIND_MESSAGE ? value(field) : below(kind, field, rank);
  if (!isRead) return false;
  note(frame, rank, start, q - start);
  return true;
}

/** Reads a value that may have keys to report. */
function below(kind: u32, field: usize, rank: u32): bool {
  // an envelope is none of the message
  if (kind > <u32>L.KIND_LIST_VALUE) return value(field);
  if (kind === L.KIND_MESSAGE || kind === L.KIND_LIST) {
    enter(rank, field);
    if (!value(field)) return false;
    leave();
    return true;
  }
  return unnamed(field);
}

/** Reads a value in which no key can be reported. */
function unnamed(field: usize): bool {
  hide();
  const isRead = value(field);
  show();
  return isRead;
}

/** Notes what was written for a rank. */
function note(frame: usize, rank: u32, start: usize, length: usize): void {
  const span = frame + HEAD + <usize>rank * SPAN;
  store<u32>(span, start, SPAN_START);
  store<u32>(span, length, SPAN_LENGTH);
  const bits: usize = load<u32>(frame, WRITTEN) + ((rank >> 6) << 3);
  store<u64>(bits, load<u64>(bits) | ((<u64>1) << (<u64>(rank & 63))));
  if (load<u32>(frame, LAST_RANK) > rank) {
    store<u32>(frame, 1, OUT_OF_ORDER);
  } else {
    store<u32>(frame, rank, LAST_RANK);
  }
}

function placeTaken(frame: usize, rank: u32): u32 {
  return load<u32>(frame + HEAD + <usize>rank * SPAN, SPAN_TAKEN);
}

/** What is to be done behind the last key: what waited, and the order of the fields. */
function finish(message: usize, frame: usize, start: usize, isShared: bool): bool {
  if (!isOneAtMost(message, frame)) return false;
  const choices = load<u32>(message, L.MESSAGE_CHOICE_COUNT);
  const first: usize = load<u32>(message, L.MESSAGE_CHOICES);
  for (let i: u32 = 0; i < choices; i++) {
    if (!choose(first + <usize>i * L.CHOICE_SIZE, frame)) return false;
  }
  const last = q;
  if (waiting !== load<u32>(frame, FIRST_WAITING) && !collect(message, frame, isShared)) return false;
  if (load<u32>(frame, OUT_OF_ORDER)) putInOrder(message, frame, start, last);
  return true;
}

function isOneAtMost(message: usize, frame: usize): bool {
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

/** Moves the fields between `start` and `last` into the order of their ranks, and what is behind `last` after them. */
function putInOrder(message: usize, frame: usize, start: usize, last: usize): void {
  let to = scratch;
  const spans = frame + HEAD;
  const marks: usize = load<u32>(frame, WRITTEN);
  const words: usize = (<usize>load<u32>(message, L.MESSAGE_RANKS) + 63) >> 6;
  for (let word: usize = 0; word < words; word++) {
    for (let bits = load<u64>(marks + (word << 3)); bits !== 0; bits &= bits - 1) {
      const span = spans + ((word << 6) + <usize>ctz(bits)) * SPAN;
      const length: usize = load<u32>(span, SPAN_LENGTH);
      copyLoosely(to, load<u32>(span, SPAN_START), length);
      to += length;
    }
  }
  const rest = q - last;
  if (rest > 0) {
    memory.copy(to, last, rest);
    to += rest;
  }
  const length = to - scratch;
  memory.copy(start, scratch, length);
  q = start + length;
}

/** Writes the keys that no field knows, where the message collects them. */
function collect(message: usize, frame: usize, isShared: bool): bool {
  const collector = load<u32>(message, L.MESSAGE_COLLECTOR);
  const end = waiting;
  for (let entry: usize = load<u32>(frame, FIRST_WAITING); entry < end; entry += ENTRY) {
    const flags = load<u32>(entry, ENTRY_FLAGS);
    if ((flags & (CHOICE | TAKEN)) === CHOICE) return false;
    if (flags & (OWN | TAKEN)) continue;
    if (isShared && flags & HELD) continue;
    if (collector !== L.COLLECTOR_RAW) {
      if (isShared && collector !== L.COLLECTOR_LEFT) continue;
      return false;
    }
    take(entry);
    if (!rawEntry(load<u32>(message, L.MESSAGE_COLLECTOR_TAG), entry)) return false;
  }
  return true;
}

/** An entry of a map from keys to JSON text. */
function rawEntry(fieldTag: u32, entry: usize): bool {
  const length: usize = load<u32>(entry, ENTRY_LENGTH);
  p = load<u32>(entry, ENTRY_VALUE);
  if (!hasRoom(length)) return false;
  tag(fieldTag);
  const start = q;
  q += 2;
  store<u8>(q++, 0x0a);
  varint(length);
  memory.copy(q, load<u32>(entry, ENTRY_KEY), length);
  q += length;
  store<u8>(q++, 0x12);
  const textStart = q;
  q += 1;
  if (!raw(0)) return false;
  close(textStart, 1);
  close(start, 2);
  return true;
}

// messages that share an object

/** Writes the member of a oneof that the keys of the object choose. */
function choose(choice: usize, frame: usize): bool {
  const at = chosen(choice, frame);
  if (at < -1) return false;
  const index = at < 0 ? load<i32>(choice, L.CHOICE_OTHERWISE) : at;
  if (index < 0) {
    // nothing is chosen by nothing
    const slot = load<i32>(choice, L.CHOICE_SLOT);
    if (load<u32>(choice, L.CHOICE_REPORT) && (slot < 0 || placeTaken(frame, slot) !== 0)) return false;
    return areEmpty(choice, frame, -1);
  }
  const which: usize = load<u32>(choice, L.CHOICE_MEMBERS) + <usize>index * L.MEMBER_SIZE;
  const field: usize = load<u32>(which, L.MEMBER_FIELD);
  const slot = load<i32>(which, L.MEMBER_SLOT);
  const start = q;
  if (slot < 0) {
    hide();
    if (!shared(field, frame)) return false;
    show();
  } else if (placeTaken(frame, slot) !== 0) {
    p = load<u32>(frame + HEAD + <usize>slot * SPAN, SPAN_START);
    if (!unnamed(field)) return false;
  }
  note(frame, load<u32>(choice, L.CHOICE_RANK), start, q - start);
  return areEmpty(choice, frame, slot);
}

/** Whether the slots of all members but the chosen one hold nothing. */
function areEmpty(choice: usize, frame: usize, except: i32): bool {
  const first: usize = load<u32>(choice, L.CHOICE_SLOTS);
  const end = first + ((<usize>load<u32>(choice, L.CHOICE_SLOT_COUNT)) << 2);
  for (let at = first; at < end; at += 4) {
    const slot = load<u32>(at);
    if (<i32>slot === except || placeTaken(frame, slot) === 0) continue;
    const from: usize = load<u32>(frame + HEAD + <usize>slot * SPAN, SPAN_START);
    const c = byte(from);
    const next = byte(space(from + 1));
    if (!(c === OPEN_BRACE && next === CLOSE_BRACE) && !(c === OPEN_BRACKET && next === CLOSE_BRACKET))
      return false;
  }
  return true;
}

/** The index of the chosen member; -1 for none, -2 where that is not for here to say. */
function chosen(choice: usize, frame: usize): i32 {
  const first: usize = load<u32>(choice, L.CHOICE_CASES);
  const end = first + <usize>load<u32>(choice, L.CHOICE_CASE_COUNT) * L.CASE_SIZE;
  for (let each = first; each < end; each += L.CASE_SIZE) {
    const slot = load<u32>(each, L.CASE_SLOT);
    const span = frame + HEAD + <usize>slot * SPAN;
    const seen = load<u32>(span, SPAN_SEEN);
    // under two of its spellings at once
    if (popcnt(seen) > 1) return -2;
    const isPresent = load<u32>(span, SPAN_TAKEN) !== 0;
    const holds = isPresent
      ? test(each, load<u32>(span, SPAN_START), load<u32>(choice, L.CHOICE_WORDS))
      : load<u32>(each, L.CASE_TEST) === L.TEST_ABSENT
        ? 1
        : 0;
    if (holds < 0) return -2;
    if (holds) return load<i32>(each, L.CASE_MEMBER);
  }
  return -1;
}

/** Whether a value meets a condition: 1 or 0; -1 where that is not for here to say. */
function test(condition: usize, at: usize, withWords: u32): i32 {
  const c = byte(at);
  switch (load<u32>(condition, L.CASE_TEST)) {
    case L.TEST_PRESENT:
      return 1;
    case L.TEST_ARRAY:
      return c === OPEN_BRACKET ? 1 : 0;
    case L.TEST_OBJECT:
      return c === OPEN_BRACE ? 1 : 0;
    case L.TEST_STRING:
      return c === QUOTE ? 1 : 0;
    case L.TEST_NUMBER:
      return isDigit(c) || c === MINUS ? 1 : 0;
    case L.TEST_BOOLEAN:
      return c === 0x74 || c === 0x66 ? 1 : 0;
    case L.TEST_WORD: {
      if (c !== QUOTE) return withWords ? -1 : 0;
      const end = plainEnd(at + 1);
      if (byte(end) !== QUOTE) return -1;
      const length = end - at - 1;
      return length === load<u32>(condition, L.CASE_LENGTH) &&
        same(load<u32>(condition, L.CASE_TEXT), at + 1, length)
        ? 1
        : 0;
    }
    default:
      return 0;
  }
}

/** A message whose keys stand in the object of another one: it reads those that wait there. */
function shared(field: usize, holderFrame: usize): bool {
  if (load<u32>(field, L.FIELD_KIND) !== L.KIND_MESSAGE || ++depth >= MAX_DEPTH) return false;
  const message: usize = load<u32>(field, L.FIELD_ARGUMENT);
  const holderEnd = waiting;
  tag(load<u32>(field, L.FIELD_TAG));
  const length = q;
  const guess: usize = load<u32>(message, L.MESSAGE_GUESS);
  q += guess;
  const start = q;
  const frame = open(message);
  if (frame === 0) return false;
  for (let entry: usize = load<u32>(holderFrame, FIRST_WAITING); entry < holderEnd; entry += ENTRY) {
    if (!sharedKey(message, frame, entry)) return false;
  }
  if (!finish(message, frame, start, true)) return false;
  frames = frame;
  waiting = holderEnd;
  store<u32>(message, close(length, guess), L.MESSAGE_GUESS);
  depth--;
  return true;
}

function sharedKey(message: usize, frame: usize, entry: usize): bool {
  keyAt = load<u32>(entry, ENTRY_KEY);
  keyLength = load<u32>(entry, ENTRY_LENGTH);
  keyHash = load<u32>(entry, ENTRY_HASH);
  p = load<u32>(entry, ENTRY_VALUE);
  const held = load<u32>(entry, ENTRY_FLAGS) & (OWN | HELD) ? HELD : 0;
  const first: usize = load<u32>(frame, FIRST_WAITING);
  const row = rowOf(message);
  if (row === 0) {
    const isAsked =
      load<u32>(message, L.MESSAGE_SHARED) || load<u32>(message, L.MESSAGE_COLLECTOR) !== L.COLLECTOR_NONE;
    return !isAsked || remember(first, held, entry) !== 0;
  }
  const flags = load<u32>(row, L.ROW_FLAGS);
  const isOwn = flags & L.ROW_OWN;
  if (isOwn) take(entry);
  if (flags & L.ROW_SHARED && remember(first, isOwn ? held | OWN : held, entry) === 0) return false;
  return load<u32>(row, L.ROW_TARGET_COUNT) === 0 || targets(message, frame, row);
}

// values

/** Whether all that is left of the input fits behind what has been written, whatever strings it has. */
function hasRoom(more: usize): bool {
  return q + more + (inputEnd - p) + 128 < outputEnd;
}

/** Writes a field from the value at `p`, which is not null. */
function value(field: usize): bool {
  if (!hasRoom(0)) return false;
  const c = byte(p);
  const fieldTag: u32 = load<u32>(field, L.FIELD_TAG);
  switch (load<u32>(field, L.FIELD_KIND)) {
    case L.KIND_STRING:
      return c === QUOTE && string(fieldTag);
    case L.KIND_BOOL: {
      tag(fieldTag);
      if (load<u32>(p) === TRUE) {
        store<u8>(q++, 1);
        p += 4;
        return true;
      }
      store<u8>(q++, 0);
      p += 5;
      return c === 0x66 && load<u32>(p - 4) === ALSE;
    }
    case L.KIND_INT32:
    case L.KIND_SINT32:
    case L.KIND_SFIXED32:
    case L.KIND_UINT32:
    case L.KIND_FIXED32:
      return int32(load<u32>(field, L.FIELD_KIND), fieldTag);
    case L.KIND_INT64:
    case L.KIND_SINT64:
    case L.KIND_SFIXED64:
    case L.KIND_UINT64:
    case L.KIND_FIXED64:
      return int64(load<u32>(field, L.FIELD_KIND), fieldTag);
    case L.KIND_DOUBLE:
    case L.KIND_FLOAT:
      return c !== QUOTE && floating(load<u32>(field, L.FIELD_KIND) === L.KIND_FLOAT, fieldTag);
    case L.KIND_ENUM:
      return enumValue(fieldTag, load<u32>(field, L.FIELD_ARGUMENT));
    case L.KIND_COUNT:
    case L.KIND_ISO:
      return time(field, fieldTag);
    case L.KIND_MESSAGE:
      return messageValue(field, fieldTag);
    case L.KIND_LIST:
      return list(field);
    case L.KIND_MAP:
      return c === OPEN_BRACE && entries(fieldTag, load<u32>(field, L.FIELD_ARGUMENT));
    case L.KIND_WRAPPER: {
      tag(fieldTag);
      const start = q++;
      if (!value(load<u32>(field, L.FIELD_ARGUMENT)) || q === start + 1) return false;
      close(start, 1);
      return true;
    }
    case L.KIND_UNWRAP:
      return nested(fieldTag, load<u32>(field, L.FIELD_ARGUMENT));
    case L.KIND_BY_TYPE: {
      const inner: usize = load<u32>(load<u32>(field, L.FIELD_ARGUMENT) + (typeIndex(c) << 2));
      return inner !== 0 && nested(fieldTag, inner);
    }
    case L.KIND_VALUE:
    case L.KIND_STRUCT:
    case L.KIND_LIST_VALUE:
      return dynamicField(load<u32>(field, L.FIELD_KIND), fieldTag);
    case L.KIND_PAYLOAD: {
      isPayloadFound = true;
      const inner: usize = load<u32>(field, L.FIELD_ARGUMENT);
      // a field in place of a message; other payloads than objects and lists may spell an empty one
      if (load<u32>(field, L.FIELD_LOOSE)) return (c === OPEN_BRACE || c === OPEN_BRACKET) && unnamed(inner);
      return c === OPEN_BRACE && object(inner);
    }
    case L.KIND_ENVELOPE:
      return c === OPEN_BRACE && object(load<u32>(field, L.FIELD_ARGUMENT));
    case L.KIND_STATUS:
      if (!checksStatus) return skipped();
      p = integer(p);
      return p !== 0 && magnitude === 200 && !negative;
    default:
      return false;
  }
}

/** Strings, numbers, booleans, arrays, objects. */
function typeIndex(c: u32): usize {
  if (c === QUOTE) return 0;
  if (c === OPEN_BRACE) return 4;
  if (c === OPEN_BRACKET) return 3;
  return c === 0x74 || c === 0x66 ? 2 : 1;
}

function string(fieldTag: u32): bool {
  tag(fieldTag);
  const start = q;
  p = text(p + 1, start + 1);
  if (p === 0) return false;
  q = written;
  const length = q - start - 1;
  if (length < 128) {
    store<u8>(start, length);
  } else {
    close(start, 1);
  }
  return true;
}

function int32(kind: u32, fieldTag: u32): bool {
  p = integer(p);
  if (p === 0) return false;
  const isSigned = kind === L.KIND_INT32 || kind === L.KIND_SINT32 || kind === L.KIND_SFIXED32;
  if (isSigned ? magnitude > (negative ? 0x80000000 : 0x7fffffff) : negative || magnitude > 0xffffffff)
    return false;
  const signed: i64 = negative ? -(<i64>magnitude) : <i64>magnitude;
  tag(fieldTag);
  if (kind === L.KIND_FIXED32 || kind === L.KIND_SFIXED32) {
    store<u32>(q, <u32>signed);
    q += 4;
  } else if (kind === L.KIND_SINT32) {
    const small = <i32>signed;
    varint(<u32>((small << 1) ^ (small >> 31)));
  } else {
    varint(<u64>signed);
  }
  return true;
}

function int64(kind: u32, fieldTag: u32): bool {
  p = integerOrText(p);
  if (p === 0) return false;
  const isSigned = kind === L.KIND_INT64 || kind === L.KIND_SINT64 || kind === L.KIND_SFIXED64;
  if (isSigned) {
    if (magnitude > <u64>i64.MAX_VALUE + (negative ? 1 : 0)) return false;
  } else if (negative) {
    return false;
  }
  const signed: i64 = negative ? -(<i64>magnitude) : <i64>magnitude;
  tag(fieldTag);
  if (kind === L.KIND_FIXED64 || kind === L.KIND_SFIXED64) {
    store<i64>(q, signed);
    q += 8;
  } else {
    varint(<u64>(kind === L.KIND_SINT64 ? (signed << 1) ^ (signed >> 63) : signed));
  }
  return true;
}

function floating(isFloat: bool, fieldTag: u32): bool {
  p = number(p);
  // what rounds to an infinity is for JavaScript
  if (p === 0 || !isFinite(double) || (isFloat && !isFinite<f32>(<f32>double))) return false;
  tag(fieldTag);
  if (isFloat) {
    store<f32>(q, <f32>double);
    q += 4;
  } else {
    store<f64>(q, double);
    q += 8;
  }
  return true;
}

function enumValue(fieldTag: u32, table: usize): bool {
  const isString = byte(p) === QUOTE;
  const start = isString ? p + 1 : p;
  const end = isString ? plainEnd(start) : skipNumber(start);
  if (end === 0 || (isString && byte(end) !== QUOTE)) return false;
  const length = end - start;
  const wanted = hash(start, length);
  const mask = load<u32>(table, L.ENUM_MASK);
  const rows: usize = load<u32>(table, L.ENUM_ROWS);
  let i = wanted >> 4;
  while (true) {
    i &= mask;
    const word = rows + <usize>i * L.WORD_SIZE;
    const found = load<u32>(word, L.WORD_HASH);
    if (found === 0) return false;
    if (
      found === wanted &&
      <usize>load<u32>(word, L.WORD_LENGTH) === length &&
      same(load<u32>(word, L.WORD_TEXT), start, length)
    ) {
      if (!(load<u32>(word, L.WORD_FLAGS) & (isString ? L.WORD_AS_STRING : L.WORD_AS_NUMBER))) return false;
      tag(fieldTag);
      varint(<u64>(<i64>load<i32>(word, L.WORD_NUMBER)));
      p = isString ? end + 1 : end;
      return true;
    }
    i++;
  }
}

function time(field: usize, fieldTag: u32): bool {
  const none: usize = load<u32>(field, L.FIELD_TEXT);
  if (none !== 0) {
    const end = isNone(none, load<u32>(field, L.FIELD_TEXT_LENGTH));
    if (end !== 0) {
      p = end;
      return true;
    }
    // which JavaScript takes for 0
    if (load<u16>(p) === 0x302d) return false;
  }
  const isIso = load<u32>(field, L.FIELD_KIND) === L.KIND_ISO;
  p = isIso ? iso(p) : count(p, load<u32>(field, L.FIELD_ARGUMENT));
  if (p === 0) return false;
  tag(fieldTag);
  const start = q++;
  store<u8>(q++, 0x08);
  varint(<u64>seconds);
  if (nanos !== 0) {
    store<u8>(q++, 0x10);
    varint(nanos);
  }
  store<u8>(start, q - start - 1);
  return true;
}

/** The position behind a value with the text that stands for no time; 0 for others. */
function isNone(none: usize, length: usize): usize {
  if (byte(p) === QUOTE) {
    const end = plainEnd(p + 1);
    return byte(end) === QUOTE && end - p - 1 === length && same(none, p + 1, length) ? end + 1 : 0;
  }
  const end = integer(p);
  return end !== 0 && end - p === length && same(none, p, length) ? end : 0;
}

function messageValue(field: usize, fieldTag: u32): bool {
  const message: usize = load<u32>(field, L.FIELD_ARGUMENT);
  const c = byte(p);
  if (c === OPEN_BRACE) return sub(fieldTag, message);
  if (c !== OPEN_BRACKET || !load<u32>(field, L.FIELD_LOOSE)) return false;
  // where other types are known to come, an empty list is an empty object, and a list of one its item
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACKET) {
    const end = p + 1;
    p = EMPTY_OBJECT;
    const isRead = sub(fieldTag, message);
    p = end;
    return isRead;
  }
  if (byte(p) !== OPEN_BRACE || !sub(fieldTag, message)) return false;
  p = space(p);
  return byte(p++) === CLOSE_BRACKET;
}

/** A message with its tag and length. */
function sub(fieldTag: u32, message: usize): bool {
  if (++depth >= MAX_DEPTH) return false;
  tag(fieldTag);
  const start = q;
  const guess: usize = load<u32>(message, L.MESSAGE_GUESS);
  q += guess;
  if (!object(message)) return false;
  store<u32>(message, close(start, guess), L.MESSAGE_GUESS);
  depth--;
  return true;
}

/** A message with one field, which stands bare in JSON. */
function nested(fieldTag: u32, inner: usize): bool {
  if (++depth >= MAX_DEPTH) return false;
  tag(fieldTag);
  const start = q++;
  if (!value(inner)) return false;
  close(start, 1);
  depth--;
  return true;
}

function list(field: usize): bool {
  const each: usize = load<u32>(field, L.FIELD_ARGUMENT);
  const kind = load<u32>(each, L.FIELD_KIND);
  const c = byte(p);
  if (c !== OPEN_BRACKET) {
    // where other types are known to come, an object is a list of one, unless it is empty
    if (c !== OPEN_BRACE || !load<u32>(field, L.FIELD_LOOSE)) return false;
    const end = space(p + 1);
    if (byte(end) !== CLOSE_BRACE) return listItem(kind, each, 0);
    p = end + 1;
    return true;
  }
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACKET) {
    p++;
    return true;
  }
  const isValue = kind === L.KIND_VALUE;
  const isOuter = openList(field, p, q);
  let index = 0;
  while (true) {
    if (isOuter) place(p, q, index);
    const start = q;
    if (byte(p) === 0x6e && !isValue) return false;
    // an item that is left out is lost
    if (!listItem(kind, each, index++) || q === start) return false;
    p = space(p);
    const d = byte(p++);
    if (d === CLOSE_BRACKET) {
      if (isOuter) closeList();
      return true;
    }
    if (d !== COMMA) return false;
    p = space(p);
  }
}

function listItem(kind: u32, field: usize, index: i32): bool {
  if (kind < <u32>L.KIND_MESSAGE) return value(field);
  if (kind !== L.KIND_MESSAGE) return unnamed(field);
  item(index);
  return value(field);
}

/** The entries of a map; their values are fields 2. */
function entries(fieldTag: u32, field: usize): bool {
  if (++depth >= MAX_DEPTH) return false;
  const first = waiting;
  const isValue = load<u32>(field, L.FIELD_KIND) === L.KIND_VALUE;
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACE) {
    p++;
    depth--;
    return true;
  }
  while (true) {
    if (!key() || isIndex() || remember(first, 0, 0) === 0) return false;
    if (byte(p) === 0x6e && !isValue) return false;
    if (!hasRoom(keyLength)) return false;
    tag(fieldTag);
    const start = q++;
    store<u8>(q++, 0x0a);
    varint(keyLength);
    memory.copy(q, keyAt, keyLength);
    q += keyLength;
    const before = q;
    if (!value(field) || q === before) return false;
    close(start, 1);
    p = space(p);
    const c = byte(p++);
    if (c === CLOSE_BRACE) break;
    if (c !== COMMA) return false;
    p = space(p);
  }
  waiting = first;
  depth--;
  return true;
}

/** google.protobuf.Value, Struct and ListValue. */
function dynamicField(kind: u32, fieldTag: u32): bool {
  if (++depth >= MAX_DEPTH) return false;
  tag(fieldTag);
  const start = q++;
  const c = byte(p);
  if (kind === L.KIND_VALUE) {
    if (!dynamic()) return false;
  } else if (kind === L.KIND_STRUCT) {
    if (c !== OPEN_BRACE || !entries(0x0a, valueField)) return false;
  } else if (c !== OPEN_BRACKET || !dynamicItems()) {
    return false;
  }
  close(start, 1);
  depth--;
  return true;
}

function dynamic(): bool {
  if (!hasRoom(0)) return false;
  const c = byte(p);
  if (c === QUOTE) return string(0x1a);
  if (c === OPEN_BRACE) return dynamicField(L.KIND_STRUCT, 0x2a);
  if (c === OPEN_BRACKET) return dynamicField(L.KIND_LIST_VALUE, 0x32);
  if (c === 0x6e || c === 0x74) {
    const isNull = load<u32>(p) === NULL;
    if (!isNull && load<u32>(p) !== TRUE) return false;
    store<u16>(q, isNull ? 0x0008 : 0x0120);
    q += 2;
    p += 4;
    return true;
  }
  if (c === 0x66) {
    if (load<u32>(p + 1) !== ALSE) return false;
    store<u16>(q, 0x0020);
    q += 2;
    p += 5;
    return true;
  }
  const before = q;
  if (!floating(false, 0x11)) return false;
  // integers that a double may not hold become text, which is a difference
  const held = load<f64>(before + 1);
  return Math.trunc(held) !== held || Math.abs(held) <= 9007199254740991;
}

function dynamicItems(): bool {
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACKET) {
    p++;
    return true;
  }
  while (true) {
    if (!dynamicField(L.KIND_VALUE, 0x0a)) return false;
    p = space(p);
    const c = byte(p++);
    if (c === CLOSE_BRACKET) return true;
    if (c !== COMMA) return false;
    p = space(p);
  }
}

// raw JSON

/** Copies a value as JSON.stringify writes it: without space, with no escapes but those that must be, numbers as they are. */
function raw(level: i32): bool {
  if (level > MAX_DEPTH || !hasRoom(0)) return false;
  const c = byte(p);
  if (c === QUOTE) {
    p = rawText(p + 1, q);
    q = written;
    return p !== 0;
  }
  if (c === OPEN_BRACE) return rawObject(level + 1);
  if (c === OPEN_BRACKET) return rawArray(level + 1);
  const end = skip(p);
  if (end === 0) return false;
  const length = end - p;
  if (!hasRoom(length)) return false;
  memory.copy(q, p, length);
  q += length;
  p = end;
  return true;
}

function rawArray(level: i32): bool {
  store<u8>(q++, OPEN_BRACKET);
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACKET) {
    p++;
    store<u8>(q++, CLOSE_BRACKET);
    return true;
  }
  while (true) {
    if (!raw(level)) return false;
    p = space(p);
    const c = byte(p++);
    store<u8>(q++, c);
    if (c === CLOSE_BRACKET) return true;
    if (c !== COMMA) return false;
    p = space(p);
  }
}

function rawObject(level: i32): bool {
  const first = waiting;
  store<u8>(q++, OPEN_BRACE);
  p = space(p + 1);
  if (byte(p) === CLOSE_BRACE) {
    p++;
    store<u8>(q++, CLOSE_BRACE);
    return true;
  }
  while (true) {
    if (!key() || isIndex() || remember(first, 0, 0) === 0 || !hasRoom(keyLength)) return false;
    store<u8>(q++, QUOTE);
    memory.copy(q, keyAt, keyLength);
    q += keyLength;
    store<u16>(q, 0x3a22);
    q += 2;
    if (!raw(level)) return false;
    p = space(p);
    const c = byte(p++);
    store<u8>(q++, c);
    if (c === CLOSE_BRACE) {
      waiting = first;
      return true;
    }
    if (c !== COMMA) return false;
    p = space(p);
  }
}
