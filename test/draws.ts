/**
 * Determines the number of draws that fast-check properties make in `npm test`, and the properties that `npm
 * run test:all` runs again.
 */
import fc from "fast-check";

/**
 * The maximum number of draws of a property that is not reduced. Other properties make a share of their
 * draws, but at least this number.
 */
const ENOUGH = 100;
const SHARE = 0.1;

/** Returns the number of draws of a property in `npm test`. */
export function fewDraws(all: number): number {
  return all <= ENOUGH ? all : Math.max(ENOUGH, Math.ceil(all * SHARE));
}

/**
 * Returns the minimum number of draws that must be of the relevant kind, for example accepted by the scanner:
 * `count` for all draws, and a share of `count` in `npm test`.
 */
export function atLeast(count: number): number {
  return process.env.TEST_MODE === "short" ? Math.floor((count * SHARE) / 2) : count;
}

/** Returns all cases; in `npm test`, `few` of them, which are drawn at random. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  return process.env.TEST_MODE === "short" ? fc.sample(fc.constantFrom(...all), few) : all;
}

/** Reports whether a test file has a property that makes fewer draws, or tries fewer cases, in `npm test`. */
export function hasManyDraws(source: string): boolean {
  if (/\bsampleOf\(/.test(source)) return true;
  const asked = [...source.matchAll(/\bnumRuns: ([\d_]+)/g)].map(([, digits = ""]) => digits);
  return asked.some((digits) => Number(digits.replaceAll("_", "")) > ENOUGH);
}
