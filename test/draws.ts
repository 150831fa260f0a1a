/**
 * Determines the seed of fast-check properties, the number of draws that they make in `npm test`, and the
 * properties that `npm run test:all` runs again.
 */

/**
 * The seed of all properties. It is fixed, so that the same commit always has the same result. The
 * environment variable `SEED` sets another seed; `SEED=random` draws a seed for each property.
 */
export const SEED = seedIn(process.env.SEED);

function seedIn(text = "1"): number | undefined {
  if (text === "random") return undefined;
  const seed = Number(text);
  if (!Number.isInteger(seed)) throw new Error(`SEED=${text} is neither an integer nor "random"`);
  return seed;
}

/**
 * A property with at most this many draws makes all of them. A property with more draws makes a share of them
 * in `npm test`, but at least this number.
 */
const ENOUGH = 100;
const SHARE = 0.1;

/** Returns the number of draws of a property in `npm test`. */
export function fewDraws(all: number): number {
  return all <= ENOUGH ? all : Math.max(ENOUGH, Math.ceil(all * SHARE));
}

/**
 * Returns the minimum number of draws that must be of the relevant kind, e.g. accepted by the scanner:
 * `count`, or a share of `count` in `npm test`.
 */
export function atLeast(count: number): number {
  return process.env.TEST_MODE === "short" ? Math.floor((count * SHARE) / 2) : count;
}

/** Reports whether a test file has a property that makes fewer draws, or tries fewer cases, in `npm test`. */
export function hasManyDraws(source: string): boolean {
  if (/\bsampleOf\(/.test(source)) return true;
  const asked = [...source.matchAll(/\bnumRuns: ([\d_]+)/g)].map(([, digits = ""]) => digits);
  return asked.some((digits) => Number(digits.replaceAll("_", "")) > ENOUGH);
}
