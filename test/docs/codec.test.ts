import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { run } from "../../gateway/src/testing/child.ts";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const blocks = blocksOf(readFileSync(path.join(ROOT, "codec/README.md"), "utf8"));

const project = mkdtempSync(path.join(tmpdir(), "connect-rest-codec-"));
symlinkSync(path.join(ROOT, "node_modules"), path.join(project, "node_modules"));
writeFileSync(path.join(project, "package.json"), '{"type":"module"}');
afterAll(() => rmSync(project, { recursive: true }));

test("the program on the codec's page prints the output that the page shows", async () => {
  const [program, output] = ["ts", "text"].map(
    (each) => blocks.find(({ language }) => language === each)?.text,
  );
  writeFileSync(path.join(project, "decode.ts"), program ?? "");
  const child = run(["--preserve-symlinks-main", "decode.ts"], project);
  expect(await child.exit, child.output().stderr).toBe(0);
  expect(child.output().stdout.trim()).toBe(output?.trim());
});
