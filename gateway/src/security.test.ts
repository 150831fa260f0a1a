import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../..");

test("every guarantee of SECURITY.md names the tests that hold it, and they are there", () => {
  const text = readFileSync(path.join(root, "SECURITY.md"), "utf8");
  const [, guarantees = ""] = /## Guarantees\n(.*?)\n## /s.exec(text) ?? [];
  const rows = guarantees
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\| (?:guarantee |-)|^\|-/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const files = [...row.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, file = ""]) => file);
    expect([row, files.length > 0]).toEqual([row, true]);
    for (const file of files) expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
  }
});
