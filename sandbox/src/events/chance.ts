import { createHash } from "node:crypto";

/** Returns a pseudorandom number from 0 (inclusive) to 1 (exclusive) that depends only on these words. */
export function chance(...words: readonly (string | number)[]): number {
  return createHash("sha256").update(words.join(" ")).digest().readUInt32BE(0) / 2 ** 32;
}

/** Picks an item by `chance`. Returns `undefined` if there are no items. */
export function pick<T>(items: readonly T[], ...words: readonly (string | number)[]): T | undefined {
  return items[Math.floor(chance(...words) * items.length)];
}
