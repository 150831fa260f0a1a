import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";
import { blocksBelow, blocksOf } from "./blocks.ts";
import { ROOT } from "./shell.ts";

const reference = readFileSync(path.join(ROOT, "docs/annotations.md"), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "annotations-"));

afterAll(() => rmSync(folder, { recursive: true }));

const PLAIN = `
service ShelfService { rpc GetBook(GetBookRequest) returns (Book); }
message GetBookRequest { string id = 1; }
message Book { string title = 1; google.protobuf.Timestamp added_at = 2; }
`;

test("the example of annotations compiles", () => {
  const [example] = blocksBelow(reference, "# Annotations");
  const source = `${HEAD}${example?.text.replaceAll(/^import .*$/gm, "")}
message ListPostsRequest { string blog = 1; }
message ListPostsResponse { string title = 1; }
`;
  const { error, files } = runGenerator(compileRequest({ "posts.proto": source }));
  expect(error).toBe("");
  expect(files["posts_rest.ts"]).toContain("GET /v2/blog/{blog}/posts");
});

test("the example of a service config adds its rules to .proto files without annotations", () => {
  const [example] = blocksBelow(reference, "## Service configs");
  const config = path.join(folder, "shelf.yaml");
  writeFileSync(config, example?.text ?? "");
  const request = compileRequest({ "shelf.proto": HEAD.replace("test.v1", "shelf.v1") + PLAIN });
  const { error, files } = runGenerator(request, { parameter: `service_config=${config}` });
  expect(error).toBe("");
  expect(files["shelf_rest.ts"]).toContain("GET /v1/books/{id}");
  expect(files["shelf_rest.ts"]).toContain('envelope: { payload: ["data"] }');
  expect(files["shelf_rest.ts"]).toContain(`{ time: "seconds" }, "added_at"`);
});

test("the page explains every rule and every value", () => {
  const rows = reference
    .slice(reference.indexOf("\n## ServiceRules\n"))
    .split("\n")
    .filter((row) => row.startsWith("| `"))
    .map((row) => row.split(/(?<!\\\\)\|/).map((cell) => cell.trim()));
  expect(rows.length).toBeGreaterThan(100);
  // Name, type, default, meaning and example; or name, meaning and example.
  for (const row of rows) expect(row.length === 7 ? row[4] : row[2], row[1]).toMatch(/[.`]$/);
});

test("every example of a rule belongs to a compiled API", () => {
  const apis = ["proto", "test/protos"].flatMap((module) => protosBelow(path.join(ROOT, module)));
  const tutorial = blocksOf(readFileSync(path.join(ROOT, "README.md"), "utf8")).map(({ text }) => text);
  const compiled = [...apis, ...tutorial].map(squeezed);
  const examples = blocksOf(reference.slice(reference.indexOf("\n## ServiceRules\n")))
    .flatMap(({ text }) => text.split(/^(?: *\/\/.*)?\n/m))
    .filter((text) => text !== "");
  expect(examples.length).toBeGreaterThan(30);
  const strangers = examples.filter((text) => !compiled.some((source) => source.includes(squeezed(text))));
  expect(strangers).toEqual([]);
});

function protosBelow(module: string): string[] {
  return readdirSync(module, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".proto"))
    .map((name) => readFileSync(path.join(module, name), "utf8"));
}

/** Returns a source without comments, and without optional space and commas in options. */
function squeezed(source: string): string {
  return source.replaceAll(/^ *\/\/.*$/gm, "").replaceAll(/[\s,]/g, "");
}

test("the page lists every annotation of the language", () => {
  const folderOfRules = path.join(ROOT, "proto/connectrest/v1");
  const declared = readdirSync(folderOfRules).flatMap((name) => {
    const text = readFileSync(path.join(folderOfRules, name), "utf8").replaceAll(/\/\/.*$/gm, "");
    return [...text.matchAll(/^ +(?:[\w. ]+ )?(\w+) = \d+;/gm)].map(([, field = ""]) => field);
  });
  expect(declared.length).toBeGreaterThan(100);
  const missing = declared.filter(
    (name) => !reference.includes(`\`${name}\``) && !reference.includes(`.${name})`),
  );
  expect(missing).toEqual([]);
});
