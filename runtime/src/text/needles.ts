/** The units by which a secret is found in a text. */
import type { Units } from "./grams.ts";
import { percentEncode } from "./percent-encode.ts";
import { isLetter, letterPlaces, literalUnits, picked, plainUnits } from "./plain-view.ts";
import type { Secret } from "./secret.ts";

/**
 * A secret with fewer characters than this is searched only as a whole word. The same characters within a
 * longer word reveal nothing.
 */
const SHORT = 8;

/** The minimum length of a secret whose parts are searched. A part of a shorter secret reveals little. */
const LONG = 16;

/** The number of consecutive characters that reveal a part of a long secret. */
const PART = 12;

/**
 * The minimum length of a part, in characters of its plain view, in which runs of blanks are collapsed. If
 * there are separators between the characters, only letters and digits are counted. A shorter part could
 * match anything.
 */
export const MIN_PART = 8;

/**
 * The minimum length of a plain view. A secret whose plain view is shorter, because it consists mostly of
 * blanks, is searched only literally, since its plain view could match anything.
 */
const MIN_PLAIN = 6;

/** The minimum length of the plain view of a short secret. */
const MIN_WORD = 4;

/** The maximum number of characters of a literal secret. The rest of a longer one is found by its parts. */
const MAX_LITERAL = 4096;

/** The parts of a secret in one encoding. */
export interface Parts {
  readonly units: Units;
  /** The lengths of the parts that begin at each unit: bit 0 stands for `MIN_PART`, bit 4 for `PART`. */
  readonly lengths: Uint8Array;
  /** The units as a text. */
  readonly text: string;
}

/** The units that are searched for one secret. */
export interface Needles {
  /** Searched in the text itself. */
  readonly literal: readonly Units[];
  /** Searched in the text in upper case, which differs from the plain view where there are escapes. */
  readonly anyCase: readonly Units[];
  /** Searched in the plain view of the text. */
  readonly plain: readonly Units[];
  /** Whether the secret consists mostly of blanks, and therefore `plain` does not contain it unencoded. */
  readonly isBlank: boolean;
  /** Whether the units are searched only as whole words. */
  readonly areWords: boolean;
  /** Searched in the plain view of the text. Empty for a short secret. */
  readonly parts: readonly Parts[];
  /** Searched in the letters and digits of the plain view. */
  readonly separated: readonly Parts[];
  /**
   * Searched in the text in upper case. Empty unless the secret has escapes, which a part may split, or
   * letters whose case the plain view keeps.
   */
  readonly anyCaseParts: readonly Parts[];
}

const NONE = {
  literal: [],
  anyCase: [],
  plain: [],
  parts: [],
  separated: [],
  anyCaseParts: [],
  isBlank: false,
  areWords: true,
};

const known = new WeakMap<Secret, Needles>();

/** Returns the units that are searched for a secret. */
export function needlesOf(secret: Secret): Needles {
  const before = known.get(secret);
  if (before !== undefined) return before;
  const made = makeNeedles(secret.reveal().toWellFormed());
  known.set(secret, made);
  return made;
}

function makeNeedles(text: string): Needles {
  if (text === "") return NONE;
  if (text.length < SHORT) return wordNeedles(text);
  const bytes = Buffer.from(text);
  const views = plainUnits(text);
  const plain = views.filter(({ length }) => length >= MIN_PLAIN);
  const encoded = distinct([...base64Cores(bytes), bytes.toString("hex")].map(literalUnits));
  const beginning = text.slice(0, MAX_LITERAL).toWellFormed();
  const whole = spellings(beginning).map((each) => unitsOf(upperCase(each.slice(0, MAX_LITERAL))));
  const needles: Needles = {
    ...NONE,
    anyCase: distinct(whole),
    plain: [...plain, ...encoded],
    isBlank: plain.length < views.length,
    areWords: false,
  };
  if (text.length < LONG) return needles;
  // the plain view may have fewer characters than the secret
  const min = /[\s+-]{2}|[%\\&~]/.test(text) ? MIN_PART : PART;
  return {
    ...needles,
    parts: [
      ...plain.map((units) => partsOf(units, min, () => true)),
      // the others are among the separated parts, which are words of a language only if the secret has words
      ...encoded.map((units) => partsOf(units, min, (letters) => letters < min)),
    ],
    separated: needles.plain.map((units) => separatedParts(units, min)),
    anyCaseParts: /[%\\&~\x80-\uffff]/.test(text)
      ? [partsOf(unitsOf(upperCase(text)), PART, () => true)]
      : [],
  };
}

function wordNeedles(text: string): Needles {
  // in lower case too, because a secret that is sent back as a header name arrives in lower case
  const literal = distinct([text.toLowerCase(), ...spellings(text)].map(unitsOf));
  // escapes of letters and digits are rare enough to ignore
  const plain = /^[\p{L}\p{N}]*$/u.test(text) ? [] : plainUnits(text);
  return { ...NONE, literal, plain: plain.filter(({ length }) => length >= MIN_WORD) };
}

function spellings(text: string): string[] {
  return [text, percentEncode(text), JSON.stringify(text).slice(1, -1)];
}

function distinct(all: readonly Units[]): Units[] {
  return [...new Map(all.map((units) => [textOf(units), units])).values()];
}

/** Returns the text with these UTF-16 units. */
export function textOf({ buffer, byteOffset, byteLength }: Units): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf16le");
}

/** Returns the text whose characters are these bytes. */
export function bytesText(units: Units): string {
  return Buffer.from(units).toString("latin1");
}

/** Returns the UTF-16 units of a text. */
export function unitsOf(text: string): Units {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** Returns a text in upper case, without characters whose upper case has another length. */
export function upperCase(text: string): string {
  const upper = text.toUpperCase();
  if (upper.length === text.length) return upper;
  return text
    .replace(/\P{ASCII}/gu, (char) => {
      const other = char.toUpperCase();
      return other.length === char.length ? other : char;
    })
    .replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/**
 * Returns the parts of an encoding.
 *
 * @param isSearched receives the number of letters and digits at the end of a part
 */
function partsOf(units: Units, min: number, isSearched: (letters: number) => boolean): Parts {
  const lengths = new Uint8Array(units.length);
  let letters = 0;
  for (let end = 1; end <= units.length; end++) {
    letters = isLetter(units[end - 1] ?? 0) ? letters + 1 : 0;
    if (end >= min && isSearched(letters)) lengths[end - min] = bitOf(min);
  }
  return { units, lengths, text: bytesText(units) };
}

/**
 * Returns the parts without characters other than letters and digits, which may be separators. Each part
 * begins or ends so that it could not be shorter; together, they cover every longer part.
 */
function separatedParts(plain: Units, min: number): Parts {
  const places = letterPlaces(plain);
  const units = picked(plain, places);
  const lengths = new Uint8Array(units.length);
  // adjacent characters that are not letters or digits belong to the part
  const startOf = (from: number) => (from === 0 ? 0 : (places[from - 1] ?? 0) + 1);
  const covers = (from: number, to: number) =>
    to - from >= MIN_PART && (places[to] ?? plain.length) - startOf(from) >= min;
  for (let from = 0; from + MIN_PART <= units.length; from++) {
    const to = from + min;
    // a part of letters and digits alone has no shorter part
    const isWord = to <= units.length && (places[to - 1] ?? 0) - startOf(from) < min;
    lengths[from] = isWord ? bitOf(min) : shortest(from, Math.min(to, units.length), covers);
  }
  return { units, lengths, text: bytesText(units) };
}

/** Returns the lengths of the parts from a position that could not begin later or end earlier. */
function shortest(from: number, max: number, covers: (from: number, to: number) => boolean): number {
  let bits = 0;
  for (let to = from + MIN_PART; to <= max; to++) {
    const isShortest = !covers(from, to - 1) || !covers(from + 1, to);
    if (isShortest && covers(from, to)) bits |= bitOf(to - from);
  }
  return bits;
}

function bitOf(length: number): number {
  return 1 << (length - MIN_PART);
}

/**
 * Returns the base64 forms of bytes at any offset. Base64 encodes three bytes at a time, so there are three
 * forms. Each form omits the characters at its ends that share bits with other bytes.
 */
function base64Cores(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
    return padded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}
