/**
 * Determines how many draws fast-check properties make in `npm test`, and which properties `npm run test:all`
 * runs again.
 */

/** The minimum for properties that request more draws; they get a share. */
const ENOUGH = 100;
const SHARE = 0.1;

/** Returns the number of draws of a property in `npm test`. */
export function fewDraws(all: number): number {
  return all <= ENOUGH ? all : Math.max(ENOUGH, Math.ceil(all * SHARE));
}

/**
 * Returns how many draws of a property must be of the relevant kind, for example accepted by the scanner:
 * `count` of all draws, and a share of that in `npm test`.
 */
export function atLeast(count: number): number {
  return process.env.TEST_MODE === "short" ? Math.floor((count * SHARE) / 2) : count;
}

/** Reports whether a test file has a property with fewer draws in `npm test` than it requests. */
export function hasManyDraws(source: string): boolean {
  const asked = [...source.matchAll(/\bnumRuns: ([\d_]+)/g)].map(([, digits = ""]) => digits);
  return asked.some((digits) => Number(digits.replaceAll("_", "")) > ENOUGH);
}
