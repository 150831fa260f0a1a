import { systemClock } from "../time/clock.ts";
import { areEqual, exactDecimal, integerDigits, MAX_DIGITS } from "./exact-decimal.ts";
import type { JsonValue } from "./json.ts";
import { endOfString } from "./json-text.ts";
import { NumberText } from "./number-text.ts";
import { isRoundedFraction } from "./rounded-fractions.ts";

/** Selects numbers. */
interface Selection {
  /** Matches any text that contains such a number. */
  readonly suspicious: RegExp;
  /** Returns the digits to be preserved; undefined if JSON.parse preserves the number. */
  readonly kept: (number: string) => string | undefined;
}

const FRACTIONS: Selection = {
  suspicious: /[\d.]{17}|\d[eE]-\d{3}/,
  kept: (number) => (isFraction(number) ? number : undefined),
};

const VALUES: Selection = {
  suspicious: /[\d.]{16}|\d[eE]/,
  kept: (number) => bigDigits(number) ?? (isExact(number) ? undefined : number),
};

const NOTATIONS: Selection = {
  // matches any number except a short integer, and also -0
  suspicious: /\d{16}|[.eE]|-0/,
  kept: (number) => (isPlain(number) ? undefined : number),
};

/** The numbers that a parser of JSON preserves, in addition to the numbers that a double preserves. */
export type Preserved = "fractions" | "values" | "notations";

const SELECTIONS: Readonly<Record<Preserved, Selection>> = {
  fractions: FRACTIONS,
  values: VALUES,
  notations: NOTATIONS,
};

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * Quotes numbers that JSON.parse would change, with a prefix that no other string of the document has, so
 * that JSON.parse preserves their digits. Returns undefined if no such number exists.
 *
 * The function scans from string to string and never recurses, so that neither a deep nor a long document
 * overflows the stack. A reviver for JSON.parse recurses, and a regular expression that matches strings can
 * overflow the stack, too.
 *
 * @param preserved `fractions`: fractions whose nearest double is an integer; `values`: also integers beyond
 *   2^53 and numbers with more digits than a double holds; `notations`: all numbers that JSON.stringify would
 *   not write in the same way
 */
export function quoteNumbers(
  json: string,
  preserved: Preserved,
): { readonly text: string; readonly mark: string } | undefined {
  const { suspicious, kept: keptDigits } = SELECTIONS[preserved];
  // unguessable, so that no string in the document looks like a quoted number
  const mark = `#${systemClock.randomHex(16)}:`;
  let text = "";
  let copied = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    const gap = json.slice(at, end);
    if (gap.length > 1 && suspicious.test(gap)) {
      const kept = gap.replace(NUMBER, (number) => {
        const digits = keptDigits(number);
        return digits === undefined ? number : `"${mark}${digits}"`;
      });
      if (kept !== gap) {
        text += json.slice(copied, at) + kept;
        copied = end;
      }
    }
    at = quote < 0 ? json.length : endOfString(json, quote + 1);
  }
  return copied === 0 ? undefined : { text: text + json.slice(copied), mark };
}

/** Replaces the quoted numbers in a parsed value with bigints and `NumberText`, in place. */
export function unquoteNumbers(root: JsonValue, mark: string): JsonValue {
  const holder: Container = { root };
  // an explicit stack, since the document may be deeply nested
  const open: Container[] = [holder];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === "string") {
        if (value.startsWith(mark)) container[key] = unquoted(value.slice(mark.length));
      } else if (typeof value === "object" && value !== null && !(value instanceof NumberText)) {
        open.push(value as Container);
      }
    }
  }
  return holder.root ?? null;
}

type Container = Record<string, JsonValue | undefined>;

function isFraction(number: string): boolean {
  // an invalid number stays unquoted, and JSON.parse rejects it
  return isRoundedFraction(number) && JSON_NUMBER.test(number);
}

/** Returns the digits of an integer beyond 2^53. */
function bigDigits(number: string): string | undefined {
  const digits = integerDigits(number);
  return digits === undefined || Number.isSafeInteger(Number(digits)) ? undefined : digits;
}

/** Reports whether JSON.parse preserves the value of a number: its shortest notation has the same digits. */
function isExact(number: string): boolean {
  const decimal = exactDecimal(number);
  const isSame = decimal !== undefined && areEqual(decimal, exactDecimal(String(Number(number))));
  return isSame || !JSON_NUMBER.test(number);
}

/** Reports whether JSON.parse preserves the notation of a number. */
function isPlain(number: string): boolean {
  const value = Number(number);
  const isSame = String(value) === number && (Number.isSafeInteger(value) || !Number.isInteger(value));
  return isSame || !JSON_NUMBER.test(number);
}

function unquoted(number: string): bigint | NumberText {
  // longer integers do not fit any field, and converting them to a bigint takes quadratic time
  const isInteger = number.length <= MAX_DIGITS && /^-?\d+$/.test(number);
  if (isInteger && number !== "-0") return BigInt(number);
  const digits = integerDigits(number);
  const isBig = digits !== undefined && !Number.isSafeInteger(Number(digits));
  return new NumberText(number, isBig ? BigInt(digits) : Number(number));
}
