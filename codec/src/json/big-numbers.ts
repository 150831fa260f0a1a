import { systemClock } from "../time/clock.ts";
import { integerDigits, MAX_DIGITS } from "./exact-decimal.ts";
import type { JsonValue } from "./json.ts";
import { endOfString } from "./json-text.ts";
import { NumberText } from "./number-text.ts";

const SUSPICIOUS = /\d{16}|\d[eE]/;
// matches any number except a short integer, and also -0
const NOTATION = /\d{16}|[.eE]|-0/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER = /-?\d[\d.eE+-]*/g;

/**
 * Quotes every integer beyond 2^53 in JSON, with a prefix that no other string of the document has, so that
 * JSON.parse preserves its digits. With `verbatim`, quotes every number whose notation JSON.parse would
 * change. Returns undefined if no such number exists.
 *
 * The function scans from string to string and never recurses, so that neither a deep nor a long document
 * overflows the stack. A reviver for JSON.parse recurses, and a regular expression that matches strings can
 * overflow the stack, too.
 */
export function quoteBigNumbers(
  json: string,
  verbatim = false,
): { readonly text: string; readonly mark: string } | undefined {
  const suspicious = verbatim ? NOTATION : SUSPICIOUS;
  const write = verbatim ? quotedVerbatim : quoted;
  // unguessable, so that no string in the document looks like a quoted number
  const mark = `#${systemClock.randomHex(16)}:`;
  let text = "";
  let copied = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    const gap = json.slice(at, end);
    if (gap.length > 1 && suspicious.test(gap)) {
      const kept = gap.replace(NUMBER, (number) => write(number, mark));
      if (kept !== gap) {
        text += json.slice(copied, at) + kept;
        copied = end;
      }
    }
    at = quote < 0 ? json.length : endOfString(json, quote + 1);
  }
  return copied === 0 ? undefined : { text: text + json.slice(copied), mark };
}

/** Replaces the quoted numbers in a parsed value with bigints, in place. */
export function unquoteBigNumbers(root: JsonValue, mark: string): JsonValue {
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

function quoted(number: string, mark: string): string {
  const digits = integerDigits(number);
  return digits === undefined || Number.isSafeInteger(Number(digits)) ? number : `"${mark}${digits}"`;
}

function quotedVerbatim(number: string, mark: string): string {
  // an invalid number stays unquoted, and JSON.parse rejects it
  const value = Number(number);
  const isPlain = String(value) === number && (Number.isSafeInteger(value) || !Number.isInteger(value));
  const isKept = isPlain || !JSON_NUMBER.test(number);
  return isKept ? number : `"${mark}${number}"`;
}

function unquoted(number: string): bigint | NumberText {
  // longer integers do not fit any field, and converting them to a bigint takes quadratic time
  const isInteger = number.length <= MAX_DIGITS && /^-?\d+$/.test(number);
  if (isInteger && number !== "-0") return BigInt(number);
  const digits = integerDigits(number);
  const isBig = digits !== undefined && !Number.isSafeInteger(Number(digits));
  return new NumberText(number, isBig ? BigInt(digits) : Number(number));
}
