import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { countTests, mergeRuns, slowest, type TestFile } from "../scripts/test-all.ts";
import { LEFT_OUT } from "./left-out.ts";

test.each(Object.values(LEFT_OUT).flat())("%s names existing test files", (pattern) => {
  expect(globSync(pattern)).not.toEqual([]);
});

function file(name: string, results: readonly string[], seconds = 1): TestFile {
  return {
    name,
    startTime: 5_000,
    endTime: 5_000 + seconds * 1_000,
    status: results.includes("failed") || results.length === 0 ? "failed" : "passed",
    assertionResults: results.map((status) => ({ status })),
  };
}

test("a file that ran twice counts once, with the second result", () => {
  const files = mergeRuns(
    [file("a", ["passed", "skipped"]), file("b", ["passed"])],
    [file("a", ["passed", "passed"]), file("c", ["pending"])],
  );
  expect(countTests(files)).toBe("3 passed, 0 failed, 1 skipped");
});

test("a file that failed in one of two runs counts as failed", () => {
  const passed = [file("a", ["passed", "passed"])];
  const failed = [file("a", ["passed", "failed"])];
  expect(countTests(mergeRuns(passed, failed))).toBe("1 passed, 1 failed, 0 skipped");
  expect(countTests(mergeRuns(failed, passed))).toBe("1 passed, 1 failed, 0 skipped");
});

test("a file that cannot be loaded counts as one failed test", () => {
  expect(countTests([file("a", []), file("b", ["passed"])])).toBe("1 passed, 1 failed, 0 skipped");
});

test("at most twenty of the slowest files are listed", () => {
  const files = Array.from({ length: 30 }, (_, i) => file(`${i}.test.ts`, ["passed"], i));
  expect(slowest(files)).toHaveLength(20);
  expect(slowest(files)[0]).toBe("   29.0 s  29.test.ts");
});
