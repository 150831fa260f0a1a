import { expect, test } from "vitest";
import { EnumTable } from "./enum-table.ts";

const table = new EnumTable("test.Mood", [
  [0, "MOOD_UNSPECIFIED"],
  [1, "good", "fine"],
  [1, "alias", "good"],
  [2, "2"],
  [-3, "-30"],
]);

test("EnumTable finds numbers by every spelling; if two numbers have the same spelling, the first counts", () => {
  expect(
    ["good", "fine", "alias", "2", "-30", "MOOD_UNSPECIFIED"].map((wire) => table.numberOf(wire)),
  ).toEqual([1, 1, 1, 2, -3, 0]);
  expect(table.numberOf("nowhere")).toBeUndefined();
  expect(table.numberOf("toString")).toBeUndefined();
});

test("EnumTable writes a number with its first spelling, or as digits if it has no spelling", () => {
  expect(table.wire(1)).toBe("good");
  expect(table.wire(99)).toBe("99");
});

test("EnumTable writes numeric spellings as JSON numbers", () => {
  expect([1, 2, -3, 99].map((number) => table.json(number))).toEqual(["good", 2, -30, 99]);
});

test("EnumTable knows which numbers are declared and which it can hold", () => {
  expect([0, 1, 2, -3, 3].map((number) => table.has(number))).toEqual([true, true, true, true, false]);
});
