/**
 * Converts protobuf to ProtoJSON (https://protobuf.dev/programming-guides/json), driven by tables (see
 * layout.ts). Unusual messages trap. The host then prints them with protobuf-es, with the same result. The
 * host also splits messages that are too large.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "./characters";
import { forget, remember } from "./keys";
import * as L from "./layout";
import { copy, put, q, room, start, work, writeTo } from "./output";
import { bare, bitsOf, enumValue, nameOf, range, scalar } from "./scalars";
import { drop, ENTRY, height, MAX_DEPTH, push, setUp } from "./stack";
import { anyValue, listValue, struct } from "./struct";
import { timestamp } from "./time";
import { end, moveTo, nextIs, p, skip, tag, varint } from "./wire";

/**
 * Prints a message with a special JSON form in the host, which keeps the JSON for `hostTake`. Returns the
 * length of the JSON, or a negative number if the message has no JSON form.
 */
declare function hostOther(id: u32, from: usize, to: usize): i32;
/** Writes the JSON that the last call of `hostOther` kept. */
declare function hostTake(at: usize): void;

const OTHER_WORK = 200;

/**
 * Prints the message between `from` and `to` at `output`, and returns the length of the JSON. 16 zeros must
 * follow the message, and the memory after `output` must be unused.
 *
 * @param stack memory up to `from`, for messages and maps in progress
 * @param maxLength the maximum length of the JSON in bytes
 * @param maxWork the work budget; each value costs 1
 * @param depth the nesting depth of the message, 1 for the outermost
 */
export function print(
  root: usize,
  stack: usize,
  from: usize,
  to: usize,
  output: usize,
  maxLength: usize,
  maxWork: i32,
  depth: i32,
): usize {
  setUp(stack, from);
  moveTo(from);
  start(output, maxLength, maxWork);
  message(root, to, depth);
  return q - output;
}

// messages

function message(table: usize, limit: usize, depth: i32): void {
  if (depth > MAX_DEPTH) unreachable();
  switch (load<u32>(table, L.MESSAGE_FORM)) {
    case L.FORM_FIELDS:
      fields(table, limit, depth);
      return;
    case L.FORM_WRAPPER:
      wrapper(load<u32>(table, L.MESSAGE_DENSE), limit);
      return;
    case L.FORM_TIMESTAMP:
      timestamp(limit);
      return;
    case L.FORM_STRUCT:
      struct(limit, depth);
      return;
    case L.FORM_VALUE:
      anyValue(limit, depth);
      return;
    case L.FORM_LIST:
      listValue(limit, depth);
      return;
    default:
      other(table, limit);
  }
}

/** Prints the fields of a message, each after a comma, then replaces the first comma with a brace. */
function fields(table: usize, limit: usize, depth: i32): void {
  const from = q;
  const first = height();
  let last: i32 = -1;
  let isInOrder = true;
  let oneofs: u32 = 0;
  while (p < limit) {
    const fieldTag = tag();
    const field = fieldOf(table, fieldTag >> 3);
    if (field === 0) {
      skip(fieldTag & 7, limit);
      continue;
    }
    const index = load<i32>(field, L.FIELD_INDEX);
    if (index <= last) isInOrder = false;
    last = index;
    push(index, q);
    const bit = load<u32>(field, L.FIELD_ONEOF);
    // parsers keep the last member of a oneof; serializers write only one, so several members are unusual
    if ((oneofs & bit) !== 0) unreachable();
    oneofs |= bit;
    printField(field, fieldTag, limit, depth);
  }
  if (p !== limit) unreachable();
  if (!isInOrder) putInOrder(first, from);
  drop(first);
  room(0);
  if (q === from) {
    store<u16>(q, 0x7d7b);
    writeTo(q + 2);
  } else {
    store<u8>(from, OPEN_BRACE);
    put(CLOSE_BRACE);
  }
}

/** Returns the field with a number; 0 if the message does not have this field. */
function fieldOf(table: usize, number: u32): usize {
  if (number < load<u32>(table, L.MESSAGE_DENSE_COUNT)) {
    return load<u32>(load<u32>(table, L.MESSAGE_DENSE) + ((<usize>number) << 2));
  }
  const entries: usize = load<u32>(table, L.MESSAGE_SPARSE);
  let low: u32 = 0;
  let high = load<u32>(table, L.MESSAGE_SPARSE_COUNT);
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries + ((<usize>middle) << 3);
    const found = load<u32>(entry);
    if (found === number) return load<u32>(entry, 4);
    if (found < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

/** Sorts the fields whose entries start at `first` by field number. Traps if a field occurs twice. */
function putInOrder(first: usize, from: usize): void {
  const behind = height();
  // each entry records where its field starts; the field ends where the next one starts
  const length = q - from;
  room(length + 16);
  const moved = q;
  memory.copy(moved, from, length);
  let to = from;
  let before: i32 = -1;
  while (true) {
    const next = smallestAbove(before, first, behind);
    if (next === 0) break;
    before = load<i32>(next);
    const start: usize = load<u32>(next, 4);
    const stop: usize = next + ENTRY === behind ? moved : load<u32>(next + ENTRY, 4);
    memory.copy(to, moved + (start - from), stop - start);
    to += stop - start;
  }
  if (to - from !== length) unreachable();
  writeTo(to);
}

/**
 * Returns the entry with the smallest index above `before`; 0 if no such entry exists. Traps if two entries
 * have the same index.
 */
function smallestAbove(before: i32, first: usize, behind: usize): usize {
  let found: usize = 0;
  let smallest = i32.MAX_VALUE;
  for (let at = first; at < behind; at += ENTRY) {
    const index = load<i32>(at);
    if (index <= before) continue;
    if (index === smallest) unreachable();
    if (index > smallest) continue;
    smallest = index;
    found = at;
  }
  return found;
}

function wrapper(field: usize, limit: usize): void {
  const hasValue = nextIs(load<u32>(field, L.FIELD_TAG), limit);
  valueOrDefault(field, hasValue, limit, 0);
  if (p !== limit) unreachable();
}

function other(table: usize, limit: usize): void {
  work(OTHER_WORK);
  const length = hostOther(load<u32>(table, L.MESSAGE_ID), p, limit);
  if (length < 0) unreachable();
  room(length);
  hostTake(q);
  writeTo(q + <usize>length);
  moveTo(limit);
}

// fields

function printField(field: usize, fieldTag: u32, limit: usize, depth: i32): void {
  switch (load<u32>(field, L.FIELD_SHAPE)) {
    case L.SHAPE_SINGULAR:
      singular(field, fieldTag, limit, depth);
      return;
    case L.SHAPE_LIST:
      list(field, fieldTag, limit, depth);
      return;
    default:
      map(field, fieldTag, limit, depth);
  }
}

function key(field: usize): void {
  copy(load<u32>(field, L.FIELD_KEY), load<u32>(field, L.FIELD_KEY_LENGTH));
}

function singular(field: usize, fieldTag: u32, limit: usize, depth: i32): void {
  if (fieldTag !== load<u32>(field, L.FIELD_TAG)) unreachable();
  work(1);
  const kind = load<u32>(field, L.FIELD_KIND);
  const isImplicit = load<u32>(field, L.FIELD_IMPLICIT) !== 0;
  if (kind === L.KIND_MESSAGE) {
    const to = end(limit);
    key(field);
    message(load<u32>(field, L.FIELD_ARGUMENT), to, depth + 1);
  } else if (kind === L.KIND_TEXT || kind === L.KIND_BYTES) {
    const to = end(limit);
    if (isImplicit && p === to) return;
    key(field);
    range(kind, to);
  } else if (kind === L.KIND_ENUM) {
    const number = <i32>varint();
    const names: usize = load<u32>(field, L.FIELD_ARGUMENT);
    const row = nameOf(names, number);
    // values without a name are invalid in a closed enum
    if (row === 0 && !load<u32>(names, L.ENUM_OPEN)) return;
    if (isImplicit && number === load<i32>(names, L.ENUM_ZERO)) return;
    key(field);
    enumValue(names, row, number);
  } else {
    const bits = bitsOf(kind);
    if (isImplicit && bits === 0) return;
    key(field);
    scalar(kind, bits);
  }
}

function list(field: usize, fieldTag: u32, limit: usize, depth: i32): void {
  const own = load<u32>(field, L.FIELD_TAG);
  const from = q;
  key(field);
  const first = q;
  put(OPEN_BRACKET);
  do {
    if (fieldTag === own) {
      item(field, limit, depth);
    } else if ((fieldTag & 7) === 2) {
      const packedEnd = end(limit);
      while (p < packedEnd) item(field, packedEnd, depth);
      if (p !== packedEnd) unreachable();
    } else {
      unreachable();
    }
  } while (nextIs(fieldTag, limit));
  if (q === first + 1) {
    // the packed field is empty
    writeTo(from);
  } else {
    store<u8>(q - 1, CLOSE_BRACKET);
  }
}

/** Prints a list item and a comma. */
function item(field: usize, limit: usize, depth: i32): void {
  valueOrDefault(field, true, limit, depth);
  put(COMMA);
}

/**
 * Prints a value of a list or map, or the value of a wrapper. Prints the default value if the value is
 * absent.
 */
function valueOrDefault(field: usize, isThere: bool, limit: usize, depth: i32): void {
  work(1);
  room(0);
  const kind = load<u32>(field, L.FIELD_KIND);
  if (kind === L.KIND_MESSAGE) {
    message(load<u32>(field, L.FIELD_ARGUMENT), isThere ? end(limit) : p, depth + 1);
  } else if (kind === L.KIND_TEXT || kind === L.KIND_BYTES) {
    range(kind, isThere ? end(limit) : p);
  } else if (kind === L.KIND_ENUM) {
    const names: usize = load<u32>(field, L.FIELD_ARGUMENT);
    const number = isThere ? <i32>varint() : load<i32>(names, L.ENUM_ZERO);
    const row = nameOf(names, number);
    if (row === 0 && !load<u32>(names, L.ENUM_OPEN)) unreachable();
    enumValue(names, row, number);
  } else {
    scalar(kind, isThere ? bitsOf(kind) : 0);
  }
}

function map(field: usize, fieldTag: u32, limit: usize, depth: i32): void {
  if ((fieldTag & 7) !== 2) unreachable();
  const first = height();
  key(field);
  put(OPEN_BRACE);
  do {
    entry(field, end(limit), depth, first);
    put(COMMA);
  } while (nextIs(fieldTag, limit));
  store<u8>(q - 1, CLOSE_BRACE);
  forget(first);
}

/** Prints a map entry: its key is field 1, its value is field 2, and either may be absent. */
function entry(field: usize, limit: usize, depth: i32, first: usize): void {
  room(0);
  const from = q;
  const kind = load<u32>(field, L.FIELD_MAP_KEY);
  const hasKey = nextIs(load<u32>(field, L.FIELD_MAP_KEY_TAG), limit);
  if (kind === L.KIND_TEXT) {
    range(kind, hasKey ? end(limit) : p);
  } else {
    put(QUOTE);
    bare(kind, hasKey ? bitsOf(kind) : 0);
    put(QUOTE);
  }
  remember(from, q, first);
  put(COLON);
  valueOrDefault(field, nextIs(load<u32>(field, L.FIELD_TAG), limit), limit, depth);
  if (p !== limit) unreachable();
}
