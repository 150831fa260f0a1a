import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescFile } from "@bufbuild/protobuf";
import { type CodeGeneratorRequest, CodeGeneratorResponse_Feature as Feature } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { exportedNames } from "../../plugin/src/descriptors/names.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const ROOT = join(import.meta.dirname, "../..");

function generatedFiles(suffix: string): string[] {
  return ["gen", "test/gen"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(suffix))
      .map((name) => join(folder, name)),
  );
}

describe("generated files", () => {
  let request: CodeGeneratorRequest;

  beforeAll(() => {
    const shared = `message Shared { Shared next = 1; Mode mode = 2; repeated Other other = 3; }
enum Mode { MODE_UNSPECIFIED = 0; }
message Other { string x = 1; }`;
    const service = (name: string) => `import "a/shared.proto";
service ${name} {
  rpc Get(${name}Req) returns (a.Shared) { option (google.api.http) = {post: "/${name}" body: "*"}; }
}
message ${name}Req { a.Shared shared = 1; }`;
    request = compileRequest({
      "a/shared.proto": HEAD.replace("test.v1", "a") + shared,
      "b/one.proto": HEAD.replace("test.v1", "b") + service("One"),
      "b/c/two.proto": HEAD.replace("test.v1", "b.c") + service("Two"),
      "d/none.proto": `${HEAD.replace("test.v1", "d")}message None {}`,
    });
  });

  test("are written next to their messages, with message tables in the file of the message", () => {
    const { files, error } = runGenerator(request, { parameter: "target=ts,import_extension=ts" });
    expect(error).toBe("");
    expect(Object.keys(files)).toEqual(["a/shared_rest.ts", "b/c/two_rest.ts", "b/one_rest.ts"]);
    expect(files["a/shared_rest.ts"]).toContain("export const SharedTable: MessageTable = table(");
    expect(files["b/one_rest.ts"]).toContain('import { MODE, SharedTable } from "../a/shared_rest.ts";');
    expect(files["b/c/two_rest.ts"]).toContain('import { MODE, SharedTable } from "../../a/shared_rest.ts";');
  });

  test("contain the tables of imported files that are not generated", () => {
    const { files } = runGenerator(request, { fileToGenerate: ["b/one.proto"] });
    expect(Object.keys(files)).toEqual(["b/one_rest.ts"]);
    expect(files["b/one_rest.ts"]).toContain("SharedTable: MessageTable = table(");
    expect(files["b/one_rest.ts"]).toContain('from "../a/shared_pb";');
  });

  test("do not depend on the order of the requested files, or on duplicates", () => {
    const expected = runGenerator(request).files;
    const orders = fc
      .shuffledSubarray(request.fileToGenerate, { minLength: request.fileToGenerate.length })
      .chain((order) => fc.constantFrom([...order], [...order, ...order]));
    fc.assert(
      fc.property(orders, (fileToGenerate) => {
        expect(runGenerator(request, { fileToGenerate: [...fileToGenerate] }).files).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  test("follow import_extension in the paths of imports", () => {
    for (const [parameter, end] of [
      ["", "_pb"],
      ["import_extension=none", "_pb"],
      ["import_extension=js", "_pb.js"],
      ["import_extension=.ts", "_pb.ts"],
    ] as const) {
      expect(runGenerator(request, { parameter }).files["b/one_rest.ts"]).toContain(`"./one${end}"`);
    }
  });

  test("are not written if an option is invalid, and the response has the error", () => {
    const { error, files } = runGenerator(request, { parameter: "target=ts,imprt_extension=ts" });
    expect(error).toBe("unknown option `imprt_extension`; did you mean `import_extension`?");
    expect(files).toEqual({});
  });

  test("are in a response that declares support for optional fields and editions", () => {
    const { response } = runGenerator(request);
    expect(response.supportedFeatures).toBe(BigInt(Feature.PROTO3_OPTIONAL | Feature.SUPPORTS_EDITIONS));
    // Editions from proto2 to 2024.
    expect([response.minimumEdition, response.maximumEdition]).toEqual([998, 1001]);
  });
});

test.each(generatedFiles("_rest.ts"))(
  "the generated adapter %s is valid for both compilers: LF, short lines, unique insertion points",
  (path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    expect(text).not.toContain("\r");
    expect(Math.max(...text.split("\n").map((line) => Buffer.byteLength(line)))).toBeLessThan(65_536);
    const markers = text.split("\n").filter((line) => line.includes("@@protoc_insertion_point"));
    expect(new Set(markers).size).toBe(markers.length);
    for (const marker of markers) {
      expect(marker).toMatch(/^(?: {2})?\/\/ @@protoc_insertion_point\([\w:.]+\)$/);
    }
    expect(markers[0]).toBe("// @@protoc_insertion_point(imports)");
    expect(markers.at(-1)).toBe("// @@protoc_insertion_point(end)");
  },
);

test.each(generatedFiles("_pb.ts"))(
  "%s exports messages, enums and services under the names that the generator expects",
  async (path) => {
    const module = (await import(join(ROOT, path))) as Record<string, unknown>;
    const file = Object.values(module).find((value): value is DescFile => isFile(value));
    expect(file).toBeDefined();
    if (file === undefined) return;
    for (const [desc, name] of exportedNames(file).descriptors) expect(module[name]).toBe(desc);
  },
);

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}
