/**
 * How often the properties of fast-check are tried in `npm test`,
 * and which of them `npm run test:all` tries again.
 */

/** Properties that ask for more get a share of what they ask for, this at least. */
const ENOUGH = 100;
const SHARE = 0.1;

/** The draws of a property in `npm test`. */
export function fewDraws(all: number): number {
  return all <= ENOUGH ? all : Math.max(ENOUGH, Math.ceil(all * SHARE));
}

/**
 * How many of the draws of a property must have been of a kind that the test is about, e.g. read by the
 * scanner at all: `count` of all draws, and a part of that in `npm test`.
 */
export function atLeast(count: number): number {
  return process.env.TEST_MODE === "short" ? Math.floor((count * SHARE) / 2) : count;
}

/** Whether a test file has a property that `npm test` tries less often than it asks for. */
export function hasManyDraws(source: string): boolean {
  const asked = [...source.matchAll(/\bnumRuns: ([\d_]+)/g)].map(([, digits = ""]) => digits);
  return asked.some((digits) => Number(digits.replaceAll("_", "")) > ENOUGH);
}
