import { Grams, prefixHashes, type Units } from "./grams.ts";
import { bytesText, MIN_PART, type Parts } from "./needles.ts";
import type { Range, View } from "./plain-view.ts";

/** The number of units by which whole secrets are looked up, and the minimum length of a beginning. */
const PREFIX = 4;

/** The maximum length of a text whose blocks are searched in each secret first, which is faster. */
const MAX_BLOCKS_LENGTH = 64;

/** The length of a block. Every part contains a whole block. */
const BLOCK = 4;

/** A position at which the text was truncated. */
export interface Cut {
  /** The index of the first unit that belongs to the ellipsis, or to a truncated escape before it. */
  readonly at: number;
  /** The position of the ellipsis in the text. */
  readonly ellipsis: number;
}

/** Thrown if a search takes too many steps. */
export class SearchTooLong extends Error {}

/** Counts the steps of a search. */
export class Steps {
  private left: number;

  constructor(max: number) {
    this.left = max;
  }

  take(count: number): void {
    this.left -= count;
    if (this.left < 0) throw new SearchTooLong();
  }
}

/**
 * One reading of a text, in which secrets are searched. The search looks up the substrings of each secret
 * among the substrings of the text, so it takes linear time for any number of secrets.
 */
export class Haystack {
  private readonly view: View;
  private readonly steps: Steps;
  private readonly hashes: Int32Array;
  private readonly indexes: Grams[] = [];
  /** The length of the longest part of the current secret at each position. */
  private readonly reach: Uint8Array;
  /** The blocks of a short text. */
  private readonly blocks: readonly string[] | undefined;

  constructor(view: View, steps: Steps) {
    this.view = view;
    this.steps = steps;
    this.hashes = prefixHashes(view.units);
    this.reach = new Uint8Array(view.units.length);
    this.blocks = view.units.length <= MAX_BLOCKS_LENGTH ? blocksOf(bytesText(view.units)) : undefined;
  }

  /** Returns the ranges of a secret, and of its beginnings before cuts. */
  wholes(needle: Units, cuts: readonly Cut[] = []): Range[] {
    const { starts, ends } = this.view;
    const grams = this.grams(Math.min(PREFIX, needle.length));
    const prefix = prefixHashes(needle.subarray(0, grams.length));
    const found: Range[] = [];
    // the beginning of the needle that reaches furthest so far; later ones are compared only after its end
    let [last, reached] = [0, 0];
    let repeats: Uint32Array | undefined;
    for (let at = grams.first(needle, prefix, 0); at >= 0; at = grams.next(at)) {
      this.steps.take(1 + cuts.length);
      if (at < reached) repeats ??= repeatsOf(needle);
      const known = at < reached ? (repeats?.[at - last] ?? 0) : 0;
      const end = at + known < reached ? at + known : this.commonEnd(needle, at, Math.max(at, reached));
      if (end > reached) [last, reached] = [at, end];
      const isWhole = end === at + needle.length;
      const cut = cuts.findLast((each) => each.at >= at + PREFIX && each.at <= end);
      // the text between a truncated escape and its ellipsis belongs to the secret
      const to = Math.max(isWhole ? (ends[end - 1] ?? 0) : 0, cut?.ellipsis ?? 0);
      if (to > 0) found.push([starts[at] ?? 0, to]);
    }
    return found;
  }

  /** Returns the ranges of overlapping parts of one secret, in order. */
  runs(all: readonly Parts[], secret: object): Range[] {
    const { blocks } = this;
    const touched = all
      .filter(({ text }) => blocks === undefined || blocks.some((block) => text.includes(block)))
      .flatMap((parts) => this.touchedBy(parts, secret));
    if (touched.length === 0) return [];
    const found: Range[] = [];
    const { starts, ends } = this.view;
    let [from, to] = [0, 0];
    const add = () => to > from && found.push([starts[from] ?? 0, ends[to - 1] ?? 0]);
    for (const at of Uint32Array.from(touched).sort()) {
      if (at >= to) {
        add();
        from = at;
      }
      to = Math.max(to, at + (this.reach[at] ?? 0));
      this.reach[at] = 0;
    }
    add();
    return found;
  }

  /** Returns the positions at which parts of a secret begin, and stores the lengths of these parts. */
  private touchedBy({ units, lengths }: Parts, secret: object): number[] {
    const { reach } = this;
    const touched: number[] = [];
    const hashes = prefixHashes(units);
    for (let part = 0; part < lengths.length; part++) {
      for (let bits = lengths[part] ?? 0, length = MIN_PART; bits !== 0; bits >>>= 1, length++) {
        if ((bits & 1) === 0) continue;
        const grams = this.grams(length);
        const first = grams.first(units, hashes, part);
        if (first < 0 || !grams.visit(first, secret)) continue;
        for (let at = first; at >= 0; at = grams.next(at)) {
          this.steps.take(1);
          if (reach[at] === 0) touched.push(at);
          reach[at] = Math.max(reach[at] ?? 0, length);
        }
      }
    }
    return touched;
  }

  /** Returns the end of the common units of a needle and the text at a position, which agree up to `from`. */
  private commonEnd(needle: Units, at: number, from: number): number {
    const { units } = this.view;
    const most = Math.min(at + needle.length, units.length);
    let end = from;
    while (end < most && units[end] === needle[end - at]) end++;
    return end;
  }

  private grams(length: number): Grams {
    const known = this.indexes[length];
    if (known !== undefined) return known;
    const grams = new Grams(this.view.units, this.hashes, length);
    this.indexes[length] = grams;
    return grams;
  }
}

/** Returns how many units at each position of a needle repeat its beginning (the Z function). */
function repeatsOf(needle: Units): Uint32Array {
  const repeats = new Uint32Array(needle.length);
  let [last, reached] = [0, 0];
  for (let at = 1; at < needle.length; at++) {
    let end = Math.max(at, Math.min(reached, at + (repeats[at - last] ?? 0)));
    while (end >= reached && end < needle.length && needle[end] === needle[end - at]) end++;
    repeats[at] = end - at;
    if (end > reached) [last, reached] = [at, end];
  }
  return repeats;
}

function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; at + BLOCK <= text.length; at += MIN_PART - BLOCK + 1) {
    blocks.push(text.slice(at, at + BLOCK));
  }
  return blocks;
}
