import fc from "fast-check";

/** Returns all cases or, in `npm test`, a random sample of `few` cases. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  return process.env.TEST_MODE === "short" ? fc.sample(fc.constantFrom(...all), few) : all;
}
