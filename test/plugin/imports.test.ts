/**
 * Compares the imports of generated files with the imports that protoc-gen-es generates for the same options.
 */
import { spawnSync } from "node:child_process";
import { create, type DescFile, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import {
  makeImportPathRelative,
  rewriteImportPath,
} from "../../node_modules/@bufbuild/protoplugin/dist/esm/import-path.js";
import { compileMapImports } from "../../node_modules/@bufbuild/protoplugin/dist/esm/map-imports.js";
import { generateFilePath } from "../../node_modules/@bufbuild/protoplugin/dist/esm/names.js";
import { messagesModule, specifierOf } from "../../plugin/src/print/import-paths.ts";
import type { ImportOptions } from "../../plugin/src/protocol/options.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const head = (name: string) => HEAD.replace("test.v1", name);
/** Sources where the adapter of a/v1 uses messages of all files, and the messages of a/v1/z import a/v1/a. */
const SOURCES = {
  "a/v1/a.proto": `${head("a.v1")}import "b/v1/b.proto";
import "c.proto";
service S { rpc Get(b.v1.Req) returns (c.Res) { option (google.api.http) = {get: "/{id}"}; } }
message Own { b.v1.Req req = 1; c.Res res = 2; }`,
  "a/v1/z.proto": `${head("a.v1")}import "a/v1/a.proto";\nmessage Z { Own own = 1; }`,
  "b/v1/b.proto": `${head("b.v1")}message Req { string id = 1; }`,
  "c.proto": `${head("c")}message Res { google.protobuf.Timestamp time = 1; }`,
};

let request: CodeGeneratorRequest;

beforeAll(() => {
  request = compileRequest(SOURCES);
});

/** Returns the files that protoc-gen-es generates. */
function messages(parameter: string): Readonly<Record<string, string>> {
  const input = create(CodeGeneratorRequestSchema, { ...request, parameter });
  const encoded = toBinary(CodeGeneratorRequestSchema, input);
  const { stdout, stderr, status } = spawnSync("protoc-gen-es", { input: encoded, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr.toString());
  const { file } = fromBinary(CodeGeneratorResponseSchema, stdout);
  return Object.fromEntries(file.map(({ name, content }) => [name, content]));
}

/** Returns the modules that a file imports. */
function modulesOf(text: string | undefined): string[] {
  return [...(text ?? "").matchAll(/ from "([^"]+)";$/gm)].map(([, module = ""]) => module).sort();
}

const OPTIONS = [
  "import_extension=none",
  "import_extension=ts",
  "import_extension=js",
  "map_imports=b/:@acme/b",
  "map_imports=b/**/*.proto:@acme/b/,map_imports=**:@acme/rest,import_extension=ts",
  "map_imports=*.proto:../elsewhere,map_imports=a/:./vendor,import_extension=js",
  "rewrite_imports=./b/**/*_pb.js:@acme/b",
  "rewrite_imports=./*_pb.js:../up,rewrite_imports=./**/*_pb.js:./vendor/,import_extension=ts",
  "map_imports=b/:@acme/b,rewrite_imports=@acme/b/*/*/*_pb.js:npm:acme",
];

describe.each(["ts", "js", "dts"])("target=%s", (target) => {
  test.each(OPTIONS)("imports messages from the same modules as protoc-gen-es: %s", (options) => {
    const parameter = `target=${target},${options}`;
    const suffix = target === "dts" ? "d.ts" : target;
    const theirs = messages(parameter);
    const known = modulesOf(`${theirs[`a/v1/a_pb.${suffix}`]}\n${theirs[`a/v1/z_pb.${suffix}`]}`);
    const { files, error } = runGenerator(request, { fileToGenerate: ["a/v1/a.proto"], parameter });
    expect(error).toBe("");
    const ours = modulesOf(files[`a/v1/a_rest.${suffix}`]).filter(
      (module) => module !== "connect-rest-runtime/adapter",
    );
    // JavaScript files import no types, only the service.
    expect(ours).toHaveLength(target === "js" ? 1 : target === "dts" ? 1 : 2);
    expect(ours.filter((module) => !known.includes(module))).toEqual([]);
  });
});

test("rewrite_imports also applies to the runtime and to adapters in other files", () => {
  const parameter =
    "target=ts,rewrite_imports=connect-rest-runtime/adapter:npm:connect-rest-runtime/adapter,rewrite_imports=./**/*_rest.js:@acme/rest";
  const { files } = runGenerator(request, { parameter });
  expect(modulesOf(files["a/v1/a_rest.ts"])).toEqual([
    "../../b/v1/b_pb",
    "./a_pb",
    "@acme/rest/c_rest.js",
    "npm:connect-rest-runtime/adapter",
  ]);
});

const OFF = { importExtension: "none", mapImports: [], rewriteImports: [] } as const;
const step = fc.constantFrom("a", "b", "v1", "x+y", "*", "**", "***", "a*", "", ".", "..", "(", "[b]");
const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join("/"));
const rules = fc.array(fc.record({ pattern: path, target: path }), { maxLength: 3 });
const name = fc
  .array(fc.constantFrom("a", "b", "v1", "x+y", "ab"), { minLength: 1, maxLength: 4 })
  .map((steps) => steps.join("/"));

test("property: map_imports gives the same paths as in protoc-gen-es", () => {
  fc.assert(
    fc.property(name, rules, (file, mapImports) => {
      const desc = { name: file, proto: { name: `${file}.proto`, package: "a" } } as unknown as DescFile;
      const theirs = generateFilePath(desc, false, [], compileMapImports(mapImports));
      expect(messagesModule(desc, { ...OFF, mapImports })).toBe(theirs);
    }),
    { numRuns: 2000 },
  );
});

test("property: rewrite_imports and import_extension give the same paths as in protoc-gen-es", () => {
  const module = fc.oneof(
    name.map((file) => `./${file}_pb.js`),
    name.map((file) => `@acme/${file}_pb.js`),
    name.map((file) => `../${file}_pb.js`),
    name,
  );
  const extension = fc.constantFrom<ImportOptions["importExtension"]>("none", "js", "ts");
  const withDots = rules.map((all) => all.map((rule) => ({ ...rule, pattern: `./${rule.pattern}` })));
  fc.assert(
    fc.property(
      name,
      module,
      fc.oneof(rules, withDots),
      extension,
      (importer, target, rewriteImports, importExtension) => {
        const theirs = makeImportPathRelative(
          `${importer}_rest.ts`,
          rewriteImportPath(target, rewriteImports, importExtension),
        );
        // If the target is a folder that contains the importer, protoc-gen-es imports the folder.
        fc.pre(!theirs.endsWith("/"));
        expect(specifierOf(`${importer}_rest.ts`, target, { ...OFF, rewriteImports, importExtension })).toBe(
          theirs,
        );
      },
    ),
    { numRuns: 2000 },
  );
});
