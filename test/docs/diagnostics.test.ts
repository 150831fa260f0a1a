import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CodeGeneratorRequest } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DIAGNOSTICS } from "../../scripts/docs/diagnostics/all.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";
import { ROOT } from "./shell.ts";

/** Subfolders of the generator that report problems. */
const FOLDERS = ["parse", "check", "config", "protocol"];

const sources = [".", ...FOLDERS]
  .map((folder) => path.join(ROOT, "plugin/src", folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => path.join(folder, name)))
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => readFileSync(file, "utf8"));

const described = Object.values(DIAGNOSTICS).flatMap((group) => Object.keys(group));

/**
 * Returns the codes of the problems that the sources report. A code is words joined by hyphens, or a single
 * word after a position or a node.
 */
function reported(): string[] {
  const codes = sources.flatMap((text) => [
    ...text.matchAll(/"([a-z]+(?:-[a-z]+)+)"/g),
    ...text.matchAll(/(?:\badd\(\s*(?:\d+|\[[^\]]*\]|[\w.]+),|\[RULES[^\]]*\],)\s+"([a-z]+)"/g),
  ]);
  // These strings are a kind of body, the name of the program, and a problem that the introduction of the
  // page explains without an example.
  const others = new Set(["http-body", "protoc-gen-connect-rest", "name-too-long"]);
  return [...new Set(codes.map(([, code = ""]) => code))].filter((code) => !others.has(code));
}

test("the page explains every problem of the generator, and no others", () => {
  expect([...described].sort()).toEqual(reported().sort());
});

test("every problem has an example", () => {
  const page = readFileSync(path.join(ROOT, "docs/diagnostics.md"), "utf8");
  const without = described.filter((code) => !page.includes(`: ${code}: `));
  expect(without).toEqual([]);
});

test("the page lists the problems that can be skipped", () => {
  const problems = readFileSync(path.join(ROOT, "plugin/src/diagnostics/problem.ts"), "utf8");
  const [, list = ""] = /const UNSUPPORTED[^[]*\[([^\]]*)\]/.exec(problems) ?? [];
  const skipped = [...list.matchAll(/"([\w-]+)"/g)].map(([, code = ""]) => code);
  const head = readFileSync(path.join(ROOT, "scripts/docs/diagnostics-head.md"), "utf8");
  const [, said = ""] = /can implement it:(.*?)\. With/s.exec(head) ?? [];
  const named = [...said.matchAll(/`([\w-]+)`/g)].map(([, code = ""]) => code);
  expect(named.sort()).toEqual(skipped.sort());
  expect(skipped.filter((code) => !described.includes(code))).toEqual([]);
});

describe("the example of a service config causes the report on the page", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "config-"));
  const file = path.join(folder, "shelf.yaml");
  const groups = Object.values(DIAGNOSTICS).flatMap((group) => Object.entries(group));
  const examples = groups.flatMap(([code, { config }]) =>
    config === undefined ? [] : [{ code, ...config }],
  );
  let request: CodeGeneratorRequest;

  beforeAll(() => {
    const shelf =
      "service Shelf { rpc GetBook(Req) returns (Res); }\nmessage Req { string id = 1; }\nmessage Res {}\n";
    request = compileRequest({ "shelf.proto": HEAD.replace("test.v1", "shelf.v1") + shelf });
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(examples)(
    "$code: the generator reports the problem as the page shows it",
    ({ code, source, problem }) => {
      if (code !== "config-file") writeFileSync(file, `${source}\n`);
      const { error } = runGenerator(request, { parameter: `service_config=${file}` });
      expect(error.replaceAll(file, "shelf.yaml")).toBe(problem);
      rmSync(file, { force: true });
    },
  );
});

test("every explanation consists of sentences", () => {
  for (const group of Object.values(DIAGNOSTICS)) {
    for (const { meaning, remedy } of Object.values(group)) {
      expect(meaning).toMatch(/^[A-Z`].*\.$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  }
});
