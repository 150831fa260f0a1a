import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCases } from "../blog/run.ts";
import { LIVE_COMMUNITY_CASES } from "./cases/live.ts";

runCases(LIVE_COMMUNITY_CASES, "./live-failures.txt");

/** Returns code and reason of each documented error, by endpoint and status. */
function toldIn(...files: readonly string[]): Map<string, string> {
  const told = new Map<string, string>();
  for (const file of files) {
    const text = readFileSync(new URL(file, import.meta.url), "utf8");
    for (const [, endpoint, status, outcome = ""] of text.matchAll(
      /^\| (.*?) \| (\d{3}(?:\.\d+)?): .*? \| (\w+ \w+): .*? \| the same \|$/gm,
    )) {
      told.set(`${endpoint} ${status}`, outcome);
    }
  }
  return told;
}

test("the sandbox gives callers the errors that the reference documents", () => {
  const documented = toldIn("communities-failures.txt", "members-failures.txt", "posts-failures.txt");
  const live = [...toldIn("live-failures.txt")].filter(([row]) => documented.has(row));
  expect(live.length).toBeGreaterThan(35);
  expect(live.filter(([row, outcome]) => documented.get(row) !== outcome)).toEqual([]);
});
