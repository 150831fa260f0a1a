import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const PRIVATE = "Use the keyword `private`, as all classes of this repository do.";
const BRACES = "Put a branch that takes more than one line in braces.";
const CONSTANT =
  "Name a constant of a module in UPPER_CASE when its value is a literal: a number, text, pattern, list or set.";
const READONLY = "Make this property of an interface `readonly`.";
const TEST = "Write `test` with a sentence that says what holds, so that its whole name can be searched for.";

/** Sources, with the findings that the linter must report. */
const SOURCES: ReadonlyArray<readonly [name: string, source: string, findings: readonly string[]]> = [
  ["a private name with #", "export class A { #a = 1; b() { return this.#a; } }", [PRIVATE]],
  ["a branch on a line of its own", "if (a)\n  b();", [BRACES]],
  ["a branch over several lines", "if (a) b({\n  c,\n});", [BRACES]],
  ["an else without braces", "if (a) {\n  b();\n} else c();", [BRACES]],
  ["a loop over two lines", "for (const a of b)\n  c(a);", [BRACES]],
  ["a number", "export const limit = 5;", [CONSTANT]],
  ["a text", 'const name = "a";', [CONSTANT]],
  ["a pattern", "const name = /a/g;", [CONSTANT]],
  ["a list", "const names = [1, 2] as const;", [CONSTANT]],
  ["a set", "const names = new Set([1, 2]);", [CONSTANT]],
  ["a property that can be assigned", "export interface A { a: string }", [READONLY]],
  ["a test called it", 'it("works", () => {});', [TEST]],
  ["a group without hooks", 'describe("a", () => {\n  test("b", () => {});\n});', [TEST]],
  ["a group with hooks", 'describe("a", () => {\n  beforeAll(() => {});\n  test("b", () => {});\n});', []],
  ["a short branch", "if (a) b();", []],
  ["braces", "if (a) {\n  b();\n} else {\n  c();\n}", []],
  ["a constant of a literal", "const LIMIT = 5;", []],
  ["what a call returns", "const made = make([1, 2]);", []],
  ["a constant of a function", "function f() { const limit = 5; return limit; }", []],
  ["a property that cannot be assigned", "export interface A { readonly a: string; b(): void }", []],
  ["a private field", "export class A { private readonly a = 1; b() { return this.a; } }", []],
];

const root = mkdtempSync(join(tmpdir(), "dialect-"));
let findings: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  const config = JSON.parse(readFileSync("biome.json", "utf8"));
  writeFileSync(join(root, "biome.json"), JSON.stringify({ ...config, vcs: { enabled: false } }));
  cpSync("scripts/lint", join(root, "scripts/lint"), { recursive: true });
  for (const [name, source] of SOURCES) {
    const path = join(root, pathOf(name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
  }
  findings = await lint();
});

afterAll(() => rmSync(root, { recursive: true }));

test.each(SOURCES)("the linter reports the expected findings for %s", (name, _source, expected) => {
  expect(new Set(findings.get(pathOf(name)))).toEqual(new Set(expected));
});

function pathOf(name: string): string {
  return `runtime/src/${name.replaceAll(/\W/g, "-")}.ts`;
}

/** Returns the findings of the linter's plugins, by file. */
async function lint(): Promise<ReadonlyMap<string, readonly string[]>> {
  const args = ["lint", "--max-diagnostics=1000", "--reporter=json", "."];
  const biome = resolve("node_modules/.bin/biome");
  const printed = await new Promise<string>((done) => {
    execFile(biome, args, { cwd: root }, (_error, stdout) => done(stdout));
  });
  const texts = new Map<string, string[]>();
  for (const { category, message, location } of JSON.parse(printed).diagnostics) {
    if (category !== "plugin") continue;
    texts.set(location.path, [...(texts.get(location.path) ?? []), message]);
  }
  return texts;
}
