import { systemClock } from "../time/clock.ts";
import type { JsonValue } from "./json.ts";

const MAX_DIGITS = 1000;
const SUSPICIOUS = /\d{16}|\d[eE]/;
const NUMBER = /-?\d[\d.eE+-]*/g;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const BACKSLASH = 92;

/**
 * Puts every number of a JSON text that is an integer beyond 2^53 into quotes, behind a mark that nothing else in
 * the text begins with, so that JSON.parse keeps its digits. undefined when there is none.
 *
 * It walks from string to string and never recurses: neither a deep nor a long document overflows the stack, as
 * the reviver of JSON.parse or a regular expression over strings would.
 */
export function quoteBigNumbers(json: string): { readonly text: string; readonly mark: string } | undefined {
  // unguessable, so that no string of the document can pass for a number
  const mark = `#${systemClock.randomHex(16)}:`;
  let text = "";
  let copied = 0;
  for (let at = 0; at < json.length; ) {
    const quote = json.indexOf('"', at);
    const end = quote < 0 ? json.length : quote;
    const gap = json.slice(at, end);
    if (gap.length > 2 && SUSPICIOUS.test(gap)) {
      text += json.slice(copied, at) + gap.replace(NUMBER, (number) => quoted(number, mark));
      copied = end;
    }
    at = quote < 0 ? json.length : endOfString(json, quote + 1);
  }
  return copied === 0 ? undefined : { text: text + json.slice(copied), mark };
}

/** Replaces the quoted numbers in a parsed value, which it changes in place, by bigints. */
export function unquoteBigNumbers(root: JsonValue, mark: string): JsonValue {
  const holder: Container = { root };
  // a stack of our own: the document may be deep
  const open: Container[] = [holder];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const key of Object.keys(container)) {
      const value = container[key];
      if (typeof value === "string") {
        if (value.startsWith(mark)) container[key] = BigInt(value.slice(mark.length));
      } else if (typeof value === "object" && value !== null) {
        open.push(value as Container);
      }
    }
  }
  return holder.root ?? null;
}

type Container = Record<string, JsonValue | undefined>;

function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at >= 0; at = json.indexOf('"', at + 1)) {
    let slash = at - 1;
    while (slash >= start && json.charCodeAt(slash) === BACKSLASH) slash--;
    if ((at - 1 - slash) % 2 === 0) return at + 1;
  }
  return json.length;
}

function quoted(number: string, mark: string): string {
  const digits = integerDigits(number);
  return digits === undefined || Number.isSafeInteger(Number(digits)) ? number : `"${mark}${digits}"`;
}

/** The plain digits of an integer, whose notation may have a fraction and an exponent. */
function integerDigits(number: string): string | undefined {
  if (number.length > MAX_DIGITS) return undefined;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = PARTS.exec(number) ?? [];
  const digits = whole + fraction;
  const length = whole.length + Number(exponent);
  if (length > MAX_DIGITS || length <= 0) return undefined;
  if (!/^0*$/.test(digits.slice(length))) return undefined;
  return sign + digits.slice(0, length).padEnd(length, "0");
}
