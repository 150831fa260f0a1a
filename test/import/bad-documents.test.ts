import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ImportError, importDocument, parse, Reader } from "../../import/src/index.ts";
import type { Json } from "../../import/src/json.ts";
import { runImport } from "./project.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "import-"));
  mkdirSync(join(folder, "api"));
  writeFileSync(join(folder, "secret.yaml"), "type: string\n");
  symlinkSync(join(folder, "secret.yaml"), join(folder, "api/link.yaml"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a document whose only response has this schema. */
function withSchema(schema: string): string {
  return `openapi: 3.0.0
info: { title: Bad, version: "1" }
paths: { /a: { get: { responses: { "200": { description: "", content: { application/json: { schema: ${schema} } } } } } } }
components: { schemas: { Pet: { $ref: "#/components/schemas/Toy" }, Toy: { $ref: "#/components/schemas/Pet" } } }
`;
}

const AT = "api.yaml#/paths/~1a/get/responses/200/content/application~1json/schema";
const BOMB = `a: &a [x, x, x, x, x, x, x, x, x]\n${[..."bcdefghi"].map((name, index) => `${name}: &${name} [${Array(9).fill(`*${"abcdefgh"[index]}`).join(", ")}]`).join("\n")}\n`;

/** Bad documents, with the errors that the command prints. */
const BAD: readonly (readonly [string, string, string])[] = [
  ["nothing", "", "api.yaml: is empty; expected an OpenAPI document"],
  ["a list", "- 1\n", "api.yaml: is not an object; expected an OpenAPI document"],
  ["YAML with a syntax error", "a: [1\nb: 2", "api.yaml:2:1: is neither JSON nor YAML: "],
  ["YAML aliases that expand to gigabytes", BOMB, "api.yaml: its YAML aliases stand for too much"],
  ["OpenAPI 3.2", "openapi: 3.2.0\n", "api.yaml: is openapi 3.2.0; convert it to OpenAPI 3.0 or 3.1"],
  ["Swagger 1.2", 'swagger: "1.2"\n', "api.yaml: is swagger 1.2; convert it to OpenAPI 3.0 or 3.1"],
  [
    "a Postman collection",
    "info: { _postman_id: x }\n",
    "api.yaml: is a Postman collection; export or convert it to OpenAPI",
  ],
  ["AsyncAPI", "asyncapi: 3.0.0\n", "api.yaml: is an AsyncAPI document"],
  [
    "no paths",
    "openapi: 3.0.0\ninfo: { title: a }\n",
    "api.yaml#/paths: is missing; an API has an object of paths",
  ],
  [
    "paths without operations",
    "openapi: 3.0.0\npaths: { /a: {} }\n",
    "api.yaml#/paths: no operation is selected",
  ],
  [
    "a path that is a string",
    "openapi: 3.0.0\npaths: { /a: x }\n",
    "api.yaml#/paths/~1a: is not an object; expected operations such as `get`",
  ],
  [
    "a reference to a missing schema",
    withSchema('{ $ref: "#/components/schemas/None" }'),
    `${AT}: the reference \`#/components/schemas/None\` leads to nothing`,
  ],
  [
    "a reference without a pointer",
    withSchema('{ $ref: "#Pet" }'),
    `${AT}: the reference \`#Pet\` has no JSON Pointer after its #`,
  ],
  [
    "a reference to itself",
    withSchema('{ $ref: "#/components/schemas/Pet" }'),
    "api.yaml#/components/schemas/",
  ],
  ["a missing file", withSchema("{ $ref: none.yaml }"), `${AT}: the reference leads to `],
  [
    "a file outside the folder",
    withSchema("{ $ref: ../secret.yaml }"),
    `${AT}: the reference leads to ${""}`,
  ],
  [
    "a symbolic link to a file outside the folder",
    withSchema("{ $ref: link.yaml }"),
    `${AT}: the reference leads to `,
  ],
  [
    "/etc/passwd",
    withSchema('{ $ref: "file:///etc/passwd" }'),
    `${AT}: the reference leads to /etc/passwd, outside of the folder of the document`,
  ],
  [
    "a URL",
    withSchema('{ $ref: "https://example.com/a.yaml" }'),
    `${AT}: the reference leads to https://example.com/a.yaml, which is not fetched; allow it with --allow-remote`,
  ],
  [
    "a URL of an unsupported scheme",
    withSchema('{ $ref: "ftp://example.com/a.yaml" }'),
    `${AT}: \`ftp://example.com/a.yaml\` is neither a file nor an address of the web`,
  ],
];

test.each(BAD)(
  "for %s, the command prints an error with its position and a remedy, and writes no files",
  async (_, text, error) => {
    const path = join(folder, "api/api.yaml");
    writeFileSync(path, text);
    const output = join(folder, "out");
    rmSync(output, { recursive: true, force: true });
    const { code, errors } = await runImport([path, "--output", output]);
    expect(errors).toContain(error.replace("api.yaml", path));
    expect(errors.split("\n")).toHaveLength(2);
    expect(code).toBe(1);
    expect(readdirSync(folder)).not.toContain("out");
  },
);

test("a document from standard input cannot refer to other files", async () => {
  const { errors, code } = await runImport(["-", "--output", folder], withSchema("{ $ref: pet.yaml }"));
  expect(errors).toContain("which is in no folder; pass its path");
  expect(code).toBe(1);
});

test("invalid arguments are named in the error", async () => {
  expect(await runImport([])).toMatchObject({ code: 2, errors: expect.stringContaining("no DOCUMENT") });
  expect(await runImport(["none.yaml"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("none.yaml: "),
  });
  expect(await runImport(["a", "--package", "../a.v1"])).toMatchObject({ code: 2 });
  expect(await runImport(["a", "--nothing"])).toMatchObject({
    code: 2,
    errors: expect.stringContaining("--nothing"),
  });
});

/** Generates schemas of any shape, mostly invalid, with recursive references. */
const { schema: schemas } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Json>(
      true,
      false,
      null,
      {},
      { $ref: "#/components/schemas/A" },
      { $ref: "#/components/schemas/B" },
    ),
    fc.record(
      {
        type: fc.oneof(
          fc.constantFrom("string", "integer", "number", "boolean", "object", "array", "null", "nonsense"),
          fc.array(fc.constantFrom("string", "integer", "null", "object", "array")),
        ),
        format: fc.constantFrom("date-time", "int64", "byte", "binary", "uuid", "x"),
        enum: fc.array(fc.constantFrom<Json>("a", "A", "", "1", 1, 1.5, null, true, {}, "日本")),
        const: fc.constantFrom<Json>("x", 1, null),
        nullable: fc.boolean(),
        properties: fc.dictionary(
          fc.constantFrom("a", "b", "a_b", "aB", "__proto__", "", "type"),
          tie("schema"),
        ),
        required: fc.array(fc.constantFrom("a", "b", "type")),
        additionalProperties: tie("schema"),
        items: tie("schema"),
        prefixItems: fc.array(tie("schema"), { maxLength: 3 }),
        allOf: fc.array(tie("schema"), { maxLength: 3 }),
        oneOf: fc.array(tie("schema"), { maxLength: 3 }),
        anyOf: fc.array(tie("schema"), { maxLength: 3 }),
        discriminator: fc.constantFrom<Json>(
          "type",
          { propertyName: "type" },
          { propertyName: "type", mapping: { x: "A" } },
        ),
        minimum: fc.double(),
        maxLength: fc.double(),
        pattern: fc.string(),
        description: fc.string({ unit: "binary" }),
      },
      { requiredKeys: [] },
    ),
  ),
}));

test("property: importing any schema produces either files or an error", async () => {
  await fc.assert(
    fc.asyncProperty(
      schemas,
      schemas,
      schemas,
      fc.constantFrom("3.0.0", "3.1.0"),
      async (A, B, body, openapi) => {
        const content = { "application/json": { schema: body } };
        const operation = { requestBody: { content }, responses: { 200: { description: "", content } } };
        const value = {
          openapi,
          info: { title: "Any" },
          paths: { "/a": { post: operation } },
          components: { schemas: { A, B } },
        };
        const document = { name: "", url: undefined, value: JSON.parse(JSON.stringify(value)) as Json };
        try {
          const { files } = await importDocument(document, new Reader(undefined, false));
          expect(files.size).toBeGreaterThan(0);
        } catch (error) {
          // The cause is a reference cycle or an endless combination of unions.
          expect(error).toBeInstanceOf(ImportError);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("schemas with 200 levels and names of 1,000 letters are imported", async () => {
  let deep: Json = { type: "string" };
  for (let depth = 0; depth < 200; depth += 1) {
    deep = {
      type: "object",
      properties: { ["a".repeat(50)]: deep, list: { type: "array", items: { type: "array", items: {} } } },
    };
  }
  const content = { "application/json": { schema: deep } };
  const path = `/${"long-".repeat(200)}`;
  const value = {
    openapi: "3.1.0",
    info: { title: "t".repeat(300) },
    paths: { [path]: { get: { responses: { 200: { content } } } } },
  };
  const { report } = await importDocument({ name: "", url: undefined, value }, new Reader(undefined, false), {
    package: "deep.v1",
  });
  expect(report.counts()).toEqual([["too-deep", 2]]);
});

test("credentials in the addresses of servers are not written", async () => {
  const servers = ["a", "b", "{c}"].map((host) => ({ url: `https://me:hu@sh@${host}.example/v1` }));
  const responses = { 204: { description: "" } };
  const own = { url: "//me:hush@own.example" };
  const paths = { "/a": { get: { responses }, post: { servers: [own], responses } } };
  const value = { openapi: "3.1.0", info: { title: "Any" }, servers, paths } as unknown as Json;
  const { files } = await importDocument({ name: "", url: undefined, value }, new Reader(undefined, false));
  const text = files.get("connect-rest.yaml");
  expect(text).toContain("baseUrl: https://a.example/v1");
  expect(text).toContain("# Another server: https://b.example/v1");
  expect(text).toContain("own: https://own.example");
  expect([...files.values()].join("\n")).not.toMatch(/me:|hu@?sh/);
});

test("closing the standard output does not stop the import", () => {
  const command = `"${process.execPath}" import/bin/entry.cjs test/import/documents/enums.json --output "${folder}/piped" | true`;
  expect(spawnSync("bash", ["-o", "pipefail", "-c", command], { encoding: "utf8" })).toMatchObject({
    status: 0,
    stderr: "",
  });
});

test("a byte order mark, and comments in YAML, are accepted", () => {
  expect(parse('\uFEFF{"a": 1}', "a.json")).toEqual({ a: 1 });
  expect(parse("{a: 1} # b", "a.yaml")).toEqual({ a: 1 });
});

test("schemas that include the level below twice, on 40 levels, are imported", async () => {
  const levels = Array.from({ length: 40 }, (_, level) => {
    const below = { $ref: `#/components/schemas/Level${level}` };
    return [`Level${level + 1}`, { allOf: [below, below] }];
  });
  const schemas = { Level0: { type: "object", properties: { id: { type: "string" } } } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/Level40" } } };
  const document = {
    openapi: "3.0.3",
    info: { title: "Levels", version: "1" },
    paths: { "/a": { get: { operationId: "getA", responses: { 200: { description: "", content } } } } },
    components: { schemas: { ...schemas, ...Object.fromEntries(levels) } },
  };
  const first = { name: "", url: undefined, value: document as unknown as Json };
  const { files } = await importDocument(first, new Reader(undefined, false, []));
  expect([...files.values()].join("\n")).toContain("string id = 1");
});
