import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { readRequirements } from "../../scripts/docs/requirements.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** Requirements without a test. Do not add to this list. */
const UNSHOWN: readonly string[] = [];

test("every requirement of the authorization profile names an existing test", () => {
  const requirements = readRequirements();
  expect(requirements.length).toBeGreaterThan(50);
  for (const { number, test: shown } of requirements) {
    if (shown === undefined) continue;
    const file = path.join(ROOT, shown.file);
    expect(existsSync(file), `${number}: ${shown.file}`).toBe(true);
    expect(readFileSync(file, "utf8").includes(shown.name), `${number}: ${shown.file}: ${shown.name}`).toBe(
      true,
    );
  }
  const without = requirements.filter(({ test: shown }) => shown === undefined).map(({ number }) => number);
  expect(without.sort()).toEqual([...UNSHOWN].sort());
});

test("each requirement is listed once, with a level of RFC 2119", () => {
  const requirements = readRequirements();
  const levels = new Set(["MUST", "MUST NOT", "REQUIRED", "SHOULD", "SHOULD NOT", "MAY", "OPTIONAL"]);
  for (const { number, level, provider, text } of requirements) {
    expect(levels.has(level), number).toBe(true);
    expect(["server", "client", "both"]).toContain(provider);
    expect(text.length, number).toBeGreaterThan(5);
  }
  expect(new Set(requirements.map(({ number }) => number)).size).toBe(requirements.length);
});
