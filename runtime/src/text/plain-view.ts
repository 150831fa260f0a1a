import type { Units } from "./grams.ts";

const SPACE = 0x20;

/** A part of a text. `to` is exclusive. */
export type Range = readonly [from: number, to: number];

/** A text as numbers, with the positions of these numbers in the text. */
export interface View {
  readonly units: Units;
  /** The positions in the text at which the units begin. */
  readonly starts: Uint32Array;
  /** The positions in the text at which the units end. */
  readonly ends: Uint32Array;
}

/**
 * Matches escapes: percent-encoding, once or repeatedly; escapes of JSON and JavaScript, including nested
 * ones; escapes of HTML; escapes of JSON pointers. Each alternative consumes its first characters, so that
 * the search takes linear time.
 */
const ESCAPES = [
  "%(?:25)*(?<percent>[0-9a-f]{2})",
  "\\\\+(?:u(?<high>d[89ab][0-9a-f]{2})\\\\+u(?<low>d[c-f][0-9a-f]{2})|u\\{0*(?<point>[0-9a-f]{1,6})\\}|[ux](?<unit>(?<=u)[0-9a-f]{4}|(?<=x)[0-9a-f]{2})|(?<control>[bfnrt]))?",
  "&(?:amp;?)*(?:#0*(?<decimal>\\d{1,7});?|#x0*(?<hex>[0-9a-f]{1,6});?|(?<entity>lt|gt|quot|apos);?)?",
  "~(?<pointer>[01])",
].join("|");

const ESCAPE = new RegExp(ESCAPES, "iuy");

/** Matches every escape. `replace` is much slower if groups have names. */
const EVERY_ESCAPE = new RegExp(ESCAPES.replaceAll(/\?<[a-z]+>/g, ""), "giu");

/** Matches the escapes that remain in a percent-encoded text: percent-encoding, and of JSON pointers. */
const EVERY_PERCENT = /%(?:25)*[0-9a-f]{2}|~[01]/gi;

/** The first characters of escapes. */
const ESCAPING = new Set(Array.from("%\\&~", (char) => char.charCodeAt(0)));

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'" };

const BLANK = /[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const BLANKS = new RegExp(BLANK.source, "gu");
const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the plain view of a text, for comparisons: without escapes; each UTF-8 byte is one unit, ASCII
 * letters are in lower case, and `_` is replaced by `/`. Every run of spaces, `+` and `-` becomes one space,
 * since forms and base64url replace these characters with each other.
 */
export function plainView(text: string): View {
  const view = new ViewWriter(text);
  let at = 0;
  while (at < text.length) {
    const found = ESCAPING.has(text.charCodeAt(at)) ? escapeAt(text, at) : undefined;
    if (found === undefined) {
      at = view.character(text, at);
    } else {
      const end = at + found[0].length;
      view.write(unescaped(found[0], found.groups ?? {}), at, end);
      at = end;
    }
  }
  return view.view();
}

/**
 * Returns the plain view of a plain view, which may contain escapes of another kind, e.g. of JSON within a
 * URL. Returns undefined if nothing in the view looks like an escape.
 */
export function innerView({ units, starts, ends }: View): View | undefined {
  const text = Buffer.from(units).toString("latin1");
  if (text.search(EVERY_ESCAPE) < 0) return undefined;
  const inner = new ViewWriter(text);
  let at = 0;
  while (at < text.length) {
    const found = ESCAPING.has(text.charCodeAt(at)) ? escapeAt(text, at) : undefined;
    const [whole = text.charAt(at)] = found ?? [];
    const end = at + whole.length;
    inner.write(
      found === undefined ? whole : unescaped(whole, found.groups ?? {}),
      starts[at] ?? 0,
      ends[end - 1] ?? 0,
    );
    at = end;
  }
  return inner.view();
}

function escapeAt(text: string, at: number): RegExpExecArray | undefined {
  ESCAPE.lastIndex = at;
  return ESCAPE.exec(text) ?? undefined;
}

/**
 * Returns the units of the plain views of a secret: without decoding anything that looks like an escape;
 * with escapes decoded; and with percent-encoding decoded, as if the secret had been percent-encoded. Which
 * of them a text contains depends on how the secret was encoded.
 */
export function plainUnits(text: string): Units[] {
  const spaced = ASCII.test(text) ? text : text.replace(BLANKS, " ");
  const [whole, bytes] = [text, spaced].map((each) => Buffer.from(each).toString("latin1"));
  const views = [bytes ?? ""];
  if (/[%\\&~]/.test(text)) views.push((bytes ?? "").replace(EVERY_ESCAPE, decoded));
  views.push((whole ?? "").replace(EVERY_PERCENT, decoded));
  return [...new Set(views)].map(literalUnits);
}

function decoded(found: string): string {
  return unescaped(found, escapeAt(found, 0)?.groups ?? {});
}

/** Returns the units of the plain view of bytes, without decoding escapes. */
export function literalUnits(bytes: string): Units {
  const units = new Uint16Array(bytes.length);
  let length = 0;
  let last = 0;
  for (let at = 0; at < bytes.length; at++) {
    const unit = PLAIN_BYTES[bytes.charCodeAt(at)] ?? SPACE;
    if (unit !== SPACE || last !== SPACE) units[length++] = unit;
    last = unit;
  }
  return units.subarray(0, length);
}

/**
 * Returns only the ASCII letters and digits of a plain view. They can be compared even if there are
 * separators between them, as in field paths, UTF-16 bytes, and base64 or hexadecimal on several lines.
 */
export function skeleton({ units, starts, ends }: View): View {
  const places = letterPlaces(units);
  return { units: picked(units, places), starts: picked(starts, places), ends: picked(ends, places) };
}

/** Returns the positions of the letters and digits in a plain view. */
export function letterPlaces(units: Units): Uint32Array {
  const places = new Uint32Array(units.length);
  let count = 0;
  for (let at = 0; at < units.length; at++) {
    if (isLetter(units[at] ?? 0)) places[count++] = at;
  }
  return places.subarray(0, count);
}

/** Returns the entries of a list at some places. */
export function picked<L extends Uint16Array | Uint32Array>(list: L, places: Uint32Array): L {
  const entries = list.slice(0, places.length) as L;
  for (let at = 0; at < places.length; at++) entries[at] = list[places[at] ?? 0] ?? 0;
  return entries;
}

/** Reports whether a unit of a plain view is an ASCII letter or digit. */
export function isLetter(unit: number): boolean {
  return IS_LETTER[unit] === 1;
}

/**
 * Returns the character that an escape represents, or an empty string for a backslash that escapes nothing.
 */
function unescaped(whole: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { percent, high, low, unit, control, point, decimal, hex, entity, pointer } = groups;
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16));
  if (control !== undefined) return " ";
  if (pointer !== undefined) return pointer === "0" ? "~" : "/";
  if (high !== undefined && low !== undefined) return utf8(codeUnit(high) + codeUnit(low));
  if (unit !== undefined) return utf8(codeUnit(unit));
  if (point !== undefined) return utf8(character(Number.parseInt(point, 16)));
  if (decimal !== undefined) return utf8(character(Number(decimal)));
  if (hex !== undefined) return utf8(character(Number.parseInt(hex, 16)));
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()] ?? "";
  return whole.startsWith("&") ? "&" : "";
}

function codeUnit(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16));
}

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function utf8(text: string): string {
  return Buffer.from(text.toWellFormed()).toString("latin1");
}

/** The character in a plain view for each byte. */
const PLAIN_BYTES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (char <= " " || /[+\-\x7f]/.test(char)) return SPACE;
  return (char === "_" ? "/" : byte < 0x80 ? char.toLowerCase() : char).charCodeAt(0);
});

/** Indexed by byte value: 1 for a letter or digit of a plain view, otherwise 0. */
const IS_LETTER = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[a-z0-9]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

class ViewWriter {
  private readonly units: Units;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private length = 0;
  private endsBlank = false;

  constructor(text: string) {
    // UTF-8 has at most three bytes per UTF-16 unit, and no escape is shorter than the character that it
    // represents
    const most = 3 * text.length;
    this.units = new Uint16Array(most);
    this.starts = new Uint32Array(most);
    this.ends = new Uint32Array(most);
  }

  /** Writes a literal character, which may have several bytes. Returns the position after the character. */
  character(text: string, at: number): number {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      this.byte(unit, at, at + 1);
      return at + 1;
    }
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const end = at + char.length;
    this.write(BLANK.test(char) ? " " : utf8(char), at, end);
    return end;
  }

  /** Writes bytes that together represent part of the text. */
  write(bytes: string, from: number, to: number): void {
    for (let at = 0; at < bytes.length; at++) this.byte(bytes.charCodeAt(at), from, to);
  }

  view(): View {
    const { units, starts, ends, length } = this;
    return {
      units: units.subarray(0, length),
      starts: starts.subarray(0, length),
      ends: ends.subarray(0, length),
    };
  }

  private byte(given: number, from: number, to: number): void {
    const { starts, ends } = this;
    const byte = PLAIN_BYTES[given] ?? SPACE;
    const isBlank = byte === SPACE;
    if (isBlank && this.endsBlank) {
      ends[this.length - 1] = to;
      return;
    }
    this.endsBlank = isBlank;
    this.units[this.length] = byte;
    starts[this.length] = from;
    ends[this.length++] = to;
  }
}
