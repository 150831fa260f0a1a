import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CodeGeneratorRequest } from "@bufbuild/protobuf/wkt";
import { beforeAll, expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";
import { PROBLEM_CASES } from "./problem-cases.ts";

const HEAD_LINES = HEAD.split("\n").length - 1;
let request: CodeGeneratorRequest;

beforeAll(() => {
  const sources = PROBLEM_CASES.map(({ name, source }) => [
    `${name}.proto`,
    HEAD.replace("test.v1", name) + source,
  ]);
  request = compileRequest(Object.fromEntries(sources));
});

/** The problems of one source, as `problem-cases.ts` writes them. */
function problemsOf(name: string): string[] {
  const { error } = runGenerator(request, { fileToGenerate: [`${name}.proto`] });
  return error.split("\n").map((line) => {
    const [, row = "", column = "", text = ""] =
      new RegExp(`^${name}\\.proto:(\\d+):(\\d+): (.*)$`).exec(line) ?? [];
    return `${Number(row) - HEAD_LINES}:${column}: ${text.replaceAll(`${name}.`, "case.")}`;
  });
}

test.each(PROBLEM_CASES)("a wrong rule: $name is named with its place", ({ name, problems }) => {
  expect(problemsOf(name)).toEqual(problems);
});

test("a wrong rule: is reported with all others, in the order of files and lines", () => {
  const names = ["path_syntax", "api_key_place", "stream_kind"];
  const files = names.map((name) => `${name}.proto`);
  const { error, files: generated } = runGenerator(request, { fileToGenerate: files });
  expect(error.split("\n").map((line) => line.slice(0, line.indexOf(":")))).toEqual([...files].sort());
  expect(generated).toEqual({});
});

test("a wrong rule: has a case here for every code that the generator knows", () => {
  const known = PROBLEM_CASES.flatMap(({ problems }) => problems.map((line) => line.split(": ")[1]));
  expect([...new Set(known)].sort()).toEqual(codesInSource());
});

/**
 * Codes as they are written in the generator: words joined by hyphens, or alone behind the number of a field.
 */
function codesInSource(): string[] {
  const folder = join(import.meta.dirname, "../../plugin/src");
  const texts = ["parse", "check"].flatMap((step) =>
    readdirSync(join(folder, step))
      .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(folder, step, name), "utf8")),
  );
  const found = texts.flatMap((text) => [
    ...text.matchAll(/"([a-z]+(?:-[a-z]+)+)"/g),
    ...text.matchAll(/add\(\s*(?:[\w.]+|\[\]),\s+"([a-z]+)"/g),
  ]);
  // a kind of body, not of problem
  return [...new Set(found.map(([, code = ""]) => code))].filter((code) => code !== "http-body").sort();
}

const UNMAPPED = "stream_unmapped";

test("what cannot be mapped: is a problem by default, and left out with a warning where the options say so", () => {
  const { error, files, warnings } = runGenerator(request, {
    fileToGenerate: [`${UNMAPPED}.proto`],
    parameter: "unsupported=skip",
  });
  expect(error).toBe("");
  expect(files).toEqual({});
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`${UNMAPPED}.proto:${HEAD_LINES + 2}:3: stream-unmapped: `);
});

test("what cannot be mapped: is told from what is wrong, which is an error all the same", () => {
  const { error } = runGenerator(request, {
    fileToGenerate: ["path_syntax.proto"],
    parameter: "unsupported=skip",
  });
  expect(error).toContain("path-syntax: ");
});

test("positions: are line 1 where the compiler recorded none", () => {
  const protoFile = request.protoFile.map((file) => {
    const { sourceCodeInfo: _, ...rest } = file;
    return rest;
  });
  const { error } = runGenerator(request, { fileToGenerate: ["path_syntax.proto"], protoFile });
  expect(error).toMatch(/^path_syntax\.proto:1:1: path-syntax: /);
});
