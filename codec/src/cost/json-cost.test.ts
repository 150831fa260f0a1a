import fc from "fast-check";
import { expect, test } from "vitest";
import { TooCostly } from "./budget.ts";
import { checkJsonCost } from "./json-cost.ts";

/** A limit that is never reached, so that JSON of any length is counted. */
const COUNTED = Number.MAX_SAFE_INTEGER;
const padding = " ".repeat(10);

/** Returns the cost of JSON, including JSON that is normally too short to be scanned. */
function costOf(text: string): number {
  let low = 0;
  let high = text.length * 400;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isWithin(text, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

function isWithin(text: string, limit: number): boolean {
  try {
    checkJsonCost(text, limit);
    return true;
  } catch (error) {
    if (error instanceof TooCostly) return false;
    throw error;
  }
}

function valuesIn(json: unknown): number {
  if (typeof json !== "object" || json === null) return 1;
  const isArray = Array.isArray(json);
  return Object.values(json).reduce<number>((sum, each) => sum + valuesIn(each) + (isArray ? 0 : 1), 1);
}

test("property: every value and every key of a document has a cost", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (json, indentation) => {
      const text = JSON.stringify(json, undefined, indentation);
      // spaces cost nothing, but make the document long enough to be scanned
      const long = padding.repeat(text.length) + text;
      expect(costOf(long)).toBeGreaterThanOrEqual(valuesIn(json));
    }),
    { numRuns: 500, interruptAfterTimeLimit: 10_000 },
  );
});

test("property: JSON that is too short to be scanned costs at most the limit", () => {
  const number = fc.tuple(
    fc.constantFrom("", "-"),
    fc.constantFrom("0", "1", "9".repeat(20)),
    fc.constantFrom("", ".0", ".5"),
    fc.constantFrom("", "e1", "e99", "e100", "e999", "E+0999", "e1000", "e-300"),
  );
  const value = fc.oneof(
    fc.constantFrom("{}", "[]", "true", '"a"', '"1"', '{"a":1}'),
    number.map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), fc.nat(20_000), (values, limit) => {
      const text = `[${values.join(",")}]`;
      // spaces cost nothing, but make the document long enough to be scanned
      expect(isWithin(text, limit)).toBe(isWithin(padding.repeat(10_000) + text, limit));
    }),
    { numRuns: 500, interruptAfterTimeLimit: 10_000 },
  );
});

test.each([
  ["{}", 8],
  ["[[],{}]", 14],
  ['{"a":"b"}', 10],
  ['["\\"[{","\\\\",true]', 6],
  ["[1,-2,3.5,null]", 8],
  ["[1.0,-0,1e3,10]", 34],
  ["[9007199254740993]", 20],
  ["[1e999]", 313],
  [`[${"1".repeat(1000)}]`, 20],
  [`[${"1".repeat(1500)}]`, 520],
  [`[-${"1".repeat(1999)}e999]`, 1024],
  ["[1e0000999]", 313],
  ["[1.5e+200]", 313],
  ["[1e-99,1e22]", 23],
  ['["2026-01-01T00:00:00Z","-1"]', 11],
  ['"open', 1],
])("the JSON %s costs %d", (text, cost) => {
  expect(costOf(padding.repeat(20) + text)).toBe(cost);
});

test.each(["{},", "[", '{"a":', '"",', "1,", "1e999,", "null,", '"1",', "9007199254740993,"])(
  "scanning a million characters of %s stops as soon as the cost exceeds the limit",
  (unit) => {
    const text = unit.repeat(1_000_000 / unit.length);
    expect(() => checkJsonCost(text, 100_000)).toThrow(TooCostly);
  },
);

test("the length of a string does not change its cost, but each digit of a number after the thousandth does", () => {
  const long = "x".repeat(1_000_000);
  expect(checkJsonCost(`"${long}"`, 100_000)).toBe(1);
  expect(checkJsonCost(`"${'\\"'.repeat(1_000_000)}"`, 100_000)).toBe(1);
  expect(checkJsonCost("1".repeat(1_000_000), 1_000_000)).toBe(17 + 999_000);
  expect(() => checkJsonCost("1".repeat(1_000_000), 100_000)).toThrow(TooCostly);
});

test("short documents are not scanned", () => {
  expect(checkJsonCost("[".repeat(10), 800)).toBe(0);
  expect(checkJsonCost("[".repeat(100), COUNTED)).toBe(0);
});

test("after the first thousand keys, each new key costs more, in one object or in many", () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `k${index}`);
  const one = JSON.stringify(Object.fromEntries(keys.map((key) => [key, 1])));
  const many = JSON.stringify(keys.map((key) => ({ [key]: 1 })));
  const spaced = one.replaceAll(":", " \n: ");
  const alike = JSON.stringify(keys.map(() => ({ k: 1 })));
  const texts = JSON.stringify(keys);
  const more = 4000 * 12;
  // a few keys have the same hash as another key
  for (const [text, cost] of [
    [one, 8 + 5000 * 2 + more],
    [spaced, 8 + 5000 * 2 + more],
    [many, 3 + 5000 * 10 + more],
  ] as const) {
    expect(checkJsonCost(text.padEnd(100_000), cost)).toBeGreaterThan(cost - 100 * 8);
  }
  expect(costOf(alike)).toBe(3 + 5000 * 10);
  expect(costOf(texts)).toBe(3 + 5000);
});
