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
 * The extra cost of a string that begins like a number: it may be parsed as a time, a duration or a 64-bit
 * integer.
 */
const NUMERIC_TEXT_COST = 3;
/** The extra cost of a number that JSON.parse may round: it is parsed again and becomes a bigint. */
const LONG_NUMBER_COST = 16;
/** The length of the shortest number that JSON.parse may round. */
const LONG_NUMBER = 16;
/** The extra cost of a number with a fraction, whose notation may have to be preserved. */
const FRACTION_COST = 1;
/**
 * The extra cost of a number whose notation JSON.parse changes (`1.0`, `1e3`, `-0`), because a field may have
 * to preserve the notation.
 */
const NOTATION_COST = 9;
/**
 * The extra cost of a number with a three-digit exponent, which may be written out with up to a thousand
 * digits.
 */
const LARGE_NUMBER_COST = 300;
/** The length of the shortest number with such an exponent, `1e100`. */
const LARGE_NUMBER = 5;
/**
 * The extra cost of a key that occurs for the first time: V8 stores the key, and its object gets a new shape.
 */
const NEW_KEY_COST = 12;
/** The number of distinct keys that have no extra cost. */
const ORDINARY_KEYS = 1000;
/**
 * The number of bits in the filter of keys that have occurred, indexed by hash. The filter takes 128 KB, and
 * a document within the limit sets few bits.
 */
const KEY_BITS = 2 ** 20;
/** A random seed, so that nobody can craft distinct keys with the same hash. */
const SEED = Math.floor(Math.random() * 2 ** 31);
/** The maximum cost per character. */
const MAX_COST_PER_CHARACTER = (VALUE_COST + NOTATION_COST + LARGE_NUMBER_COST) / LARGE_NUMBER;

// local constants: with imported constants the loop below takes a third longer
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
/** The length up to which a number has no `DIGIT_COST`. */
const MAX_NUMBER = 1000;
/** The cost of each digit after this length: the decoder still scans the number several times. */
const DIGIT_COST = 1;

/** The number of characters to scan before yielding to other work. */
const PIECE = 64 * 1024;

/**
 * Counts the cost of parsing and decoding JSON in a single pass over its characters, since a few bytes can
 * make a costly value. Short documents are not scanned. Invalid JSON also has a cost; the parser reports the
 * error.
 *
 * @returns the cost; 0 for a document that is too short to exceed the limit
 * @throws TooCostly as soon as the cost exceeds the limit
 */
export function checkJsonCost(text: string, limit: number): number {
  return atOnce(checkJsonCostInPieces(text, limit));
}

/** Like `checkJsonCost`, but yields between pieces. */
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

  /** Counts the values that begin before `to`. Returns the end of the last value. */
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

/** Reports whether the string that ends at a position is a key. */
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
