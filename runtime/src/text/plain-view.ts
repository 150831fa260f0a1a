const SPACE = 0x20;

/** A part of a text. `to` is exclusive. */
export type Range = readonly [from: number, to: number];

/**
 * A text without escapes, for comparisons. Each UTF-8 byte is one character, ASCII letters are in lower case,
 * and `_` is replaced by `/`. Every run of spaces, `+` and `-` becomes one space, since forms and base64url
 * replace these characters with each other.
 */
export interface PlainView {
  readonly plain: string;
  /** The positions in the text at which the characters of `plain` begin. */
  readonly starts: ArrayLike<number>;
  /** The positions in the text at which the characters of `plain` end. */
  readonly ends: ArrayLike<number>;
  /** The hashes of every four consecutive characters. */
  readonly hashes: Uint16Array;
}

/**
 * Matches escapes: percent-encoding, once or repeatedly; escapes of JSON and JavaScript, including nested
 * ones; escapes of HTML; escapes of JSON pointers. Each alternative consumes its first characters, so that
 * the search takes linear time.
 */
const ESCAPE = new RegExp(
  [
    "%(?:25)*(?<percent>[0-9a-f]{2})",
    "\\\\+(?:u(?<high>d[89ab][0-9a-f]{2})\\\\+u(?<low>d[c-f][0-9a-f]{2})|u\\{0*(?<point>[0-9a-f]{1,6})\\}|[ux](?<unit>(?<=u)[0-9a-f]{4}|(?<=x)[0-9a-f]{2})|(?<control>[bfnrt]))?",
    "&(?:amp;?)*(?:#0*(?<decimal>\\d{1,7});?|#x0*(?<hex>[0-9a-f]{1,6});?|(?<entity>lt|gt|quot|apos);?)?",
    "~(?<pointer>[01])",
  ].join("|"),
  "iuy",
);

/** The first characters of escapes. */
const ESCAPING = new Set(Array.from("%\\&~", (char) => char.charCodeAt(0)));

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'" };

const BLANK = /^[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;

/** Returns the plain view of a text, with escapes decoded. */
export function plainView(text: string): PlainView {
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

function escapeAt(text: string, at: number): RegExpExecArray | undefined {
  ESCAPE.lastIndex = at;
  return ESCAPE.exec(text) ?? undefined;
}

/** Returns the plain view of a text without decoding anything that looks like an escape. */
export function literalView(text: string): PlainView {
  const view = new ViewWriter(text);
  for (let at = 0; at < text.length; ) at = view.character(text, at);
  return view.view();
}

/**
 * Returns only the ASCII letters and digits of a plain view. They can be compared even if there are
 * separators between them, as in field paths, UTF-16 bytes, and base64 or hexadecimal on several lines.
 */
export function skeleton({ plain, starts, ends }: PlainView): PlainView {
  const kept = letterPlaces(plain);
  return viewOf(
    skeletonText(plain),
    kept.map((at) => starts[at] ?? 0),
    kept.map((at) => ends[at] ?? 0),
  );
}

function viewOf(plain: string, starts: ArrayLike<number>, ends: ArrayLike<number>): PlainView {
  return { plain, starts, ends, hashes: hashesOf(plain) };
}

/** Returns the hashes of every four consecutive characters of a plain view. */
export function hashesOf(plain: string): Uint16Array {
  const hashes = new Uint16Array(Math.max(0, plain.length - 3));
  let block = 0;
  for (let at = 0; at < plain.length; at++) {
    block = (block >>> 8) | (plain.charCodeAt(at) << 24);
    if (at >= 3) hashes[at - 3] = Math.imul(block, 0x9e3779b1) >>> 16;
  }
  return hashes;
}

/** Returns the positions of the letters and digits in a plain view. */
export function letterPlaces(plain: string): Uint32Array {
  const places = new Uint32Array(plain.length);
  let count = 0;
  for (let at = 0; at < plain.length; at++) {
    if (IS_LETTER[plain.charCodeAt(at)] === 1) places[count++] = at;
  }
  return places.subarray(0, count);
}

/** Returns the letters and digits of a plain view. */
export function skeletonText(plain: string): string {
  return plain.replace(/[^a-z0-9]+/g, "");
}

/** Returns the text of `literalView` without positions. This is fast for ASCII, and most texts are ASCII. */
export function literalPlain(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) return literalView(text).plain;
  return text
    .toLowerCase()
    .replace(/[ +-]+/g, " ")
    .replaceAll("_", "/");
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
  private readonly bytes: Buffer;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private length = 0;
  private endsBlank = false;

  constructor(text: string) {
    // UTF-8 has at most three bytes per UTF-16 unit, and no escape is shorter than the character that it
    // represents
    const most = 3 * text.length;
    this.bytes = Buffer.allocUnsafe(most);
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

  view(): PlainView {
    const { bytes, starts, ends, length } = this;
    return viewOf(bytes.toString("latin1", 0, length), starts.subarray(0, length), ends.subarray(0, length));
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
    this.bytes[this.length] = byte;
    starts[this.length] = from;
    ends[this.length++] = to;
  }
}
