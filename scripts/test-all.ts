/**
 * `npm run test:all`: runs `npm test` and the tests that `npm test` leaves out, and prints a summary of both.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const RUNS: readonly (readonly string[])[] = [
  ["npm", "test", "--"],
  ["node_modules/.bin/vitest", "run", "--mode", "rest"],
];

const SLOWEST = 20;

/** The part of a Vitest report that this script uses. */
interface Report {
  readonly testResults: readonly TestFile[];
}

/** A test file that ran. */
export interface TestFile {
  readonly name: string;
  /** The start time, in milliseconds since 1970. */
  readonly startTime: number;
  readonly endTime: number;
  /** The result. A file that cannot be loaded has failed and has no test results. */
  readonly status: "passed" | "failed";
  readonly assertionResults: readonly { readonly status: string }[];
}

/**
 * Merges both runs into one list. A file in both runs counts once: with the failed result, or else with the
 * result of the longer run.
 */
export function mergeRuns(first: readonly TestFile[], second: readonly TestFile[]): TestFile[] {
  const files = new Map(first.map((file) => [file.name, file]));
  for (const file of second) {
    if (files.get(file.name)?.status !== "failed") files.set(file.name, file);
  }
  return [...files.values()];
}

/** Counts the passed, failed and skipped tests. */
export function countTests(files: readonly TestFile[]): string {
  const statuses = files.flatMap(({ status, assertionResults }) => {
    const results = assertionResults.map((result) => result.status);
    return status === "failed" && !results.includes("failed") ? [...results, "failed"] : results;
  });
  const passed = statuses.filter((status) => status === "passed").length;
  const failed = statuses.filter((status) => status === "failed").length;
  return `${passed} passed, ${failed} failed, ${statuses.length - passed - failed} skipped`;
}

/** Returns the slowest files, with their seconds. */
export function slowest(files: readonly TestFile[]): string[] {
  return files
    .map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${relative(".", name)}`);
}

/** Runs tests. Returns their files, and whether all tests passed. */
function run([command = "", ...args]: readonly string[], report: string) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { status } = spawnSync(command, [...args, ...reporters], { stdio: "inherit" });
  if (!existsSync(report)) return { files: [], isWell: false };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  return { files: testResults, isWell: status === 0 };
}

if (import.meta.main) {
  const folder = mkdtempSync(join(tmpdir(), "connect-rest-tests-"));
  const runs = RUNS.map((command, index) => run(command, join(folder, `${index}.json`)));
  rmSync(folder, { recursive: true });
  const files = mergeRuns(runs[0]?.files ?? [], runs[1]?.files ?? []);
  const lines = ["", "The slowest files", ...slowest(files), "", countTests(files)];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (!runs.every(({ isWell }) => isWell)) process.exitCode = 1;
}
