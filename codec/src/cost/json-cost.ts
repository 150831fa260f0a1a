import { endOfString } from "../json/json-text.ts";
import { atOnce, type Work } from "../time/work.ts";
import { TooCostly } from "./budget.ts";

/** The cost of a scalar value: a number, a literal, a string, a key. */
const VALUE_COST = 1;
/** The cost of an array. */
const ARRAY_COST = 3;
/** The cost of an object: a decoder looks up every field of its message, present or not. */
const OBJECT_COST = 8;
/**
 * The extra cost of a string that begins like a number: a time, a duration or a 64-bit integer is parsed
 * from it.
 */
const NUMERIC_TEXT_COST = 3;
/**
 * The extra cost of a number that JSON.parse may round: the text is parsed again, and the number becomes a
 * bigint.
 */
const LONG_NUMBER_COST = 16;
/** The length of the shortest number that JSON.parse may round. */
const LONG_NUMBER = 16;
/** The extra cost of a fraction, whose notation may have to be preserved. */
const FRACTION_COST = 1;
/**
 * The extra cost of a number whose notation JSON.parse changes (`1.0`, `1e3`, `-0`) and which may have to
 * be preserved.
 */
const NOTATION_COST = 9;
/**
 * The extra cost of a number with a three-digit exponent, which is written out with up to a thousand
 * digits.
 */
const LARGE_NUMBER_COST = 300;
/** The length of the shortest number with such an exponent, `1e100`. */
const LARGE_NUMBER = 5;
/**
 * The extra cost of a key that occurs for the first time: it is stored, and its object gets a new shape.
 */
const NEW_KEY_COST = 12;
/** The number of distinct keys that cost nothing extra. */
const ORDINARY_KEYS = 1000;
/**
 * The number of bits that record which keys have occurred, by their hash: 128 KB, of which a text within
 * the limit sets few.
 */
const KEY_BITS = 2 ** 20;
/** Random, so that nobody can craft distinct keys with the same hash. */
const SEED = Math.floor(Math.random() * 2 ** 31);
/** The most that a character can cost. */
const MAX_COST_PER_CHARACTER = (VALUE_COST + NOTATION_COST + LARGE_NUMBER_COST) / LARGE_NUMBER;

// local constants: the loop below is a third slower with constants of another file
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
/** The cost of each further digit, which is still scanned several times. */
const DIGIT_COST = 1;

/** The number of characters scanned before other work gets its turn. */
const PIECE = 64 * 1024;

/**
 * Counts the cost of parsing JSON and decoding it, with one look at each character, since a few bytes can
 * make a costly value. Short texts are not scanned. Text that is not JSON also has a cost; its parser
 * reports the error.
 *
 * @returns the cost; 0 for a text that cannot exceed the limit
 * @throws TooCostly as soon as the cost exceeds the limit
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

  /** Counts the values that begin before `to`; returns where the last of them ends. */
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

/** Reports whether the string that ends here is a key. */
export function isKey(text: string, end: number): boolean {
  let at = end;
  while (text.charCodeAt(at) <= SPACE) at++;
  return text.charCodeAt(at) === COLON;
}

/** Reports whether a key occurs for the first time. */
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

/** Returns the extra cost of the notation of a short number. */
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

/** Returns the position after a number or literal. */
export function endOfScalar(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) return at;
    if (code === QUOTE || code === OPEN_BRACE || code === OPEN_BRACKET || code === COLON) return at;
  }
  return text.length;
}
