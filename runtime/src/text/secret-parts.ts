/** Parts of secrets: what an upstream cut out of one, or left of it between broken escapes. */
import { literalPlain, type PlainView, plainView, type Range } from "./plain-view.ts";

/** A secret with fewer characters has no part that gives much of it away. */
const LONG = 16;

/** Characters in a row that give a part of a long secret away. */
const PART = 12;

/** A part has fewer in its plain view where blanks run together; one with even fewer could be anything. */
const MIN_PART = 8;

/** Language, and no part of `my-refresh-token`, although blanks, `+` and `-` are alike in a plain view. */
const WORDS = /^\s*\p{L}+(?: \p{L}+)+\s*$/u;

/** Secrets are indexed by blocks of this size: every part has a whole one in it. */
const BLOCK = 4;

/** Places of one block that are compared: more are those of a secret that repeats itself. */
const MAX_PLACES = 4;

/** What base64 or hexadecimal may have made of a part. */
const WORD = /[A-Za-z0-9+/_-]{16,}/g;

/** Whether parts of a secret are looked for. */
export function isLong(secret: string): boolean {
  return secret.length >= LONG;
}

/** Whether a text that is shorter than a long secret may have a part of it, at a glance. */
export function mayHoldPart(text: string, secret: string): boolean {
  if (!isLong(secret) || text.length < shortestPart(secret)) return false;
  const whole = literalPlain(secret);
  return readings(text).some((reading) => sharesBlock(reading, whole));
}

/** The characters of the shortest part in its plain view, where blanks run together. */
function shortestPart(secret: string): number {
  return /[\s+-]{2}/.test(secret) ? MIN_PART : PART;
}

/** A text without its escapes, and what its words are if they are base64, from each place, or hexadecimal. */
function readings(text: string): string[] {
  const words = text.match(WORD) ?? [];
  const decoded = words.flatMap((word) => [
    ...[0, 1, 2, 3].map((from) => Buffer.from(word.slice(from), "base64")),
    ...[0, 1].map((from) => Buffer.from(word.slice(from), "hex")),
  ]);
  return [plainView(text).plain, ...decoded.map((bytes) => bytes.toString("latin1").toLowerCase())];
}

function sharesBlock(text: string, whole: string): boolean {
  for (let at = 0; at + BLOCK <= text.length; at += BLOCK) {
    if (whole.includes(text.slice(at, at + BLOCK))) return true;
  }
  return false;
}

/** The parts of a long secret, in every way that it may be written. */
export class SecretParts {
  private readonly length: number;
  private readonly hasSpaces: boolean;
  private readonly places = new Map<string, { readonly needle: string; readonly at: number }[]>();

  /** @param needles the plain views of the secret, written in each of the ways */
  constructor(secret: string, needles: readonly string[]) {
    this.length = shortestPart(secret);
    this.hasSpaces = secret.includes(" ");
    for (const needle of needles) this.index(needle);
  }

  /** Where parts stand in a text, in order and apart from each other. */
  rangesIn(text: string, { plain, starts, ends }: PlainView): Range[] {
    const found: Range[] = [];
    let done = 0;
    for (let at = 0; at + BLOCK <= plain.length; at++) {
      const [from, to] = this.longestAt(plain, at, done);
      if (to - from < this.length) continue;
      const range: Range = [starts[from] ?? 0, ends[to - 1] ?? 0];
      if (this.hasSpaces || !WORDS.test(text.slice(...range))) found.push(range);
      done = to;
      at = to - 1;
    }
    return found;
  }

  private index(needle: string): void {
    for (let at = 0; at + BLOCK <= needle.length; at += BLOCK) {
      const block = needle.slice(at, at + BLOCK);
      const places = this.places.get(block) ?? [];
      this.places.set(block, places);
      if (places.length < MAX_PLACES) places.push({ needle, at });
    }
  }

  /** The longest part around a place, which does not begin before another place. */
  private longestAt(plain: string, at: number, min: number): Range {
    let longest: Range = [at, at];
    for (const { needle, at: place } of this.places.get(plain.slice(at, at + BLOCK)) ?? []) {
      let [from, to] = [at, at + BLOCK];
      const shift = place - at;
      while (from > min && from + shift > 0 && plain[from - 1] === needle[from + shift - 1]) from--;
      while (to < plain.length && plain[to] === needle[to + shift]) to++;
      if (to - from > longest[1] - longest[0]) longest = [from, to];
    }
    return longest;
  }
}
