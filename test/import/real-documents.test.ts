import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cachedPath, countsPage, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import { runImport, TestProject } from "./project.ts";

const isFetched = REAL_DOCUMENTS.every((document) => existsSync(cachedPath(document)));

/**
 * The goals for GitHub's document: the share of operations and fields that are imported without a weaker
 * type.
 */
const GOALS = { operations: 0.95, fields: 0.99 };

/** A project that contains all imported documents, each in a separate package. */
let project: TestProject;

beforeAll(async () => {
  project = new TestProject();
  if (!isFetched) return;
  for (const document of REAL_DOCUMENTS) {
    rmSync(join(project.folder, "connect-rest-import.lock.json"), { force: true });
    const args = [cachedPath(document), "--output", project.folder, "--package", `${document.name}.v1`];
    expect(await runImport(args)).toMatchObject({ code: 0, errors: "" });
  }
});

afterAll(() => project.remove());

test.skipIf(!isFetched)(
  "imported documents of real APIs are formatted and have no linter findings",
  async () => {
    expect(await project.buf("format", "--diff", "--exit-code", "proto")).toEqual({ output: "", code: 0 });
    expect(await project.buf("lint")).toEqual({ output: "", code: 0 });
  },
);

test.skipIf(!isFetched)(
  "imported documents of real APIs can be generated and compiled",
  async () => {
    expect(await project.buf("generate")).toEqual({ output: "", code: 0 });
    expect(await project.tsc()).toEqual({ output: "", code: 0 });
  },
  600_000,
);

test.skipIf(!isFetched)(
  "docs/import-counts.md has the current counts for documents of real APIs",
  async () => {
    expect(readFileSync("docs/import-counts.md", "utf8")).toBe(await countsPage());
  },
);

test.skipIf(!isFetched)("nearly all fields of GitHub's document have their declared types", async () => {
  const [row = ""] = (await countsPage()).match(/^\| @octokit.*$/m) ?? [];
  const [operations = 0, weakened = 0, fields = 0, weaker = 0] = [...row.matchAll(/ (\d+) [|(]/g)].map(
    ([, count]) => Number(count),
  );
  expect(1 - weakened / operations).toBeGreaterThan(GOALS.operations);
  expect(1 - weaker / fields).toBeGreaterThan(GOALS.fields);
});
