/** A part of a text, from one place to before another. */
export type Range = readonly [from: number, to: number];

/**
 * A text as it would be without escapes, for comparing: bytes of UTF-8 as characters, letters of ASCII in
 * lower case, every run of spaces, `+` and `-` as one space, since forms and base64url write
 * one for another, and `_` as `/`.
 */
export interface PlainView {
  readonly plain: string;
  /** Where in the text each character of `plain` begins. */
  readonly starts: readonly number[];
  /** Where it ends. */
  readonly ends: readonly number[];
}

/**
 * What does not stand for itself: percent-encoding, once or more often; escapes of JSON and JavaScript, also
 * within each other; those of HTML; blanks; and what is not ASCII. Each alternative takes what it begins
 * with, so that the search takes a time in proportion to the text.
 */
const SPECIAL = new RegExp(
  [
    "%(?:25)*(?<percent>[0-9a-f]{2})",
    "\\\\+(?:u(?<high>d[89ab][0-9a-f]{2})\\\\+u(?<low>d[c-f][0-9a-f]{2})|u\\{0*(?<point>[0-9a-f]{1,6})\\}|[ux](?<unit>(?<=u)[0-9a-f]{4}|(?<=x)[0-9a-f]{2})|(?<control>[bfnrt]))?",
    "&(?:amp;?)*(?:#0*(?<decimal>\\d{1,7});?|#x0*(?<hex>[0-9a-f]{1,6});?|(?<entity>lt|gt|quot|apos);?)?",
    "(?<blank>[\\s+-]+)",
    "(?<other>_|[^\\x20-\\x7e]+)",
  ].join("|"),
  "giu",
);

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'" };

const BLANK = /^[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}+-]$/u;

/** Takes the escapes off a text. */
export function plainView(text: string): PlainView {
  const view = new ViewWriter();
  let at = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(SPECIAL)) {
    view.asIs(text, at, index);
    at = index + whole.length;
    if (groups.other === undefined) {
      view.write(unescaped(whole, groups), index, at);
    } else {
      view.each(whole, index);
    }
  }
  view.asIs(text, at, text.length);
  return view;
}

/** The plain view of a text that has no escapes, whatever looks like one. */
export function literalView(text: string): PlainView {
  const view = new ViewWriter();
  view.each(text, 0);
  return view;
}

/** The text of `literalView` without its positions. Most texts are ASCII, which is fast. */
export function literalPlain(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) return literalView(text).plain;
  return text
    .toLowerCase()
    .replace(/[ +-]+/g, " ")
    .replaceAll("_", "/");
}

/** The character that an escape stands for; none for a backslash before one that means itself. */
function unescaped(whole: string, groups: Readonly<Record<string, string | undefined>>): string {
  const { percent, high, low, unit, control, point, decimal, hex, entity, blank } = groups;
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16));
  if (blank !== undefined || control !== undefined) return " ";
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

/** The bytes of a code point in UTF-8; of half a surrogate pair those of what replaces it. */
function byteLength(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

class ViewWriter implements PlainView {
  plain = "";
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  /** Whether `plain` ends with a space. To look at it would copy what is there so far each time. */
  private endsBlank = false;

  /** Characters of ASCII that stand for themselves. */
  asIs(text: string, from: number, to: number): void {
    if (from === to) return;
    this.plain += text.slice(from, to).toLowerCase();
    this.endsBlank = false;
    for (let at = from; at < to; at++) {
      this.starts.push(at);
      this.ends.push(at + 1);
    }
  }

  /** Characters that stand for themselves, each of them perhaps of several bytes. */
  each(text: string, from: number): void {
    const bytes = utf8(text);
    let [at, byte] = [from, 0];
    for (const char of text) {
      const end = at + char.length;
      const size = byteLength(char.codePointAt(0) ?? 0);
      this.write(BLANK.test(char) ? " " : bytes.slice(byte, byte + size), at, end);
      at = end;
      byte += size;
    }
  }

  /** Bytes that stand for a part of the text as a whole. */
  write(bytes: string, from: number, to: number): void {
    for (const byte of bytes) {
      const same =
        byte === "_" ? "/" : byte <= " " || byte === "+" || byte === "-" ? " " : byte.toLowerCase();
      const isBlank = same === " ";
      if (isBlank && this.endsBlank) {
        this.ends[this.ends.length - 1] = to;
        continue;
      }
      this.endsBlank = isBlank;
      this.plain += same;
      this.starts.push(from);
      this.ends.push(to);
    }
  }
}
