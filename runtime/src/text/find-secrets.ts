import { type Cut, Haystack, SearchTooLong, Steps } from "./haystack.ts";
import { type Needles, needlesOf, unitsOf, upperCase } from "./needles.ts";
import { innerView, plainView, type Range, skeleton, type View } from "./plain-view.ts";
import type { Secret } from "./secret.ts";

/**
 * The maximum size of all secrets of a search, in bytes of UTF-8. Each secret counts as at least `MIN_BYTES`.
 * If the secrets are larger, the whole text counts as a secret.
 */
const MAX_BYTES = 16 * 1024;
const MIN_BYTES = 64;

/**
 * The maximum number of steps of a search, e.g. of positions at which parts of secrets begin. Only a text
 * that repeats parts of many secrets needs more; the whole text then counts as a secret.
 */
const MAX_STEPS = 1 << 22;

/**
 * The maximum number of ellipses that are checked. The runtime's own texts have one for each truncated part.
 */
const MAX_ELLIPSES = 32;

/**
 * Matches words of a language. Such words do not reveal part of a secret like `my-refresh-token`, even with
 * the same separators.
 */
const WORDS = /^\s*\p{L}+(?: \p{L}+)+\s*$/u;

/** Matches an escape at the end of a text. Its last character belongs to no word. */
const ENDS_IN_ESCAPE = /(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[bfnrt])$/;

/**
 * Returns the ranges of secrets in a text, in order and without overlaps. Finds secrets: literally, ignoring
 * case; percent-encoded, or escaped as in JSON, JavaScript or HTML, wholly or in part, once or repeatedly, or
 * in one kind of escape within another; in base64 and base64url, at any offset; in hexadecimal; and their
 * beginnings before the ellipsis of a truncated text. If a secret has 16 characters or more, any 12
 * consecutive characters of it are found. If 8 of these are ASCII letters or digits, these 8 are found even
 * with separators between them or in place of the other characters. A secret with fewer than 8 characters is
 * found only as a whole word: literally, in lower case, percent-encoded, and as in JSON.
 *
 * The time is linear in the lengths of the text and the secrets. If the secrets are too large, or the search
 * takes too long, the range of the whole text is returned.
 */
export function findSecrets(text: string, secrets: readonly Secret[]): Range[] {
  if (text === "" || secrets.length === 0) return [];
  const sizes = secrets.map((secret) => Math.max(MIN_BYTES, Buffer.byteLength(secret.reveal())));
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_BYTES) return [[0, text.length]];
  try {
    const search = new Search(text);
    return merged(secrets.flatMap((secret) => search.rangesOf(secret)));
  } catch (error) {
    if (error instanceof SearchTooLong) return [[0, text.length]];
    throw error;
  }
}

/** A view of a text, in which secrets are searched. */
interface Reading {
  readonly plain: Haystack;
  /** Only the letters and digits. */
  readonly letters: Haystack;
  readonly cuts: readonly Cut[];
}

/** A search for secrets in one text. */
class Search {
  private readonly text: string;
  private readonly steps = new Steps(MAX_STEPS);
  /** Whether the plain view of the text contains everything that the text in upper case does. */
  private readonly isPlain: boolean;
  private readonly readings: readonly Reading[];
  private literalText: Haystack | undefined;
  private upperCaseText: Haystack | undefined;

  constructor(text: string) {
    this.text = text;
    this.isPlain = /^[\0-\x7f]*$/.test(text) && !/[%\\&~]/.test(text);
    const view = plainView(text);
    const inner = innerView(view);
    const views = inner === undefined ? [view] : [view, inner];
    this.readings = views.map((each) => ({
      plain: new Haystack(each, this.steps),
      letters: new Haystack(skeleton(each), this.steps),
      cuts: cutsIn(text, each),
    }));
  }

  rangesOf(secret: Secret): Range[] {
    const needles = needlesOf(secret);
    return needles.areWords ? this.words(needles) : [...this.wholes(needles), ...this.parts(needles, secret)];
  }

  private words({ literal, plain }: Needles): Range[] {
    this.literalText ??= this.unchanged(this.text);
    const { literalText } = this;
    const found = [
      ...literal.flatMap((needle) => literalText.wholes(needle)),
      ...plain.flatMap((needle) => this.readings.flatMap((reading) => reading.plain.wholes(needle))),
    ];
    return found.filter((range) => isWord(this.text, range));
  }

  private wholes({ anyCase, plain, isBlank }: Needles): Range[] {
    const found = plain.flatMap((needle) =>
      this.readings.flatMap((reading) => reading.plain.wholes(needle, reading.cuts)),
    );
    if (this.isPlain && !isBlank) return found;
    return [...found, ...anyCase.flatMap((needle) => this.inUpperCase().wholes(needle))];
  }

  /** Returns the ranges of parts of a long secret, unchanged or with separators. */
  private parts({ parts, separated, anyCaseParts }: Needles, secret: Secret): Range[] {
    if (parts.length === 0) return [];
    const found = this.readings.flatMap(({ plain, letters }) => [
      ...plain.runs(parts, secret),
      ...letters.runs(separated, secret),
    ]);
    if (anyCaseParts.length > 0 && !this.isPlain) {
      found.push(...this.inUpperCase().runs(anyCaseParts, secret));
    }
    if (found.length === 0) return found;
    // a secret with spaces may itself consist of words
    const words = secret.reveal().includes(" ") ? "" : wordsOf(secret.reveal());
    return found.filter((range) => !this.isLanguage(range, words));
  }

  private isLanguage(range: Range, words: string): boolean {
    const part = this.text.slice(...range);
    if (!WORDS.test(part)) return false;
    this.steps.take(words.length);
    return words.includes(wordsOf(part));
  }

  private inUpperCase(): Haystack {
    this.upperCaseText ??= this.unchanged(upperCase(this.text));
    return this.upperCaseText;
  }

  private unchanged(text: string): Haystack {
    const places = new Uint32Array(text.length + 1);
    for (let at = 0; at < places.length; at++) places[at] = at;
    return new Haystack({ units: unitsOf(text), starts: places, ends: places.subarray(1) }, this.steps);
  }
}

function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function isWord(text: string, [from, to]: Range): boolean {
  const before = text.slice(Math.max(0, from - 6), from);
  const isStart = !/[\p{L}\p{N}]$/u.test(before) || ENDS_IN_ESCAPE.test(before);
  return isStart && !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2));
}

/**
 * Matches a truncated escape before an ellipsis. The text before the escape may end with the beginning of a
 * secret.
 */
const CUT_ESCAPE = /(?:%[0-9a-f%]{0,6}|\\{1,4}(?:u[0-9a-f]{0,3}|x[0-9a-f]?)?|&[a-z0-9#;]{0,16})$/i;

/** The maximum length of a truncated escape. */
const MAX_ESCAPE = 17;

/** Returns the positions in a view at which its text was truncated, in order. */
function cutsIn(text: string, { starts }: View): Cut[] {
  const cuts: Cut[] = [];
  let ellipsis = text.indexOf("…");
  for (let count = 0; ellipsis >= 0 && count < MAX_ELLIPSES; count++) {
    const [half = ""] = CUT_ESCAPE.exec(text.slice(Math.max(0, ellipsis - MAX_ESCAPE), ellipsis)) ?? [];
    if (half !== "") cuts.push({ at: indexAt(starts, ellipsis - half.length), ellipsis });
    cuts.push({ at: indexAt(starts, ellipsis), ellipsis });
    ellipsis = text.indexOf("…", ellipsis + 1);
  }
  return cuts;
}

/** Returns the index of the first entry of a sorted list that is at least `value`. */
function indexAt(list: ArrayLike<number>, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

function merged(ranges: readonly Range[]): Range[] {
  const apart: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = apart.at(-1);
    if (last !== undefined && from < last[1]) {
      last[1] = Math.max(last[1], to);
    } else {
      apart.push([from, to]);
    }
  }
  return apart;
}
