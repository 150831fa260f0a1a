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

/** Returns the problems of one source, in the format of `problem-cases.ts`. */
function problemsOf(name: string): string[] {
  const { error } = runGenerator(request, { fileToGenerate: [`${name}.proto`] });
  return error.split("\n").map((line) => {
    const [, row = "", column = "", text = ""] =
      new RegExp(`^${name}\\.proto:(\\d+):(\\d+): (.*)$`).exec(line) ?? [];
    return `${Number(row) - HEAD_LINES}:${column}: ${text.replaceAll(`${name}.`, "case.")}`;
  });
}

test.each(PROBLEM_CASES)("an invalid rule is reported with its position: $name", ({ name, problems }) => {
  expect(problemsOf(name)).toEqual(problems);
});

test("all invalid rules are reported together, in the order of files and lines", () => {
  const names = ["path_syntax", "api_key_place", "stream_kind"];
  const files = names.map((name) => `${name}.proto`);
  const { error, files: generated } = runGenerator(request, { fileToGenerate: files });
  expect(error.split("\n").map((line) => line.slice(0, line.indexOf(":")))).toEqual([...files].sort());
  expect(generated).toEqual({});
});

test("every problem code of the generator has a case", () => {
  const known = PROBLEM_CASES.flatMap(({ problems }) => problems.map((line) => line.split(": ")[1]));
  expect([...new Set(known)].sort()).toEqual(codesInSource());
});

/**
 * Returns the codes in the source of the generator: words joined by hyphens, or a single word after a field
 * number.
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
  // This string is a kind of body, not a problem code.
  return [...new Set(found.map(([, code = ""]) => code))].filter((code) => code !== "http-body").sort();
}

const UNMAPPED = "stream_unmapped";

test("with unsupported=skip, a method that cannot be mapped is omitted with a warning", () => {
  const { error, files, warnings } = runGenerator(request, {
    fileToGenerate: [`${UNMAPPED}.proto`],
    parameter: "unsupported=skip",
  });
  expect(error).toBe("");
  expect(files).toEqual({});
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(`${UNMAPPED}.proto:${HEAD_LINES + 2}:3: stream-unmapped: `);
});

test("unsupported=skip does not omit methods with other errors", () => {
  const { error } = runGenerator(request, {
    fileToGenerate: ["path_syntax.proto"],
    parameter: "unsupported=skip",
  });
  expect(error).toContain("path-syntax: ");
});

test("problems without a source position are reported at line 1", () => {
  const protoFile = request.protoFile.map((file) => {
    const { sourceCodeInfo: _, ...rest } = file;
    return rest;
  });
  const { error } = runGenerator(request, { fileToGenerate: ["path_syntax.proto"], protoFile });
  expect(error).toMatch(/^path_syntax\.proto:1:1: path-syntax: /);
});
