import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../../gateway/src/config/schema.ts";
import { run } from "../../gateway/src/testing/child.ts";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const blocks = blocksOf(readFileSync(path.join(ROOT, "docs/networks.md"), "utf8"));
const programs = blocks.filter(({ language }) => language === "ts");

/** A project with the generated code and the repository's packages. */
const project = mkdtempSync(path.join(tmpdir(), "connect-rest-docs-"));
for (const name of ["gen", "node_modules"]) symlinkSync(path.join(ROOT, name), path.join(project, name));
writeFileSync(path.join(project, "package.json"), '{"type":"module"}');
afterAll(() => rmSync(project, { recursive: true }));

test.each(programs.map(({ text }, index) => [index, text] as const))(
  "program %d of the page runs",
  async (index, text) => {
    const file = `program-${index}.ts`;
    writeFileSync(path.join(project, file), text);
    const { exit, output } = run(["--preserve-symlinks-main", file], project);
    expect(await exit, output().stdout + output().stderr).toBe(0);
  },
);

test("the configurations of the page are valid", () => {
  const texts = blocks.filter(({ language }) => language === "yaml").map(({ text }) => text);
  expect(texts.length).toBeGreaterThan(1);
  for (const text of texts) {
    expect(configSchema.safeParse({ adapters: ["./a.ts"], ...parse(text) }).error).toBeUndefined();
  }
});
