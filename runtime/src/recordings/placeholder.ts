import { hash, randomBytes } from "node:crypto";
import { type JsonValue, NumberText } from "connect-rest-codec/internal";

const UNSIGNED = /^(-?)(\d+)((?:\.\d+)?)((?:[eE][+-]?\d+)?)$/;
/** ISO 8601 and similar notations, with an optional time and zone. */
const ISO_TIME =
  /^\d{4}-\d\d-\d\d(?:([T ])\d\d:\d\d(?:(:\d\d)(?:\.(\d+))?)?( ?(?:Z|GMT|UTC|[+-]\d\d:?\d\d))?)?$/i;
/** The dates of HTTP (RFC 9110 section 5.6.7) and of email (RFC 5322 section 3.3). */
const NAMED_TIME = /^[A-Z][a-z]{2}, (\d{1,2}) [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})$/;
const HEX = /^(?=.*\d)(?:[\da-f-]{8,}|[\dA-F-]{8,})$/;
const SCHEME = /^[a-z][a-z0-9+.-]{1,9}:\/\//i;
const SECONDS_OF_30_YEARS = 946_684_800;

/**
 * The largest integers of the widths, and a first digit with which any number of as many digits belongs to
 * the same width.
 */
const WIDTHS: ReadonlyArray<readonly [max: bigint, first: string]> = [
  [2n ** 31n - 1n, "1"],
  [2n ** 32n - 1n, "3"],
  [2n ** 53n - 1n, "5"],
  [2n ** 63n - 1n, "7"],
];

/**
 * Replaces values by placeholders of the same JSON type, length, number of digits, fraction and notation of
 * times. Equal values have equal placeholders. Nothing can be computed from a placeholder without the secret
 * that only this object has.
 */
export class Placeholders {
  private readonly salt = randomBytes(32).toString("hex");

  /** Returns a value in which each string, number and boolean is replaced. The keys of objects are kept. */
  of(value: JsonValue): JsonValue {
    if (value === null) return null;
    if (Array.isArray(value)) return value.map((each: JsonValue) => this.of(each));
    switch (typeof value) {
      case "string":
        return this.text(value);
      case "boolean":
        return value !== this.isEven("boolean");
      case "number":
      case "bigint":
        return numberOf(this.number(String(value)));
    }
    if (value instanceof NumberText) return numberOf(this.number(value.source));
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, each === undefined ? undefined : this.of(each)]),
    );
  }

  private text(text: string): string {
    if (text === "true" || text === "false") return String((text === "true") !== this.isEven("boolean"));
    if (UNSIGNED.test(text)) return this.number(text);
    const iso = ISO_TIME.exec(text);
    if (iso !== null) return this.isoTime(text, iso);
    const named = NAMED_TIME.exec(text);
    if (named !== null) return this.namedTime(text, named);
    const [scheme = ""] = SCHEME.exec(text) ?? [];
    return scheme + this.characters(text.slice(scheme.length), HEX.test(text));
  }

  /** Replaces letters by letters and digits by digits, and keeps all other ASCII characters. */
  private characters(text: string, isHex: boolean): string {
    const random = this.random(text);
    return text.replace(/[0-9A-Za-z\u0080-\uffff]/g, (character, at: number) => {
      const drawn = random(at);
      if (character >= "0" && character <= "9") return String(drawn % 10);
      const letter = String.fromCharCode(97 + (drawn % (isHex ? 6 : 26)));
      return character >= "A" && character <= "Z" ? letter.toUpperCase() : letter;
    });
  }

  /** Replaces the digits of a number; its sign, its width and its exponent are kept. */
  private number(text: string): string {
    const [, sign = "", whole = "", fraction = "", exponent = ""] = UNSIGNED.exec(text) ?? [];
    const random = this.random(text);
    const digits = Array.from(whole, (_, at) => String(random(at) % 10));
    if (whole.startsWith("0")) {
      digits[0] = "0";
    } else {
      const first = firstDigits(whole, random(0), random(1));
      digits.splice(0, first.length, ...first);
    }
    const isZero = /^\.0+$/.test(fraction);
    const parts = Array.from(fraction.slice(1), (_, at) => String(1 + (random(whole.length + at) % 9)));
    const shown = fraction === "" || isZero ? fraction : `.${parts.join("")}`;
    return `${sign}${digits.join("")}${shown}${exponent}`;
  }

  private isoTime(text: string, [, separator, seconds, fraction, zone = ""]: RegExpExecArray): string {
    const random = this.random(text);
    const time = this.time(text).toISOString();
    if (separator === undefined) return time.slice(0, 10);
    const shown = time.slice(0, seconds === undefined ? 16 : 19).replace("T", separator);
    const parts = Array.from(fraction ?? "", (_, at) => String(random(at) % 10)).join("");
    return `${shown}${parts === "" ? "" : `.${parts}`}${zone}`;
  }

  private namedTime(text: string, [, day = "", zone = ""]: RegExpExecArray): string {
    const time = this.time(text);
    if (day.length === 1) time.setUTCDate(1 + (time.getUTCDate() % 9));
    const shown = time.toUTCString().replace("GMT", zone);
    return day.length === 1 ? shown.replace(", 0", ", ") : shown;
  }

  /** Returns a time in the years 2000 to 2029. */
  private time(text: string): Date {
    const random = this.random(text);
    const drawn = random(0) * 2 ** 24 + random(1) * 2 ** 16 + random(2) * 2 ** 8 + random(3);
    return new Date((SECONDS_OF_30_YEARS + (drawn % SECONDS_OF_30_YEARS)) * 1000);
  }

  private isEven(text: string): boolean {
    return this.random(text)(0) % 2 === 0;
  }

  /** Returns a function from a position to a number below 256. */
  private random(text: string): (at: number) => number {
    const bytes = hash("sha256", `${this.salt}${text}`, "buffer");
    return (at) => ((bytes[at % 32] ?? 0) + Math.floor(at / 32) * 37) % 256;
  }
}

/**
 * Returns first digits that keep an integer in its width, and a time in the seconds or milliseconds since
 * 1970.
 */
function firstDigits(whole: string, first: number, second: number): readonly string[] {
  const digits = BigInt(whole);
  const widths = WIDTHS.filter(([max]) => whole.length === String(max).length);
  const width = widths.find(([max]) => digits <= max);
  if (width !== undefined) return [width[1]];
  if (widths.length > 0) return ["9", String(3 + (second % 7))];
  if (whole.length === 20) return ["1", String(second % 8)];
  return [whole.length === 13 ? "1" : String(1 + (first % 9))];
}

function numberOf(source: string): JsonValue {
  return new NumberText(source, Number(source));
}
