import { endOfString } from "../json/json-text.ts";
import { atOnce, type Work } from "../time/work.ts";
import { TooCostly } from "./budget.ts";

/** What a value costs that is neither an object nor an array: a number, a word, a text, a key. */
const VALUE_COST = 1;
/** What an array costs. */
const ARRAY_COST = 3;
/** What an object costs: a decoder asks it for every field of its message, there or not. */
const OBJECT_COST = 8;
/**
 * What a text costs beside its value that begins like a number: a time,
 * a duration or a 64-bit integer is read from it.
 */
const NUMERIC_TEXT_COST = 3;
/**
 * What a number costs beside its value that JSON.parse may round: all is parsed again,
 * and it becomes a bigint.
 */
const LONG_NUMBER_COST = 16;
/** The length of the shortest such number. */
const LONG_NUMBER = 16;
/** What a fraction costs beside its value: its notation may have to be kept. */
const FRACTION_COST = 1;
/**
 * What a number costs beside its value that JSON.parse gives another notation, `1.0`, `1e3` or `-0`,
 * and may have to be kept.
 */
const NOTATION_COST = 9;
/** What a number costs whose exponent has three digits: it is written out as one of up to a thousand. */
const LARGE_NUMBER_COST = 300;
/** The length of the shortest such number, `1e100`. */
const LARGE_NUMBER = 5;
/** What a key costs more that no object before has: it is kept, and the shape of its object is new. */
const NEW_KEY_COST = 12;
/** As many different keys are ordinary: only more of them cost more. */
const ORDINARY_KEYS = 1000;
/**
 * The bits that tell which keys have been there, by their hash: 128 KB,
 * of which a text within the limit sets few.
 */
const KEY_BITS = 2 ** 20;
/** So that nobody can write keys that are different and have one hash. */
const SEED = Math.floor(Math.random() * 2 ** 31);
/** What a character can cost at most. */
const MAX_COST_PER_CHARACTER = (VALUE_COST + NOTATION_COST + LARGE_NUMBER_COST) / LARGE_NUMBER;

// the loop below takes a third longer with constants of another file
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const LETTER_E = 0x65;
const LOWER_CASE = 0x20;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const LARGE_EXPONENT = /e\+?0*[1-9]\d\d/i;
/** Longer numbers are never written out. */
const MAX_NUMBER = 1000;
/** What each character beyond that costs: all of it is still looked at several times at once. */
const DIGIT_COST = 1;

/** So many characters are looked at before others have their turn. */
const PIECE = 64 * 1024;

/**
 * Counts what it costs to parse JSON and to decode what is in it, by one look at each character, since a few
 * bytes can be a costly value. Short texts are not looked at. Text that is no JSON costs something; whoever
 * parses it says what is wrong.
 *
 * @returns what was counted; 0 for what cannot exceed the limit
 * @throws TooCostly as soon as it is more than the limit
 */
export function checkJsonCost(text: string, limit: number): number {
  return atOnce(checkJsonCostInPieces(text, limit));
}

/** Like `checkJsonCost`, in pieces. */
export function* checkJsonCostInPieces(text: string, limit: number): Work<number> {
  if (text.length * MAX_COST_PER_CHARACTER <= limit) return 0;
  const count = new CostCount(text, limit);
  for (let at = 0; at < text.length; ) {
    const end = count.upTo(at, at + PIECE);
    yield Math.min(end - at, PIECE);
    at = end;
  }
  return count.cost;
}

class CostCount {
  cost = 0;
  private readonly text: string;
  private readonly limit: number;
  private readonly keys = new Uint8Array(KEY_BITS / 8);
  private newKeys = 0;

  constructor(text: string, limit: number) {
    this.text = text;
    this.limit = limit;
  }

  /** Counts what begins in front of `to`; returns where the last of it ends. */
  upTo(from: number, to: number): number {
    const { text, keys, limit } = this;
    const bound = Math.min(to, text.length);
    let { cost } = this;
    let at = from;
    while (at < bound) {
      const code = text.charCodeAt(at);
      if (
        code <= SPACE ||
        code === COMMA ||
        code === COLON ||
        code === CLOSE_BRACE ||
        code === CLOSE_BRACKET
      ) {
        at++;
        continue;
      }
      if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        cost += code === OPEN_BRACE ? OBJECT_COST : ARRAY_COST;
        at++;
      } else if (code === QUOTE) {
        cost += isNumeric(text.charCodeAt(at + 1)) ? VALUE_COST + NUMERIC_TEXT_COST : VALUE_COST;
        const end = endOfString(text, at + 1);
        if (isKey(text, end) && isNew(keys, text, at + 1, end) && ++this.newKeys > ORDINARY_KEYS) {
          cost += NEW_KEY_COST;
        }
        at = end;
      } else {
        const end = endOfScalar(text, at + 1);
        cost += isNumeric(code) ? numberCost(text, at, end) : VALUE_COST;
        at = end;
      }
      if (cost > limit) throw new TooCostly(`more than ${limit}`);
    }
    this.cost = cost;
    return at;
  }
}

/** Whether the string that ends here is a key. */
export function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}

/** Whether no key was there before that is like this one. */
function isNew(keys: Uint8Array, text: string, start: number, end: number): boolean {
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  const bit = (hash ^ (hash >>> 15)) & (KEY_BITS - 1);
  const byte = keys[bit >> 3] ?? 0;
  const mask = 1 << (bit & 7);
  keys[bit >> 3] = byte | mask;
  return (byte & mask) === 0;
}

export function isNumeric(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === MINUS;
}

function numberCost(text: string, start: number, end: number): number {
  const length = end - start;
  if (length === 1) return VALUE_COST;
  if (length > MAX_NUMBER) return VALUE_COST + LONG_NUMBER_COST + DIGIT_COST * (length - MAX_NUMBER);
  if (length >= LONG_NUMBER) return VALUE_COST + LONG_NUMBER_COST + exponentCost(text, start, end);
  return VALUE_COST + notationCost(text, start, end);
}

/** What the notation of a short number adds. */
function notationCost(text: string, start: number, end: number): number {
  let cost = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === POINT) cost = FRACTION_COST;
    if ((code | LOWER_CASE) === LETTER_E) return NOTATION_COST + exponentCost(text, start, end);
  }
  const endsInZero = text.charCodeAt(end - 1) === ZERO;
  const isMinusZero = end - start === 2 && text.charCodeAt(start) === MINUS;
  return endsInZero && (cost > 0 || isMinusZero) ? NOTATION_COST : cost;
}

function exponentCost(text: string, start: number, end: number): number {
  return LARGE_EXPONENT.test(text.slice(start, end)) ? LARGE_NUMBER_COST : 0;
}

/** Behind a number or a word. */
export function endOfScalar(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return at;
    if (code === QUOTE || code === OPEN_BRACE || code === OPEN_BRACKET || code === COLON) return at;
  }
  return text.length;
}
