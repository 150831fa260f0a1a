import { expect, test } from "vitest";
import { sizeViolations } from "../../scripts/sizes.ts";

const FILE = "plugin/src/a.ts";

test("a file or function above a limit is a violation unless an exception names it", () => {
  const found = [
    { name: FILE, size: "451 lines, at most 450" },
    { name: `parse in ${FILE}`, size: "81 lines, at most 80" },
  ];
  expect(sizeViolations(found, [`parse in ${FILE}`])).toEqual([`${FILE}: 451 lines, at most 450`]);
});

test("an exception for a file within its limit is a violation", () => {
  expect(sizeViolations([], [FILE])).toEqual([
    `${FILE}: within its limit; remove its exception from scripts/sizes.ts`,
  ]);
});
