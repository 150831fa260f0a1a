import fc from "fast-check";

/** Returns all cases; in `npm test`, `few` of them, which are drawn at random. */
export function sampleOf<T>(all: readonly T[], few: number): readonly T[] {
  return process.env.TEST_MODE === "short" ? fc.sample(fc.constantFrom(...all), few) : all;
}
