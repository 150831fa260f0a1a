import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FAMILIES, FAMILY_FOLDER } from "./openapi/families.ts";
import { runImport, TestProject } from "./project.ts";

const EXPECTED = "test/import/expected";

/** A project that contains all imported documents, each in a separate package. */
let project: TestProject;

beforeAll(async () => {
  project = new TestProject();
  for (const family of FAMILIES) {
    const args = ["--output", project.folder, "--package", `${nameOf(family)}.v1`];
    rmSync(join(project.folder, "connect-rest-import.lock.json"), { force: true });
    expect(await runImport([join(FAMILY_FOLDER, family), ...args])).toMatchObject({ code: 0, errors: "" });
  }
});

afterAll(() => project.remove());

test("imported files have the format of `buf format`", async () => {
  expect(await project.buf("format", "--diff", "--exit-code", "proto")).toEqual({ output: "", code: 0 });
});

test("imported files have no linter findings", async () => {
  expect(await project.buf("lint")).toEqual({ output: "", code: 0 });
});

test("imported files can be generated and compiled", async () => {
  expect(await project.buf("generate")).toEqual({ output: "", code: 0 });
  expect(await project.tsc()).toEqual({ output: "", code: 0 });
});

test.each(FAMILIES)("%s is imported as expected, with the same result each time", async (family) => {
  const folder = mkdtempSync(join(tmpdir(), "import-"));
  const name = nameOf(family);
  const args = [join(FAMILY_FOLDER, family), "--output", folder, "--package", `${name}.v1`];
  const report = join(folder, "report.txt");
  await runImport([...args, "--report", report]);
  const first = filesIn(folder);
  // The second import uses the lock of the first one.
  expect(await runImport([...args, "--report", report])).toMatchObject({ code: 0 });
  expect(filesIn(folder)).toEqual(first);
  for (const [path, text] of first) {
    if (!/\.proto$|^report|^connect-rest\.yaml$/.test(path)) continue;
    await expect(text).toMatchFileSnapshot(join(process.cwd(), EXPECTED, name, path));
  }
  rmSync(folder, { recursive: true });
});

function nameOf(family: string): string {
  return family.replace(/\/.*|\.\w+$/g, "");
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, "utf8")]),
  );
}
