/** Reads field values. Each reading function returns the position after its input, or 0 on failure. */
import { errors, page, payload, status } from "./body";
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
import { converted } from "./convert";
import { ascend, descend } from "./depth";
import { dynamicField, entryKey } from "./dynamic";
import { valueOrHandOver } from "./handover";
import * as L from "./layout";
import { object } from "./message";
import { close, goOn, hasRoom, out, tag } from "./output";
import { closeList, openList, place } from "./places";
import { hidden, hide, item, show } from "./report";
import { bytes, scalar } from "./scalar";
import { split } from "./split";
import { forget, waiting } from "./waiting";

/** The last item of the most recent list. */
export let lastItem: usize = 0;

const EMPTY_OBJECT = memory.data<u8>([
  0x7b, 0x7d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

/** Reports whether null is a value of a field, not the absence of a value. */
export function mayBeNull(field: usize): bool {
  return (load<u32>(field, L.FIELD_FLAGS) & L.FIELD_OR_NULL) !== 0;
}

/** Writes a field, given its value. null is a value only for some fields: see `mayBeNull`. */
export function value(field: usize, at: usize): usize {
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
      return payload(field, argument, at);
    case L.KIND_ENVELOPE:
      return c === OPEN_BRACE ? object(argument, at) : 0;
    case L.KIND_STATUS:
      return status(at);
    case L.KIND_PAGE:
      return page(argument, at);
    case L.KIND_ERRORS:
      return errors(at);
    case L.KIND_BYTES:
      return c === QUOTE ? bytes(field, at + 1) : 0;
    default:
      return 0;
  }
}

/**
 * Reports whether a field accepts other JSON types. For a payload, the flag means that the payload is a
 * single field.
 */
export function isLoose(field: usize): bool {
  return (load<u32>(field, L.FIELD_FLAGS) & L.FIELD_LOOSE) !== 0;
}

/** Returns the table index of a JSON type: string, number, boolean, array, object. */
function typeIndex(c: u32): usize {
  if (c === QUOTE) return 0;
  if (c === OPEN_BRACE) return 4;
  if (c === OPEN_BRACKET) return 3;
  return c === 0x74 || c === 0x66 ? 2 : 1;
}

/** Reads a value in which the host cannot name unknown keys. */
export function unnamed(field: usize, at: usize): usize {
  hide();
  const end = value(field, at);
  show();
  return end;
}

function messageValue(field: usize, message: usize, from: usize): usize {
  const c = byte(from);
  if (c === OPEN_BRACE) return sub(field, message, from);
  if (c !== OPEN_BRACKET || !isLoose(field)) return 0;
  // a loose field accepts an empty list as an empty object, and a list of one item as that item
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return sub(field, message, EMPTY_OBJECT) !== 0 ? at + 1 : 0;
  if (byte(at) !== OPEN_BRACE) return 0;
  at = sub(field, message, at);
  if (at === 0) return 0;
  at = space(at);
  return byte(at) === CLOSE_BRACKET ? at + 1 : 0;
}

/** Writes a message with its tag and length. */
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

/** Writes a message whose JSON is the value of its only field. null leaves this field unset. */
function nested(field: usize, inner: usize, at: usize): usize {
  if (!descend()) return 0;
  tag(field);
  const start = out;
  goOn(start + 1);
  const end = load<u32>(at) === NULL && mayBeNull(field) ? at + 4 : value(inner, at);
  if (end === 0) return 0;
  close(start, 1);
  ascend();
  return end;
}

/** Like `nested`, for messages whose content never causes an error. */
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
    // a loose field accepts an object as a list of one item, and an empty object as an empty list
    if (c !== OPEN_BRACE || !isLoose(field)) return 0;
    const end = space(from + 1);
    return byte(end) === CLOSE_BRACE ? end + 1 : onlyItem(kind, each, from);
  }
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACKET) return at + 1;
  const isOuter = openList(field, at, out);
  let index = 0;
  while (true) {
    if (isOuter) place(at, out, index);
    const start = out;
    const itemAt = at;
    if (byte(at) === 0x6e && !mayBeNull(each)) return 0;
    at = listItem(kind, each, index++, at, isLoose(field));
    // the JavaScript decoder reports a dropped item as lost
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

/** Reads an object in place of a list, if the object has a key that an item reads. */
function onlyItem(kind: u32, field: usize, from: usize): usize {
  const start = out;
  const end = listItem(kind, field, 0, from, true);
  if (end === 0 || kind !== L.KIND_MESSAGE) return end;
  // if the first field after the tag and length is the collector, the item has only unknown keys
  const message: usize = load<u32>(field, L.FIELD_ARGUMENT);
  const first = behindVarint(start + load<u32>(field, L.FIELD_TAG_LENGTH));
  return first < out && varintAt(first) !== load<u32>(message, L.MESSAGE_COLLECTOR_TAG) ? end : 0;
}

function behindVarint(at: usize): usize {
  while (byte(at) > 127) at++;
  return at + 1;
}

function varintAt(at: usize): u32 {
  let value: u32 = 0;
  let shift = 0;
  while (byte(at) > 127) {
    value |= (byte(at++) & 127) << shift;
    shift += 7;
  }
  return value | (byte(at) << shift);
}

function listItem(kind: u32, field: usize, index: i32, at: usize, isInLoose: bool): usize {
  if (kind < <u32>L.KIND_MESSAGE) {
    const start = out;
    const end = scalar(field, kind, at);
    if (end !== 0 || hidden !== 0) return end;
    item(index);
    goOn(start);
    return converted(field, kind, at, isInLoose);
  }
  if (kind !== L.KIND_MESSAGE) return unnamed(field, at);
  item(index);
  return byte(at) === OPEN_BRACE ? valueOrHandOver(field, at, true) : value(field, at);
}

/** Writes the entries of a map. The value of an entry is field 2. */
function entries(field: usize, each: usize, from: usize): usize {
  if (!descend()) return 0;
  const first = waiting;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) {
    ascend();
    return at + 1;
  }
  while (true) {
    tag(field);
    const start = out;
    at = entryKey(at, first);
    if (at === 0 || (byte(at) === 0x6e && !mayBeNull(each))) return 0;
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
