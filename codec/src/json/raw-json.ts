import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { sizeUpTo } from "./json-size.ts";
import { NumberText } from "./number-text.ts";
import { rawJSON } from "./raw.ts";

/** The JSON of a parsed value, for fields that keep it unchanged. */
export interface RawJson {
  readonly text: string;
  /** Whether JSON.parse has rounded a number in the value, so that the JSON differs from the original. */
  readonly rounded: boolean;
  /** Whether JSON.parse may have changed the notation of a number in the value: `1.1` for `1.10`. */
  readonly hasNumbers: boolean;
}

const DIGIT = /\d/;
const SUSPICIOUS = /\d{16}|e\+|null/;

/**
 * Reports whether JSON.parse may have rounded a number: an integer beyond 2^53, or a number too large for a
 * double.
 */
export function isRounded(value: number): boolean {
  return !Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value));
}

/**
 * Writes a parsed value as JSON, with integers of any size. It searches for rounded numbers only if the JSON
 * may contain one, so that most values cost no more than JSON.stringify.
 */
export function rawJson(value: JsonValue): RawJson {
  try {
    if (typeof value === "string") return { text: JSON.stringify(value), rounded: false, hasNumbers: false };
    if (value instanceof NumberText) return { text: value.source, rounded: false, hasNumbers: false };
    if (typeof value !== "object" || value === null) return scalar(value);
    return container(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    // too deep for JSON.stringify, which is recursive
    const work = rawJsonInPieces(value);
    for (;;) {
      const step = work.next();
      if (step.done === true) return step.value;
    }
  }
}

/**
 * The number of values written in one step. It is small because each level of a deep value is scanned again.
 */
const PIECE = 1_000;
const DEEP = 64;
const DEEP_PIECE = 16;

/** The maximum length of a string that is written in one step. */
const LONG_STRING = 64 * 1024;
/** The UTF-16 code units at which high surrogates and low surrogates begin. */
const FIRST_HALF = 0xd800;
const SECOND_HALF = 0xdc00;

type Long = {
  readonly text: string;
  at: number;
};

/** An array or object in progress. */
type Open = {
  readonly value: JsonObject | readonly JsonValue[];
  /** The keys of an object; undefined for an array. */
  readonly keys: readonly string[] | undefined;
  next: number;
  isFirst: boolean;
};

/**
 * Like `rawJson`, but in pieces and at any depth. Yields the number of values written since the last yield.
 */
export function* rawJsonInPieces(root: JsonValue): Generator<number, RawJson, undefined> {
  const writer = new PieceWriter();
  writer.write(root);
  while (writer.goesOn()) {
    if (writer.written < PIECE) continue;
    yield writer.written;
    writer.written = 0;
  }
  return writer.raw;
}

class PieceWriter {
  /** The number of values written since the last reset. */
  written = 0;
  private readonly texts: string[] = [];
  private readonly open: Open[] = [];
  /** The long string in progress. */
  private long: Long | undefined;
  private rounded = false;
  private hasNumbers = false;

  get raw(): RawJson {
    const { texts, rounded, hasNumbers } = this;
    return { text: texts.join(""), rounded, hasNumbers };
  }

  /** Writes a value, or the beginning of a large value. */
  write(value: JsonValue): void {
    if (typeof value === "string" && value.length > LONG_STRING) {
      this.long = { text: value, at: 0 };
      this.texts.push('"');
    } else if (isContainer(value) && this.isLarge(value)) {
      const keys = isJsonObject(value) ? Object.keys(value) : undefined;
      this.open.push({ value, keys, next: 0, isFirst: true });
      this.texts.push(keys === undefined ? "[" : "{");
    } else {
      this.texts.push(this.noted(rawJson(value)));
    }
  }

  /** Continues unfinished values. Returns false if all values are finished. */
  goesOn(): boolean {
    const { open } = this;
    if (this.long !== undefined) {
      this.goOnWith(this.long);
      return true;
    }
    const last = open.at(-1);
    if (last === undefined) return false;
    const { value, keys } = last;
    if (last.next === (keys ?? (value as readonly JsonValue[])).length) {
      this.texts.push(keys === undefined ? "]" : "}");
      open.pop();
    } else if (keys === undefined) {
      this.items(last, value as readonly JsonValue[]);
    } else {
      this.entry(last, keys[last.next++] ?? "", value as JsonObject);
    }
    return true;
  }

  /** Writes the next small items, or a single large item. */
  private items(last: Open, items: readonly JsonValue[]): void {
    const first = last.next;
    let size = 0;
    let next = first;
    for (; next < items.length; next++) {
      size += sizeUpTo(items[next], this.limit - size);
      if (size > this.limit) break;
    }
    this.written += size;
    this.comma(last);
    if (next === first) {
      last.next++;
      this.write(items[first] as JsonValue);
    } else {
      last.next = next;
      this.texts.push(this.noted(rawJson(items.slice(first, next))).slice(1, -1));
    }
  }

  /** Writes another part of a string without splitting a surrogate pair. */
  private goOnWith(long: Long): void {
    const { text, at } = long;
    const code = text.charCodeAt(at + LONG_STRING - 1);
    const end = at + LONG_STRING + (code >= FIRST_HALF && code < SECOND_HALF ? 1 : 0);
    const piece = text.slice(at, end);
    this.texts.push(JSON.stringify(piece).slice(1, -1));
    this.written += PIECE;
    long.at = end;
    if (end < text.length) return;
    this.texts.push('"');
    this.long = undefined;
  }

  private entry(last: Open, key: string, object: JsonObject): void {
    const value = object[key];
    if (value === undefined) return;
    this.comma(last);
    this.texts.push(`${JSON.stringify(key)}:`);
    this.hasNumbers ||= DIGIT.test(key);
    this.write(value);
  }

  private comma(last: Open): void {
    if (!last.isFirst) this.texts.push(",");
    last.isFirst = false;
  }

  private get limit(): number {
    return this.open.length > DEEP ? DEEP_PIECE : PIECE;
  }

  private isLarge(value: JsonValue): boolean {
    const size = sizeUpTo(value, this.limit);
    this.written += size;
    return size > this.limit;
  }

  private noted({ text, rounded, hasNumbers }: RawJson): string {
    this.rounded ||= rounded;
    this.hasNumbers ||= hasNumbers;
    return text;
  }
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return typeof value === "object" && value !== null && !(value instanceof NumberText);
}

function scalar(value: number | bigint | boolean | null): RawJson {
  const isNumber = typeof value === "number";
  return { text: String(value), rounded: isNumber && isRounded(value), hasNumbers: isNumber };
}

function container(value: JsonValue): RawJson {
  const plain = plainText(value);
  if (plain !== undefined && !SUSPICIOUS.test(plain)) {
    return { text: plain, rounded: false, hasNumbers: DIGIT.test(plain) };
  }
  let rounded = false;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === "bigint") return rawJSON(String(item));
    if (typeof item === "number" && isRounded(item)) rounded = true;
    return item;
  });
  return { text, rounded, hasNumbers: DIGIT.test(text) };
}

function plainText(value: JsonValue): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // TypeError: the value contains a bigint; RangeError: the value is too deep, which the caller handles
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
