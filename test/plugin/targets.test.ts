import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROTOS = ["rich/v1/odd.proto", "rich/v1/plain.proto", "streams.proto"];

const STREAMS = `service Streams {
  // Lists, page by page.
  rpc List(ListRequest) returns (stream Item) {
    option (google.api.http) = {get: "/items"};
    option (connectrest.v1.method).paginate = {items: "items", page: "page"};
  }
  rpc Watch(ListRequest) returns (stream Item) {
    option (google.api.http) = {get: "/news"};
    option (connectrest.v1.method).poll = {items: ".", key: "name"};
  }
  rpc Get(ListRequest) returns (stream Chunk) {
    option (google.api.http) = {get: "/media"};
    option (connectrest.v1.method) = {response_encoding: BYTES, download: {chunk: "data"}};
  }
  rpc Put(stream Chunk) returns (Item) {
    option (google.api.http) = {post: "/media"};
    option (connectrest.v1.method).upload = {chunk: "data", content_type: "type"};
  }
}
message ListRequest { int32 page = 1; string cursor = 2; }
message Item { string name = 1; google.protobuf.Any any = 2; }
message Chunk { bytes data = 1; string type = 2; }
`;

let request: CodeGeneratorRequest;
let folder: string;

beforeAll(() => {
  const rich = PROTOS.slice(0, 2).map((name) => [
    name,
    readFileSync(join(ROOT, "test/protos", name), "utf8"),
  ]);
  const streams = HEAD.replace("test.v1", "streams.v1") + STREAMS;
  request = compileRequest({ ...Object.fromEntries(rich), "streams.proto": streams });
  // Packages are resolved from a folder inside the repository.
  mkdirSync(join(ROOT, "node_modules/.cache"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "node_modules/.cache/targets-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the generated files for a target. Messages come from protoc-gen-es. */
function generated(parameter: string): Readonly<Record<string, string>> {
  const { files, error } = runGenerator(request, { parameter });
  expect(error).toBe("");
  return files;
}

function write(name: string, files: Readonly<Record<string, string>>): string {
  const target = join(folder, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  return target;
}

/** Returns the messages that protoc-gen-es generates for a target. */
function messages(target: string, extension: string): Readonly<Record<string, string>> {
  const all = request.protoFile
    .map((file) => file.name)
    .filter((name) => !name.startsWith("google/protobuf/"));
  const input = create(CodeGeneratorRequestSchema, {
    ...request,
    fileToGenerate: all,
    parameter: `target=${target},import_extension=${extension}`,
  });
  const encoded = Buffer.from(toBinary(CodeGeneratorRequestSchema, input));
  const { stdout, stderr, status } = spawnSync("protoc-gen-es", { input: encoded, maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(stderr.toString());
  const { file } = fromBinary(CodeGeneratorResponseSchema, stdout);
  return Object.fromEntries(file.map(({ name, content }) => [name, content]));
}

/** Returns the insertion points of a file in order. */
function pointsOf(text: string): string[] {
  return [...text.matchAll(/^\/\/ @@protoc_insertion_point\((.*)\)$/gm)].map(([, name = ""]) => name);
}

/** Type-checks a folder with the compiler options of this repository, and returns the errors. */
function typeFaults(target: string): string[] {
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { skipLibCheck: false },
    include: ["**/*.ts"],
    exclude: [],
  };
  writeFileSync(join(target, "tsconfig.json"), JSON.stringify(config));
  const { stdout } = spawnSync("tsc", ["-p", target], { encoding: "utf8" });
  // Errors in the declarations of other packages do not matter here.
  return stdout.split("\n").filter((line) => /(_rest\.d|use)\.ts\(/.test(line));
}

const CALL = `
import { createRestTransport } from "connect-rest-runtime";
import { PlainServiceRest } from "./rich/v1/plain_rest.js";
import { ItemTable, Streams_list, StreamsRest } from "./streams_rest.js";
const methods = Object.keys(PlainServiceRest.methods);
const request = Streams_list.request({ $typeName: "streams.v1.ListRequest", page: 2, cursor: "" });
process.stdout.write(JSON.stringify({ methods, request: typeof request, table: ItemTable.name, kinds: Object.values(StreamsRest.methods).map((each) => each.kind), transport: typeof createRestTransport }));
`;

test("JavaScript: runs with the same results as TypeScript", () => {
  const js = generated("target=js,import_extension=js");
  expect(Object.keys(js)).toEqual(PROTOS.map((name) => name.replace(".proto", "_rest.js")));
  const target = write("js", {
    ...messages("js", "js"),
    ...js,
    "package.json": '{"type":"module"}',
    "call.js": CALL,
  });
  const { stdout, stderr } = spawnSync("node", [join(target, "call.js")], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({
    methods: ["echoPlain", "queryPlain", ...JSON.parse(stdout).methods.slice(2)],
    request: "object",
    table: "streams.v1.Item",
    kinds: ["paginate", "poll", "download", "upload"],
    transport: "function",
  });
});

test("JavaScript: has the same lines and insertion points as TypeScript, without types", () => {
  const [ts, js] = [generated("target=ts,import_extension=js"), generated("target=js,import_extension=js")];
  for (const [path, text] of Object.entries(ts)) {
    const other = js[path.replace(/\.ts$/, ".js")] ?? "";
    expect(pointsOf(other)).toEqual(pointsOf(text));
    expect(bodyOf(other).length).toBe(bodyOf(text).length);
    expect(other).not.toMatch(/\bsatisfies\b|^import .*\btype\b/m);
    for (const mark of ["\u0002", "\u0003"]) expect(text + other).not.toContain(mark);
  }
});

/**
 * Returns the lines after the imports, without the adapters' type annotations, which isolated declarations
 * need.
 */
function bodyOf(text: string): string[] {
  const body = text.slice(text.indexOf("// @@protoc_insertion_point(imports)"));
  return body.replace(/: \w+Adapter<[^>]*>/g, "").split("\n");
}

const USE = `
import { createClient } from "@connectrpc/connect";
import type { DescMethodServerStreaming } from "@bufbuild/protobuf";
import type { MessageTable, ServiceAdapter } from "connect-rest-runtime/adapter";
import { ItemTable, Streams_list, Streams_put, StreamsRest } from "./streams_rest.js";
import { Streams } from "./streams_pb.js";
export const adapter: ServiceAdapter<typeof Streams> = StreamsRest;
export const item: MessageTable = ItemTable;
export const kinds: ["paginate", "upload"] = [Streams_list.kind, Streams_put.kind];
export const method: DescMethodServerStreaming = Streams_list.method;
export const page: number = Streams_list.maxPages;
export type Client = ReturnType<typeof createClient<typeof Streams>>;
// @ts-expect-error the adapter is of another service
export const wrong: ServiceAdapter<typeof Streams> = { ...StreamsRest, service: 1 };
`;

test("declarations: compile with strict options, and match the code", () => {
  const dts = generated("target=dts,import_extension=js");
  expect(Object.keys(dts)).toEqual(PROTOS.map((name) => name.replace(".proto", "_rest.d.ts")));
  const target = write("dts", { ...messages("dts", "js"), ...dts, "use.ts": USE });
  expect(typeFaults(target)).toEqual([]);
  write("dts", { "use.ts": USE.replace("// @ts-expect-error", "//") });
  expect(typeFaults(target)).toHaveLength(1);
  // The declarations that tsc derives from the TypeScript have the same names.
  for (const [path, text] of Object.entries(generated("target=ts"))) {
    const declared = dts[path.replace(/\.ts$/, ".d.ts")] ?? "";
    expect(namesOf(declared)).toEqual(namesOf(text));
    expect(pointsOf(declared)).toEqual(pointsOf(text));
  }
});

test("declarations: have the comments of the .proto file", () => {
  const text = generated("target=dts,import_extension=js")["streams_rest.d.ts"] ?? "";
  expect(text).toContain(`/**
 * Lists, page by page.
 *
 * GET /items
 *
 * @generated from rpc streams.v1.Streams.List
 */
export declare const Streams_list: PaginateAdapter<typeof Streams.method.list.input, typeof Streams.method.list.output>;
// @@protoc_insertion_point(method:streams.v1.Streams.List)
`);
  expect(text).toContain("export declare const StreamsRest: ServiceAdapter<typeof Streams>;");
  expect(text).toContain("export declare const ItemTable: MessageTable;");
  expect(text).not.toContain("RequestWriter");
});

function namesOf(text: string): string[] {
  return [...text.matchAll(/^export (?:declare )?(?:const|function) ([\w$]+)/gm)]
    .map(([, name = ""]) => name)
    .sort();
}

test("target options: several targets in one run give the same files as separate runs", () => {
  const all = generated("target=js+dts+ts,import_extension=js");
  const alone = ["js", "dts", "ts"].map((target) => generated(`target=${target},import_extension=js`));
  expect(all).toEqual(Object.assign({}, ...alone));
});

test("target options: keep_empty_files writes empty files as modules", () => {
  const empty = compileRequest({ "empty.proto": `${HEAD}message M {}` });
  expect(runGenerator(empty).files).toEqual({});
  const { files } = runGenerator(empty, { parameter: "keep_empty_files=true,target=ts+js+dts" });
  expect(Object.keys(files)).toEqual(["empty_rest.ts", "empty_rest.js", "empty_rest.d.ts"]);
  for (const text of Object.values(files)) {
    expect(text.match(/^export \{\};$/gm)).toHaveLength(1);
    expect(pointsOf(text)).toEqual(["imports", "end"]);
  }
});

test("target options: ts_nocheck exempts TypeScript from type checks", () => {
  const files = generated("ts_nocheck=true,target=ts+js");
  expect(files["streams_rest.ts"]).toMatch(
    /^\/\/ @generated .*\n.*\n\/\* eslint-disable \*\/\n\/\/ @ts-nocheck\n/,
  );
  expect(files["streams_rest.js"]).not.toContain("@ts-nocheck");
});
