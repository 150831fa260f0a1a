/**
 * Finds parts of secrets: excerpts that an upstream quotes, or what remains of a secret between separators
 * and broken escapes.
 */
import {
  hashesOf,
  letterPlaces,
  literalPlain,
  type PlainView,
  plainView,
  type Range,
  skeletonText,
} from "./plain-view.ts";

/**
 * The minimum length of a secret whose parts are searched. No part of a shorter secret reveals much of it.
 */
const LONG = 16;

/** The number of consecutive characters that reveal a part of a long secret. */
const PART = 12;

/**
 * The minimum length of a part, in characters of its plain view, in which runs of blanks are collapsed. If
 * there are separators between the characters, only letters and digits are counted. A shorter part could
 * match anything.
 */
const MIN_PART = 8;

/**
 * Matches words of a language. Such words do not reveal part of a secret like `my-refresh-token`, even with
 * the same separators.
 */
const WORDS = /^\s*\p{L}+(?: \p{L}+)+\s*$/u;

/** The size of the blocks by which secrets are indexed. Every part contains a whole block. */
const BLOCK = 4;

/** The maximum number of positions of a block that are compared. Only repetitive secrets have more. */
const MAX_PLACES = 4;

/** The number of different block hashes. */
const HASHES = 1 << 16;

/** Reports whether a secret is so long that its parts are searched. */
export function isLong(secret: string): boolean {
  return secret.length >= LONG;
}

/**
 * Reports whether a text that is shorter than a long secret may contain part of the secret. This is a quick
 * check.
 */
export function mayHoldPart(text: string, secret: string): boolean {
  if (!isLong(secret) || text.length < MIN_PART) return false;
  const whole = literalPlain(secret);
  const letters = skeletonText(whole);
  return readings(text).some(
    (reading) => sharesBlock(reading, whole) || sharesBlock(skeletonText(reading), letters),
  );
}

/**
 * Returns a text without its escapes, its base64 decodings from each offset, and its hexadecimal decoding.
 */
function readings(text: string): string[] {
  const base64 = text.replace(/[^A-Za-z0-9+/_-]+/g, "");
  const hex = text.replace(/[^0-9A-Fa-f]+/g, "");
  const decoded = [
    ...[0, 1, 2, 3].map((from) => Buffer.from(base64.slice(from), "base64")),
    ...[0, 1].map((from) => Buffer.from(hex.slice(from), "hex")),
  ];
  return [plainView(text).plain, ...decoded.map((bytes) => bytes.toString("latin1").toLowerCase())];
}

function sharesBlock(text: string, whole: string): boolean {
  for (let at = 0; at + BLOCK <= text.length; at += BLOCK) {
    if (whole.includes(text.slice(at, at + BLOCK))) return true;
  }
  return false;
}

/** One encoding of a secret. `places` contains the position of each of its characters in its plain view. */
interface Needle {
  readonly text: string;
  /** The last entry is the length of the plain view. */
  readonly places: readonly number[];
}

/** The parts of a long secret, in all of its encodings. */
export class SecretParts {
  private readonly min: number;
  private readonly words: string;
  /** The positions of blocks in needles, by the hash of the block. */
  private readonly blocks = new Map<number, { readonly needle: Needle; readonly at: number }[]>();

  private constructor(secret: string, needles: readonly Needle[]) {
    this.min = /[\s+-]{2}/.test(secret) ? MIN_PART : PART;
    // a secret with spaces may itself consist of words
    this.words = secret.includes(" ") ? "" : wordsOf(secret);
    for (const needle of needles) this.index(needle);
  }

  /** @param plain the plain views of all encodings of the secret */
  static of(secret: string, plain: readonly string[]): SecretParts {
    const needles = plain.map((text) => ({
      text,
      places: Array.from({ length: text.length + 1 }, (_, at) => at),
    }));
    return new SecretParts(secret, needles);
  }

  /** Returns the parts that are searched in texts with separators anywhere, which `skeleton` has removed. */
  static ofSkeletons(secret: string, plain: readonly string[]): SecretParts {
    const needles = plain.map((text) => ({
      text: skeletonText(text),
      places: [...letterPlaces(text), text.length],
    }));
    return new SecretParts(secret, needles);
  }

  /**
   * Returns the ranges of parts of secrets in a text. The ranges of each secret are in order and do not
   * overlap.
   */
  static rangesIn(text: string, view: PlainView, all: readonly SecretParts[]): Range[] {
    const hashes = new Uint32Array(HASHES / 32);
    for (const parts of all) for (const hash of parts.blocks.keys()) setBit(hashes, hash);
    const places: number[] = [];
    view.hashes.forEach((hash, at) => {
      if (hasBit(hashes, hash)) places.push(at);
    });
    return all.flatMap((parts) => parts.rangesAt(text, view, places));
  }

  /** @param places the positions at which a block of a secret may occur */
  private rangesAt(text: string, view: PlainView, places: readonly number[]): Range[] {
    const { starts, ends } = view;
    const found: Range[] = [];
    let done = 0;
    for (const at of places) {
      if (at < done) continue;
      const [from, to] = this.longestAt(view, at, done);
      if (from === to) continue;
      const range: Range = [starts[from] ?? 0, ends[to - 1] ?? 0];
      if (!this.isLanguage(text.slice(...range))) found.push(range);
      done = to;
    }
    return found;
  }

  private isLanguage(part: string): boolean {
    return WORDS.test(part) && this.words.includes(wordsOf(part));
  }

  private index(needle: Needle): void {
    const hashes = hashesOf(needle.text);
    for (let at = 0; at + BLOCK <= needle.text.length; at += BLOCK) {
      const hash = hashes[at] ?? 0;
      const places = this.blocks.get(hash) ?? [];
      this.blocks.set(hash, places);
      if (places.length < MAX_PLACES) places.push({ needle, at });
    }
  }

  /**
   * Returns the longest part around a position that does not begin before another candidate, or an empty
   * range if there is none.
   */
  private longestAt({ plain, hashes }: PlainView, at: number, min: number): Range {
    let longest: Range = [at, at];
    for (const { needle, at: place } of this.blocks.get(hashes[at] ?? 0) ?? []) {
      const { text } = needle;
      let [from, to] = [at, at];
      const shift = place - at;
      while (from > min && from + shift > 0 && plain[from - 1] === text[from + shift - 1]) from--;
      while (to < plain.length && plain[to] === text[to + shift]) to++;
      const isPart = to - from >= MIN_PART && covered(needle, from + shift, to + shift) >= this.min;
      if (isPart && to - from > longest[1] - longest[0]) longest = [from, to];
    }
    return longest;
  }
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31));
}

function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5] ?? 0) & (1 << (at & 31))) !== 0;
}

/**
 * Returns the number of characters of the secret between two positions of its plain view, including adjacent
 * characters that the plain view omits.
 */
function covered({ places }: Needle, from: number, to: number): number {
  return (places[to] ?? 0) - (from === 0 ? 0 : (places[from - 1] ?? 0) + 1);
}
