/** Parts of secrets: what an upstream cut out of one, or left of it between separators and broken escapes. */
import {
  hashesOf,
  letterPlaces,
  literalPlain,
  type PlainView,
  plainView,
  type Range,
  skeletonText,
} from "./plain-view.ts";

/** A secret with fewer characters has no part that gives much of it away. */
const LONG = 16;

/** Characters in a row that give a part of a long secret away. */
const PART = 12;

/**
 * A part has fewer in its plain view where blanks run together, and letters and digits alone where separators
 * stand between them; one with even fewer could be anything.
 */
const MIN_PART = 8;

/** Words of a language, which are no part of `my-refresh-token`, whatever stands between its words. */
const WORDS = /^\s*\p{L}+(?: \p{L}+)+\s*$/u;

/** Secrets are indexed by blocks of this size: every part has a whole one in it. */
const BLOCK = 4;

/** Places of one block that are compared: more are those of a secret that repeats itself. */
const MAX_PLACES = 4;

/** How many hashes of blocks there are. */
const HASHES = 1 << 16;

/** Whether parts of a secret are looked for. */
export function isLong(secret: string): boolean {
  return secret.length >= LONG;
}

/** Whether a text that is shorter than a long secret may have a part of it, at a glance. */
export function mayHoldPart(text: string, secret: string): boolean {
  if (!isLong(secret) || text.length < MIN_PART) return false;
  const whole = literalPlain(secret);
  const letters = skeletonText(whole);
  return readings(text).some(
    (reading) => sharesBlock(reading, whole) || sharesBlock(skeletonText(reading), letters),
  );
}

/** A text without its escapes, and what it is if it is base64, from each place, or hexadecimal. */
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

/** A secret, written in one of the ways, and where each of its characters stands in its plain view. */
interface Needle {
  readonly text: string;
  /** Ends with the length of the plain view. */
  readonly places: readonly number[];
}

/** The parts of a long secret, in every way that it may be written. */
export class SecretParts {
  private readonly min: number;
  private readonly words: string;
  /** By the hashes of blocks. */
  private readonly blocks = new Map<number, { readonly needle: Needle; readonly at: number }[]>();

  private constructor(secret: string, needles: readonly Needle[]) {
    this.min = /[\s+-]{2}/.test(secret) ? MIN_PART : PART;
    // with spaces of its own it may be words of a language
    this.words = secret.includes(" ") ? "" : wordsOf(secret);
    for (const needle of needles) this.index(needle);
  }

  /** @param plain the plain views of the secret, written in each of the ways */
  static of(secret: string, plain: readonly string[]): SecretParts {
    const needles = plain.map((text) => ({
      text,
      places: Array.from({ length: text.length + 1 }, (_, at) => at),
    }));
    return new SecretParts(secret, needles);
  }

  /** The same for texts that have separators anywhere, of which `skeleton` has left nothing. */
  static ofSkeletons(secret: string, plain: readonly string[]): SecretParts {
    const needles = plain.map((text) => ({
      text: skeletonText(text),
      places: [...letterPlaces(text), text.length],
    }));
    return new SecretParts(secret, needles);
  }

  /** Where parts of secrets stand in a text; of each secret in order and apart from each other. */
  static rangesIn(text: string, view: PlainView, all: readonly SecretParts[]): Range[] {
    const hashes = new Uint32Array(HASHES / 32);
    for (const parts of all) for (const hash of parts.blocks.keys()) setBit(hashes, hash);
    const places: number[] = [];
    view.hashes.forEach((hash, at) => {
      if (hasBit(hashes, hash)) places.push(at);
    });
    return all.flatMap((parts) => parts.rangesAt(text, view, places));
  }

  /** @param places where a block of a secret may be */
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

  /** The longest part around a place, which does not begin before another place; an empty one for none. */
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

/** The characters of the plain view from one place to another, with what was left out beside them. */
function covered({ places }: Needle, from: number, to: number): number {
  return (places[to] ?? 0) - (from === 0 ? 0 : (places[from - 1] ?? 0) + 1);
}
