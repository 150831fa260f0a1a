/** Reads oneofs whose members are selected by the keys of the object. */
import {
  byte,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  isDigit,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  space,
} from "./bytes";
import { keptValue, placeTaken, SEEN, stateOf } from "./frame";
import * as L from "./layout";
import { isWord, word } from "./words";

/** Results of a selection: `NONE` if no member is selected, `UNKNOWN` if JavaScript must decide. */
export const NONE = -1;
export const UNKNOWN = -2;

/** The slot of the value that named the last selected member; negative if no value did. */
export let namedBy: i32 = -1;

/** Returns the index of the selected member. */
export function chosen(choice: usize, frame: usize): i32 {
  namedBy = -1;
  const first: usize = load<u32>(choice, L.CHOICE_CASES);
  const end = first + <usize>load<u32>(choice, L.CHOICE_CASE_COUNT) * L.CASE_SIZE;
  for (let each = first; each < end; each += L.CASE_SIZE) {
    const slot = load<u32>(each, L.CASE_SLOT);
    // the object contains the discriminator under two of its names
    if (popcnt(stateOf(frame, slot) & SEEN) > 1) return UNKNOWN;
    const isPresent = placeTaken(frame, slot) !== 0;
    const holds = isPresent
      ? test(each, keptValue(frame, slot), load<u32>(choice, L.CHOICE_WORDS))
      : load<u32>(each, L.CASE_TEST) === L.TEST_ABSENT
        ? 1
        : 0;
    if (holds < 0) return UNKNOWN;
    if (holds) {
      if (load<u32>(each, L.CASE_TEST) === L.TEST_WORD) namedBy = slot;
      return load<i32>(each, L.CASE_MEMBER);
    }
  }
  return NONE;
}

/** Reports whether a value meets a condition: 1 for yes, 0 for no, -1 if JavaScript must decide. */
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
    case L.TEST_WORD:
      if (c !== QUOTE) return withWords ? -1 : 0;
      if (word(at + 1) === 0) return -1;
      return isWord(load<u32>(condition, L.CASE_TEXT), load<u32>(condition, L.CASE_LENGTH)) ? 1 : 0;
    default:
      return 0;
  }
}

/** Reports whether the keys that only conditions test have no value, except a value that named the member. */
export function areHeld(choice: usize, frame: usize): bool {
  const first: usize = load<u32>(choice, L.CHOICE_SOLE);
  const end = first + ((<usize>load<u32>(choice, L.CHOICE_SOLE_COUNT)) << 2);
  for (let at = first; at < end; at += 4) {
    const slot = load<u32>(at);
    if (<i32>slot !== namedBy && placeTaken(frame, slot) !== 0) return false;
  }
  return true;
}

/** Reports whether the keys of all members except the selected one have no value. */
export function areEmpty(choice: usize, frame: usize, except: i32): bool {
  const first: usize = load<u32>(choice, L.CHOICE_SLOTS);
  const end = first + ((<usize>load<u32>(choice, L.CHOICE_SLOT_COUNT)) << 2);
  for (let at = first; at < end; at += 4) {
    const slot = load<u32>(at);
    if (<i32>slot !== except && placeTaken(frame, slot) !== 0 && !isEmpty(keptValue(frame, slot))) {
      return false;
    }
  }
  return true;
}

function isEmpty(at: usize): bool {
  const c = byte(at);
  const next = byte(space(at + 1));
  return (c === OPEN_BRACE && next === CLOSE_BRACE) || (c === OPEN_BRACKET && next === CLOSE_BRACKET);
}
