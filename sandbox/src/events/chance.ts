import { createHash } from "node:crypto";

/**
 * A number from 0 (included) to 1 (not included) that depends on these words alone: the same at every run,
 * in any order.
 */
export function chance(...words: readonly (string | number)[]): number {
  return createHash("sha256").update(words.join(" ")).digest().readUInt32BE(0) / 2 ** 32;
}

/** One of the items, by `chance`; `undefined` where there is none. */
export function pick<T>(items: readonly T[], ...words: readonly (string | number)[]): T | undefined {
  return items[Math.floor(chance(...words) * items.length)];
}
