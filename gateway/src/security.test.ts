import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

test("every security guarantee names existing test files", () => {
  const text = readFileSync(path.join(root, "docs/security-tests.md"), "utf8");
  const rows = text.split("\n").filter((line) => line.startsWith("|") && !/^\| (?:guarantee |-)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const files = [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = ""]) => file);
    expect([row, files.length > 0]).toEqual([row, true]);
    for (const file of files) expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
  }
});
