/**
 * Objects as messages, and the values of their fields. Each function that reads returns the
 * position behind what it read, or 0.
 *
 * Fields are written as their keys come. Where that is not their order in the message, they are put in order
 * once the object has ended. What depends on a key that may come later waits until then: keys that no field
 * knows, and those of messages that share the object.
 */
import {
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  NULL,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  space,
} from "./bytes";
import { areEmpty, chosen, NONE } from "./choice";
import { collect } from "./collect";
import { ascend, beginDepth, descend } from "./depth";
import { dynamicField, entryKey } from "./dynamic";
import {
  firstWaiting,
  isOneAtMost,
  keepValue,
  keptValue,
  mixUp,
  note,
  open,
  placeOf,
  placeTaken,
  putInOrder,
  SEEN,
  setState,
  shut,
  stateOf,
  takenAt,
} from "./frame";
import * as L from "./layout";
import { integer, magnitude, negative } from "./number";
import { close, goOn, hasRoom, out, tag } from "./output";
import { closeList, openList, place } from "./places";
import { enter, hasReports, hide, item, leave, report, show } from "./report";
import { bytes, scalar } from "./scalar";
import { skip } from "./skip";
import { split } from "./split";
import {
  CHOICE,
  ENTRY,
  ENTRY_FLAGS,
  ENTRY_HASH,
  ENTRY_KEY,
  ENTRY_LENGTH,
  ENTRY_VALUE,
  forget,
  HELD,
  isIndex,
  OWN,
  remember,
  TAKEN,
  take,
  waiting,
} from "./waiting";
import { keyRow, rowOf, useWord, valueAt, wordAt, wordLength } from "./words";

/** Where the list of a page is, and its last item. */
export let pageAt: usize = 0;
export let pageEnd: usize = 0;
export let lastItem: usize = 0;

let isPayloadFound = false;
let checksStatus = false;

const EMPTY_OBJECT = memory.data<u8>([
  0x7b, 0x7d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Reads a body: the field that its payload and what is around it are. 0 also for one that has no payload. */
export function body(root: usize, at: usize, withStatus: bool): usize {
  isPayloadFound = false;
  checksStatus = withStatus;
  beginDepth();
  const end = value(root, at);
  return isPayloadFound ? end : 0;
}

/** Reads an object as a message, without a tag and a length. */
function object(message: usize, from: usize): usize {
  const start = out;
  const keys = waiting;
  const frame = open(message);
  if (frame === 0) return 0;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) {
    at++;
  } else {
    while (true) {
      at = member(message, frame, at);
      if (at === 0) return 0;
      at = space(at);
      const c = byte(at++);
      if (c === CLOSE_BRACE) break;
      if (c !== COMMA) return 0;
      at = space(at);
    }
  }
  if (!finish(message, frame, start, false)) return 0;
  shut(frame);
  forget(keys);
  return at;
}

/** Reads a key and its value. */
function member(message: usize, frame: usize, from: usize): usize {
  const row = keyRow(message, from);
  const at = valueAt;
  if (row === 0) return at === 0 ? 0 : unknown(message, frame, at);
  const field: usize = load<u32>(row, L.ROW_FIELD);
  return field !== 0 ? intoField(frame, load<u32>(row, L.ROW_TARGET), field, at) : unusual(frame, row, at);
}

/** Reads the value of a key that has another number of fields than one, or that other messages may know. */
function unusual(frame: usize, row: usize, at: usize): usize {
  const flags = load<u32>(row, L.ROW_FLAGS);
  if (flags & L.ROW_SHARED) {
    const asked = (flags & L.ROW_OWN ? OWN : 0) | (flags & L.ROW_CHOICE ? CHOICE : 0);
    if (!remember(firstWaiting(frame), at, asked, 0)) return 0;
  }
  return targets(frame, row, at);
}

/**
 * A key that the message does not know: it is reported where nobody collects such keys, and waits for the end
 * of the object otherwise.
 */
function unknown(message: usize, frame: usize, at: usize): usize {
  const collector = load<u32>(message, L.MESSAGE_COLLECTOR);
  if (collector !== L.COLLECTOR_IGNORE) {
    if (collector === L.COLLECTOR_NONE && !load<u32>(message, L.MESSAGE_SHARED)) return surplus(frame, at);
    if (collector === L.COLLECTOR_LEFT) return 0;
    if (isIndex() || !remember(firstWaiting(frame), at, 0, 0)) return 0;
  }
  return skip(at);
}

function surplus(frame: usize, at: usize): usize {
  if (isIndex() || !remember(firstWaiting(frame), at, TAKEN, 0)) return 0;
  const end = skip(at);
  return end !== 0 && report(wordAt, wordLength, at, end) ? end : 0;
}

/** Reads a value into all fields that have the key. */
function targets(frame: usize, row: usize, at: usize): usize {
  const first: usize = load<u32>(row, L.ROW_TARGETS);
  const end = first + <usize>load<u32>(row, L.ROW_TARGET_COUNT) * L.TARGET_SIZE;
  if (first === end) return skip(at);
  let behind: usize = 0;
  for (let target = first; target < end; target += L.TARGET_SIZE) {
    behind = intoField(frame, load<u32>(target), load<u32>(target, L.TARGET_FIELD), at);
    if (behind === 0) return 0;
  }
  return behind;
}

function intoField(frame: usize, target: u32, field: usize, at: usize): usize {
  const rank = target & 0xffff;
  const place = (target >> 16) & 0xff;
  const kind = load<u32>(field, L.FIELD_KIND);
  const state = stateOf(frame, rank);
  // null is a value of google.protobuf.Value alone, if no further key could have another
  const isNull = load<u32>(at) === NULL && (kind !== L.KIND_VALUE || !(target & L.TARGET_LAST));
  if (state !== 0 || isNull) {
    const bit: u32 = 1 << place;
    // of a key that comes twice, the last counts
    if (state & bit) return 0;
    setState(frame, rank, state | bit);
    if (isNull) return at + 4;
    const taken = placeOf(state);
    if (taken !== 0) {
      if (taken <= place) return skip(at);
      // what was reported below the other key does not count
      if (kind !== L.KIND_SLOT && hasReports()) return 0;
      mixUp(frame);
    }
  }
  setState(frame, rank, (state & SEEN) | takenAt(place));
  if (kind === L.KIND_SLOT) {
    keepValue(frame, rank, at);
    return skip(at);
  }
  // what is written there is noted for the fields that it is
  if (kind === L.KIND_PATH) return path(load<u32>(field, L.FIELD_ARGUMENT), frame, at);
  const start = out;
  const end = kind < <u32>L.KIND_MESSAGE ? scalar(field, kind, at) : below(kind, field, rank, at);
  note(frame, rank, start);
  return end;
}

/** Reads the fields of a message that stand in an object below it; other keys there are nobody's. */
function path(keys: usize, frame: usize, from: usize): usize {
  if (byte(from) !== OPEN_BRACE) return skip(from);
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) return at + 1;
  while (true) {
    const row = keyRow(keys, at);
    at = valueAt;
    if (at !== 0) at = row === 0 ? skip(at) : targets(frame, row, at);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at++);
    if (c === CLOSE_BRACE) return at;
    if (c !== COMMA) return 0;
    at = space(at);
  }
}

/** Reads a value that may have keys to report. */
function below(kind: u32, field: usize, rank: u32, at: usize): usize {
  // an envelope is none of the message
  if (kind > <u32>L.KIND_LIST_VALUE) return value(field, at);
  if (kind !== L.KIND_MESSAGE && kind !== L.KIND_LIST) return unnamed(field, at);
  enter(rank, field);
  const end = value(field, at);
  leave();
  return end;
}

/** Reads a value in which no key can be reported. */
function unnamed(field: usize, at: usize): usize {
  hide();
  const end = value(field, at);
  show();
  return end;
}

/** What is to be done behind the last key: what waited, and the order of the fields. */
function finish(message: usize, frame: usize, start: usize, isShared: bool): bool {
  if (!isOneAtMost(message, frame)) return false;
  const choices = load<u32>(message, L.MESSAGE_CHOICE_COUNT);
  const first: usize = load<u32>(message, L.MESSAGE_CHOICES);
  for (let i: u32 = 0; i < choices; i++) {
    if (!choose(first + <usize>i * L.CHOICE_SIZE, frame)) return false;
  }
  const last = out;
  if (waiting !== firstWaiting(frame) && !collect(message, firstWaiting(frame), isShared)) return false;
  putInOrder(message, frame, start, last);
  return true;
}

/** Writes the member of a oneof that the keys of the object choose. */
function choose(choice: usize, frame: usize): bool {
  const at = chosen(choice, frame);
  if (at < NONE) return false;
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
  const start = out;
  if (slot < 0) {
    hide();
    if (!shared(field, frame)) return false;
    show();
  } else if (placeTaken(frame, slot) !== 0) {
    if (unnamed(field, keptValue(frame, slot)) === 0) return false;
  }
  note(frame, load<u32>(choice, L.CHOICE_RANK), start);
  return areEmpty(choice, frame, slot);
}

/** A message whose keys stand in the object of another one: it reads those that wait there. */
function shared(field: usize, holderFrame: usize): bool {
  if (load<u32>(field, L.FIELD_KIND) !== L.KIND_MESSAGE || !descend()) return false;
  const message: usize = load<u32>(field, L.FIELD_ARGUMENT);
  const holderEnd = waiting;
  tag(field);
  const lengthAt = out;
  const guess: usize = load<u32>(message, L.MESSAGE_GUESS);
  const start = lengthAt + guess;
  goOn(start);
  const frame = open(message);
  if (frame === 0) return false;
  for (let entry = firstWaiting(holderFrame); entry < holderEnd; entry += ENTRY) {
    if (!sharedKey(message, frame, entry)) return false;
  }
  if (!finish(message, frame, start, true)) return false;
  shut(frame);
  forget(holderEnd);
  store<u32>(message, close(lengthAt, guess), L.MESSAGE_GUESS);
  ascend();
  return true;
}

function sharedKey(message: usize, frame: usize, entry: usize): bool {
  useWord(load<u32>(entry, ENTRY_KEY), load<u32>(entry, ENTRY_LENGTH), load<u32>(entry, ENTRY_HASH));
  const at: usize = load<u32>(entry, ENTRY_VALUE);
  const held = load<u32>(entry, ENTRY_FLAGS) & (OWN | HELD) ? HELD : 0;
  const first = firstWaiting(frame);
  const row = rowOf(load<u32>(message, L.MESSAGE_ROWS), load<u32>(message, L.MESSAGE_MASK), L.ROW_SIZE);
  if (row === 0) {
    const isAsked =
      load<u32>(message, L.MESSAGE_SHARED) || load<u32>(message, L.MESSAGE_COLLECTOR) !== L.COLLECTOR_NONE;
    return !isAsked || remember(first, at, held, entry);
  }
  const flags = load<u32>(row, L.ROW_FLAGS);
  const isOwn = flags & L.ROW_OWN;
  if (isOwn) take(entry);
  const asked = (isOwn ? OWN : 0) | (flags & L.ROW_CHOICE ? CHOICE : 0);
  if (flags & L.ROW_SHARED && !remember(first, at, held | asked, entry)) return false;
  return load<u32>(row, L.ROW_TARGET_COUNT) === 0 || targets(frame, row, at) !== 0;
}

/** Writes a field from its value, which is not null. */
function value(field: usize, at: usize): usize {
  const kind = load<u32>(field, L.FIELD_KIND);
  if (kind < <u32>L.KIND_MESSAGE) return scalar(field, kind, at);
  if (!hasRoom(at, 0)) return 0;
  const c = byte(at);
  const argument: usize = load<u32>(field, L.FIELD_ARGUMENT);
  switch (kind) {
    case L.KIND_MESSAGE:
      return messageValue(field, argument, at);
    case L.KIND_LIST:
      return list(field, argument, at);
    case L.KIND_MAP:
      return c === OPEN_BRACE ? entries(field, argument, at) : 0;
    case L.KIND_WRAPPER:
      return wrapper(field, argument, at);
    case L.KIND_UNWRAP:
      return nested(field, argument, at);
    case L.KIND_BY_TYPE: {
      const inner: usize = load<u32>(argument + (typeIndex(c) << 2));
      return inner !== 0 ? nested(field, inner, at) : 0;
    }
    case L.KIND_VALUE:
    case L.KIND_STRUCT:
    case L.KIND_LIST_VALUE:
      tag(field);
      return dynamicField(kind, at);
    case L.KIND_PAYLOAD:
      isPayloadFound = true;
      // a field in place of a message; other payloads than objects and lists may spell an empty one
      if (isLoose(field)) return c === OPEN_BRACE || c === OPEN_BRACKET ? unnamed(argument, at) : 0;
      return c === OPEN_BRACE ? object(argument, at) : 0;
    case L.KIND_ENVELOPE:
      return c === OPEN_BRACE ? object(argument, at) : 0;
    case L.KIND_STATUS:
      return status(at);
    case L.KIND_PAGE:
      return page(argument, at);
    case L.KIND_BYTES:
      return c === QUOTE ? bytes(field, at + 1) : 0;
    default:
      return 0;
  }
}

/** Whether a field is known to come with other types of JSON; of a payload, whether it is a field. */
function isLoose(field: usize): bool {
  return (load<u32>(field, L.FIELD_FLAGS) & L.FIELD_LOOSE) !== 0;
}

/** Strings, numbers, booleans, arrays, objects. */
function typeIndex(c: u32): usize {
  if (c === QUOTE) return 0;
  if (c === OPEN_BRACE) return 4;
  if (c === OPEN_BRACKET) return 3;
  return c === 0x74 || c === 0x66 ? 2 : 1;
}

function status(at: usize): usize {
  if (!checksStatus) return skip(at);
  const end = integer(at);
  return magnitude === 200 && !negative ? end : 0;
}

/** The items of a page, as if they were the field of a message. */
function page(items: usize, at: usize): usize {
  isPayloadFound = true;
  enter(0, items);
  const end = value(items, at);
  leave();
  pageAt = at;
  pageEnd = end;
  return end;
}

function messageValue(field: usize, message: usize, from: usize): usize {
  const c = byte(from);
  if (c === OPEN_BRACE) return sub(field, message, from);
  if (c !== OPEN_BRACKET || !isLoose(field)) return 0;
  // where other types are known to come, an empty list is an empty object, and a list of one its item
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return sub(field, message, EMPTY_OBJECT) !== 0 ? at + 1 : 0;
  if (byte(at) !== OPEN_BRACE) return 0;
  at = sub(field, message, at);
  if (at === 0) return 0;
  at = space(at);
  return byte(at) === CLOSE_BRACKET ? at + 1 : 0;
}

/** A message with its tag and length. */
function sub(field: usize, message: usize, at: usize): usize {
  if (!descend()) return 0;
  tag(field);
  const start = out;
  const guess: usize = load<u32>(message, L.MESSAGE_GUESS);
  goOn(start + guess);
  const end = object(message, at);
  if (end === 0) return 0;
  store<u32>(message, close(start, guess), L.MESSAGE_GUESS);
  ascend();
  return end;
}

/** A message with one field, which stands bare in JSON. */
function nested(field: usize, inner: usize, at: usize): usize {
  if (!descend()) return 0;
  tag(field);
  const start = out;
  goOn(start + 1);
  const end = value(inner, at);
  if (end === 0) return 0;
  close(start, 1);
  ascend();
  return end;
}

/** The like, where nothing in it is an error. */
function wrapper(field: usize, inner: usize, at: usize): usize {
  tag(field);
  const start = out;
  goOn(start + 1);
  const end = value(inner, at);
  if (end === 0 || out === start + 1) return 0;
  close(start, 1);
  return end;
}

function list(field: usize, each: usize, from: usize): usize {
  const kind = load<u32>(each, L.FIELD_KIND);
  const c = byte(from);
  if (c !== OPEN_BRACKET) {
    if (c === QUOTE && load<u32>(field, L.FIELD_FLAGS) & L.FIELD_COMMAS) return split(each, kind, from);
    // where other types are known to come, an object is a list of one, unless it is empty
    if (c !== OPEN_BRACE || !isLoose(field)) return 0;
    const end = space(from + 1);
    return byte(end) === CLOSE_BRACE ? end + 1 : listItem(kind, each, 0, from);
  }
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return at + 1;
  const isOuter = openList(field, at, out);
  let index = 0;
  while (true) {
    if (isOuter) place(at, out, index);
    const start = out;
    const itemAt = at;
    if (byte(at) === 0x6e && kind !== L.KIND_VALUE) return 0;
    at = listItem(kind, each, index++, at);
    // an item that is left out is lost
    if (at === 0 || out === start) return 0;
    at = space(at);
    const d = byte(at++);
    if (d === CLOSE_BRACKET) {
      lastItem = itemAt;
      if (isOuter) closeList();
      return at;
    }
    if (d !== COMMA) return 0;
    at = space(at);
  }
}

function listItem(kind: u32, field: usize, index: i32, at: usize): usize {
  if (kind < <u32>L.KIND_MESSAGE) return scalar(field, kind, at);
  if (kind !== L.KIND_MESSAGE) return unnamed(field, at);
  item(index);
  return value(field, at);
}

/** The entries of a map; their values are fields 2. */
function entries(field: usize, each: usize, from: usize): usize {
  if (!descend()) return 0;
  const first = waiting;
  const isValue = load<u32>(each, L.FIELD_KIND) === L.KIND_VALUE;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) {
    ascend();
    return at + 1;
  }
  while (true) {
    tag(field);
    const start = out;
    at = entryKey(at, first);
    if (at === 0 || (byte(at) === 0x6e && !isValue)) return 0;
    const before = out;
    at = value(each, at);
    if (at === 0 || out === before) return 0;
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
