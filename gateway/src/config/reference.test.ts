import path from "node:path";
import { expect, test } from "vitest";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitEntry } from "../limits.ts";
import { configReference } from "./reference.ts";

const file = path.resolve(import.meta.dirname, "../../../docs/configuration.md");

// `npx vitest run gateway/src/config -u` rewrites the page.
test("the configuration reference matches the schema", async () => {
  await expect(configReference()).toMatchFileSnapshot(file);
});

test("every setting and limit has a description, and each default is below its maximum", () => {
  const rows = configReference()
    .split("\n")
    .filter((line) => line.startsWith("| `"));
  for (const row of rows) expect(row).toMatch(/ \| \S[^|]*\. \|$/);
  for (const name of LIMIT_NAMES) {
    const { default: value, max, min = 1 }: LimitEntry = LIMIT_TABLE[name];
    expect(value).toBeGreaterThanOrEqual(min);
    expect(value).toBeLessThanOrEqual(max);
    expect(max).toBeLessThan(2 ** 31);
    expect(rows.some((row) => row.startsWith(`| \`${name}\` |`))).toBe(true);
  }
});
