import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { WATCH_DEFAULTS } from "connect-rest-runtime/internal";
import { afterAll, expect, test } from "vitest";
import { run } from "../../gateway/src/testing/child.ts";
import { ERRORS } from "../../runtime/src/errors/table.ts";
import { MAX_TOKEN_IDS } from "../../runtime/src/feed/token-ids.ts";
import { blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const page = readFileSync(path.join(ROOT, "docs/feeds.md"), "utf8");
const blocks = blocksOf(page);
const project = mkdtempSync(path.join(tmpdir(), "connect-rest-feeds-"));
for (const name of ["gen", "node_modules"]) symlinkSync(path.join(ROOT, name), path.join(project, name));
writeFileSync(path.join(project, "package.json"), '{"type":"module"}');
afterAll(() => rmSync(project, { recursive: true }));

const [excerpt, program, ...others] = blocks.filter(({ language }) => language === "ts");

test("the page begins with an excerpt of its program", () => {
  expect(others).toEqual([]);
  const words = (text = ""): readonly string[] => text.match(/\w+/g) ?? [];
  expect(words(excerpt?.text).filter((word) => !words(program?.text).includes(word))).toEqual([]);
});

test("the program of the page prints three events and ends", async () => {
  writeFileSync(path.join(project, "feeds.ts"), program?.text ?? "");
  const { exit, output } = run(["--preserve-symlinks-main", "feeds.ts"], project);
  expect(await exit, output().stdout + output().stderr).toBe(0);
  expect(output().stdout.trim().split("\n")).toHaveLength(3);
});

test("the numbers and reasons on the page match the code", () => {
  expect(page).toContain(`at most ${MAX_TOKEN_IDS}`);
  expect(WATCH_DEFAULTS).toMatchObject({ graceMs: 60_000, bufferBytes: 1024 * 1024 });
  const reasons = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, reason = ""]) => reason);
  expect(reasons.length).toBeGreaterThan(3);
  expect(reasons.filter((reason) => !Object.hasOwn(ERRORS, reason))).toEqual([]);
});

test("the rule on the page belongs to an API that other tests compile and call", () => {
  const [rule] = blocks.filter(({ language }) => language === "proto");
  const api = readFileSync(path.join(ROOT, "test/protos/world/v1/changes.proto"), "utf8");
  const words = (text: string) => text.match(/[\w"{}[\]/.-]+/g) ?? [];
  const lacking = words(rule?.text ?? "").filter(
    (word) => !words(api).join(" ").includes(word.replace(/^{|}$/g, "")),
  );
  expect(lacking).toEqual([]);
});
