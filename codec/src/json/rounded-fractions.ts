/** Finds fractions that JSON.parse turns into integers: `4503599627370497.5`, `1e-400`. */
import { integerDigits } from "./exact-decimal.ts";

/**
 * The minimum number of digits of a fraction whose nearest double is an integer, unless an exponent makes the
 * fraction too small for a double.
 */
const MIN_DIGITS = 17;

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LETTER_E = 0x65;
const LOWER_CASE = 0x20;

/** Reports whether a number is a fraction, although its nearest double is an integer. */
export function isRoundedFraction(number: string): boolean {
  return /[.eE]/.test(number) && Number.isInteger(Number(number)) && integerDigits(number) === undefined;
}

/**
 * Reports whether JSON contains such a number, perhaps in a string. The function reads only every 17th
 * character of most documents.
 */
export function hasRoundedFraction(json: string): boolean {
  return hasLongFraction(json) || hasTinyFraction(json);
}

function hasLongFraction(json: string): boolean {
  for (let start = 0; start + MIN_DIGITS <= json.length; ) {
    let at = start + MIN_DIGITS - 1;
    while (at >= start && isDigitOrPoint(json.charCodeAt(at))) at--;
    if (at < start) {
      const end = endOfNumber(json, start);
      if (isRoundedFraction(json.slice(startOfNumber(json, start), end))) return true;
      start = end;
    } else {
      start = at + 1;
    }
  }
  return false;
}

function hasTinyFraction(json: string): boolean {
  for (let at = json.indexOf("-"); at >= 0; at = json.indexOf("-", at + 1)) {
    if ((json.charCodeAt(at - 1) | LOWER_CASE) !== LETTER_E) continue;
    const start = startOfNumber(json, at);
    at = endOfNumber(json, at);
    if (isRoundedFraction(json.slice(start, at))) return true;
  }
  return false;
}

function startOfNumber(json: string, within: number): number {
  let start = within;
  while (isNumeric(json.charCodeAt(start - 1))) start--;
  return start;
}

function endOfNumber(json: string, within: number): number {
  let end = within;
  while (isNumeric(json.charCodeAt(end))) end++;
  return end;
}

function isDigitOrPoint(code: number): boolean {
  return code <= NINE && (code >= ZERO || code === POINT);
}

/** Reports whether a character may be part of a number: a digit, or one of `+-.Ee`. */
function isNumeric(code: number): boolean {
  return isDigitOrPoint(code) || (code | LOWER_CASE) === LETTER_E || code === MINUS || code === PLUS;
}
