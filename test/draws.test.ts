import fc from "fast-check";
import { expect, test } from "vitest";
import { fewDraws, hasManyDraws } from "./draws.ts";
import { sampleOf } from "./sample-of.ts";

test.each([
  [1, 1],
  [100, 100],
  [101, 100],
  [1_000, 100],
  [3_001, 301],
])("if a property has %i draws, npm test makes %i", (all, few) => {
  expect(fewDraws(all)).toBe(few);
});

test("a property makes all of its draws outside of npm test", () => {
  const numRuns = 2_000;
  let runs = 0;
  const property = fc.property(fc.integer(), () => {
    runs += 1;
  });
  fc.assert(property, { numRuns });
  expect(runs).toBe(process.env.TEST_MODE === "short" ? fewDraws(numRuns) : numRuns);
});

test("all cases are tried outside of npm test", () => {
  const cases = Array.from({ length: 1_000 }, (_, index) => index);
  const tried = sampleOf(cases, 10);
  expect(tried).toHaveLength(process.env.TEST_MODE === "short" ? 10 : 1_000);
  expect(cases).toEqual(expect.arrayContaining([...tried]));
});

test.each([
  ["fc.assert(property);", false],
  ["fc.assert(property, { numRuns: 100 });", false],
  ["fc.assert(property, { numRuns: 1_000 });", true],
  ["test.each(sampleOf(CASES, 10))", true],
])("the source %s has more cases than npm test runs: %s", (source, expected) => {
  expect(hasManyDraws(source)).toBe(expected);
});
