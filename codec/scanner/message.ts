/**
 * Reads objects as messages. Each reading function returns the position after its input, or 0 on failure.
 *
 * Fields are written as their keys arrive. If the keys are not in the order of the fields, the fields are
 * sorted at the end of the object. Keys that depend on later keys are deferred to the end of the object:
 * unknown keys, and keys of messages that share the object.
 */
import { byte, CLOSE_BRACE, COMMA, NULL, OPEN_BRACE, space } from "./bytes";
import { areEmpty, areHeld, chosen, NONE, namedBy } from "./choice";
import { collect } from "./collect";
import { converted } from "./convert";
import { ascend, descend } from "./depth";
import {
  firstWaiting,
  isOneAtMost,
  keepValue,
  keptValue,
  mixUp,
  NULL_TAKEN,
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
  unnote,
} from "./frame";
import { handOver, valueOrHandOver } from "./handover";
import * as L from "./layout";
import { close, goOn, out, tag } from "./output";
import { enter, hasReports, hidden, hide, leave, report, show } from "./report";
import { scalar } from "./scalar";
import { skip } from "./skip";
import { isLoose, mayBeNull, unnamed, value } from "./value";
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

/** Reads an object and writes it as a message, without tag and length. */
export function object(message: usize, from: usize): usize {
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

/** Reads the value of a key that not exactly one field reads, or that other messages may also read. */
function unusual(frame: usize, row: usize, at: usize): usize {
  const flags = load<u32>(row, L.ROW_FLAGS);
  if (flags & L.ROW_SHARED) {
    const asked = (flags & L.ROW_OWN ? OWN : 0) | (flags & L.ROW_CHOICE ? CHOICE : 0);
    if (!remember(firstWaiting(frame), at, asked, 0)) return 0;
  }
  return targets(frame, row, at);
}

/**
 * Handles an unknown key: defers it to the end of the object if a message may collect it, otherwise reports
 * it.
 */
function unknown(message: usize, frame: usize, at: usize): usize {
  const collector = load<u32>(message, L.MESSAGE_COLLECTOR);
  if (collector !== L.COLLECTOR_IGNORE) {
    if (collector === L.COLLECTOR_NONE && !load<u32>(message, L.MESSAGE_SHARED)) {
      return surplus(firstWaiting(frame), load<u32>(message, L.MESSAGE_PLACE), at);
    }
    if (isIndex() || !remember(firstWaiting(frame), at, 0, 0)) return 0;
  }
  return skip(at);
}

/**
 * Reports an unknown key.
 *
 * @param first the first deferred key of the object
 * @param place the report step of an object that is not a message; 0 for a message
 */
function surplus(first: usize, place: usize, at: usize): usize {
  if (isIndex() || !remember(first, at, TAKEN, 0)) return 0;
  const end = skip(at);
  if (end === 0) return 0;
  if (place !== 0) enter(load<u32>(place, L.FIELD_ARGUMENT), place);
  const isNoted = report(wordAt, wordLength, at, end);
  if (place !== 0) leave();
  return isNoted ? end : 0;
}

/** Reads a value into all fields that use its key. */
function targets(frame: usize, row: usize, at: usize): usize {
  const first: usize = load<u32>(row, L.ROW_TARGETS);
  const end = first + <usize>load<u32>(row, L.ROW_TARGET_COUNT) * L.TARGET_SIZE;
  if (first === end) return skip(at);
  if (first + L.TARGET_SIZE === end) {
    return intoField(frame, load<u32>(first), load<u32>(first, L.TARGET_FIELD), at);
  }
  // the decoder reports a value only once for all fields that read it
  hide();
  let behind: usize = 0;
  for (let target = first; target < end; target += L.TARGET_SIZE) {
    behind = intoField(frame, load<u32>(target), load<u32>(target, L.TARGET_FIELD), at);
    if (behind === 0) return 0;
  }
  show();
  return behind;
}

function intoField(frame: usize, target: u32, field: usize, at: usize): usize {
  const rank = target & 0xffff;
  const place = (target >> 16) & 0xff;
  const kind = load<u32>(field, L.FIELD_KIND);
  let state = stateOf(frame, rank);
  const isNull = load<u32>(at) === NULL;
  if (state !== 0 || isNull) {
    const bit: u32 = 1 << place;
    if (state & bit) {
      if (!forgetValue(frame, rank, state, bit, kind)) return 0;
      state = 0;
    }
    setState(frame, rank, state | bit);
    const taken = placeOf(state);
    // null is a value only for some fields, and only if no other key of the field has a value
    if (isNull && (taken !== 0 || !mayBeNull(field))) return at + 4;
    if (taken !== 0) {
      if (taken <= place && !(state & NULL_TAKEN)) return skip(at);
      // the reports inside the value of the previous key no longer apply
      if (kind !== L.KIND_SLOT && hasReports()) return 0;
      mixUp(frame);
    }
  }
  setState(frame, rank, (state & SEEN) | takenAt(place) | (isNull ? NULL_TAKEN : 0));
  if (kind === L.KIND_SLOT) {
    keepValue(frame, rank, at);
    return skip(at);
  }
  // `targets` records the output of each field on the path
  if (kind === L.KIND_PATH) return path(load<u32>(field, L.FIELD_ARGUMENT), frame, at);
  const start = out;
  const isScalar = kind < <u32>L.KIND_MESSAGE;
  let end = isScalar ? scalar(field, kind, at) : below(kind, field, rank, at);
  if (end === 0 && isScalar && hidden === 0) end = unusualValue(field, kind, rank, at, start);
  note(frame, rank, start);
  return end;
}

/**
 * Forgets the value of a key that arrives again, since the last value counts. Returns false if the previous
 * value has left more than output.
 */
function forgetValue(frame: usize, rank: u32, state: u32, bit: u32, kind: u32): bool {
  const isPlain = (state & SEEN) === bit && kind <= <u32>L.KIND_LIST_VALUE;
  if (!isPlain || hasReports()) return false;
  unnote(frame, rank);
  return true;
}

/** Reads the value of a field whose notation or type is unusual. */
function unusualValue(field: usize, kind: u32, rank: u32, at: usize, start: usize): usize {
  enter(rank, field);
  goOn(start);
  let end = converted(field, kind, at, isLoose(field));
  if (end === 0) {
    goOn(start);
    end = handOver(field, at);
  }
  leave();
  return end;
}

/** Reads an object on a path: fields of the outer message read the keys of the object. */
function path(keys: usize, frame: usize, from: usize): usize {
  if (byte(from) !== OPEN_BRACE) return 0;
  const first = waiting;
  let at = space(from + 1);
  if (byte(at) === CLOSE_BRACE) return at + 1;
  while (true) {
    const row = keyRow(keys, at);
    at = valueAt;
    if (at !== 0) at = row === 0 ? beyond(keys, first, at) : targets(frame, row, at);
    if (at === 0) return 0;
    at = space(at);
    const c = byte(at++);
    if (c === CLOSE_BRACE) break;
    if (c !== COMMA) return 0;
    at = space(at);
  }
  forget(first);
  return at;
}

/** Handles a key that is not part of any path. */
function beyond(keys: usize, first: usize, at: usize): usize {
  const collector = load<u32>(keys, L.PATH_COLLECTOR);
  if (collector === L.COLLECTOR_IGNORE) return skip(at);
  return collector === L.COLLECTOR_NONE ? surplus(first, load<u32>(keys, L.PATH_PLACE), at) : 0;
}

/** Reads a value that may contain unknown keys. */
function below(kind: u32, field: usize, rank: u32, at: usize): usize {
  // an envelope is not part of the message
  if (kind > <u32>L.KIND_LIST_VALUE && kind !== L.KIND_BYTES) return value(field, at);
  enter(rank, field);
  const end = valueOrHandOver(field, at, kind === L.KIND_MESSAGE || kind === L.KIND_LIST);
  leave();
  return end;
}

/** Completes an object after its last key: writes the deferred keys, and sorts the fields. */
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

/** Writes the member of a oneof that the keys of the object select. */
function choose(choice: usize, frame: usize): bool {
  const at = chosen(choice, frame);
  if (at < NONE || !areHeld(choice, frame)) return false;
  const index = at < 0 ? load<i32>(choice, L.CHOICE_OTHERWISE) : at;
  if (index < 0) return areEmpty(choice, frame, -1);
  const which: usize = load<u32>(choice, L.CHOICE_MEMBERS) + <usize>index * L.MEMBER_SIZE;
  const field: usize = load<u32>(which, L.MEMBER_FIELD);
  const slot = load<i32>(which, L.MEMBER_SLOT);
  const start = out;
  const isByName = namedBy >= 0;
  if (slot < 0) {
    hide();
    if (!shared(field, frame)) return false;
    show();
  } else if (placeTaken(frame, slot) !== 0) {
    if (unnamed(field, keptValue(frame, slot)) === 0) return false;
    if (isByName && out === start) return false;
  } else if (isByName) {
    // JavaScript sets a named member even if its key is absent
    return false;
  }
  note(frame, load<u32>(choice, L.CHOICE_RANK), start);
  return areEmpty(choice, frame, slot);
}

/** Reads a message that shares the object of another message. Its keys are among the deferred keys. */
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
