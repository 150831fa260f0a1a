import { expect, test } from "vitest";
import { itemKey } from "./item-key.ts";

test("an item is identified by its key, or by its whole content if it has no key", () => {
  expect([itemKey("a", {}), itemKey(7, {}), itemKey(2n ** 64n, {})]).toEqual([
    "a",
    "7",
    "18446744073709551616",
  ]);
  expect(itemKey(undefined, { a: 1 })).toBe(itemKey(null, { a: 1 }));
  expect(itemKey(undefined, { a: 1 })).not.toBe(itemKey(undefined, { a: 2 }));
});

test("remembered keys are short and distinct, even if the keys of a feed are long", () => {
  const long = "x".repeat(1_000_000);
  const keys = [`${long}1`, `${long}2`, "x".repeat(129)].map((key) => itemKey(key, {}));
  expect(new Set(keys).size).toBe(3);
  expect(Math.max(...keys.map((key) => key.length))).toBeLessThanOrEqual(128);
  expect(itemKey(undefined, { text: long }).length).toBeLessThanOrEqual(128);
});
