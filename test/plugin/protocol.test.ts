import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { clearExtension, clone, create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
  VersionSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { http } from "../../plugin/src/gen/google/api/annotations_pb.ts";
import { ProtocolError, runPlugin } from "../../plugin/src/index.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";

const PROGRAM = join(import.meta.dirname, "../../plugin/src/bin.ts");

async function run(input: Uint8Array, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: "pipe" });
  // A program that exits early may close its standard input.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    buffer(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { stdout, stderr, code };
}

let request: CodeGeneratorRequest;
let bytes: Uint8Array;

beforeAll(() => {
  request = compileRequest({
    "a.proto": `${HEAD}service S { rpc Get(Req) returns (Req) { option (google.api.http) = {get: "/a"}; } }
message Req { string name = 1; }`,
  });
  bytes = toBinary(CodeGeneratorRequestSchema, request);
});

test("the program: responds to a request on standard output", async () => {
  const { stdout, stderr, code } = await run(bytes);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const { file, error } = fromBinary(CodeGeneratorResponseSchema, stdout);
  expect(file.map(({ name }) => name)).toEqual(["a_rest.ts"]);
  expect(error).toBe("");
});

test("the program: exits with 0 for a user error, and reports it in the response", async () => {
  const changed = toBinary(
    CodeGeneratorRequestSchema,
    create(CodeGeneratorRequestSchema, { ...request, parameter: "target=mjs" }),
  );
  const { stdout, stderr, code } = await run(changed);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  expect(fromBinary(CodeGeneratorResponseSchema, stdout).error).toBe(
    "option target=mjs: expected ts, js or dts, or some joined by +, e.g. js+dts",
  );
});

test.each<[string, () => Uint8Array, string]>([
  [
    "nothing",
    () => new Uint8Array(),
    "protoc-gen-connect-rest: no CodeGeneratorRequest on standard input; this program is run by buf or protoc\n",
  ],
  [
    "something else",
    () => Buffer.from("GET / HTTP/1.1\r\n"),
    "protoc-gen-connect-rest: standard input is no CodeGeneratorRequest: ",
  ],
  [
    "half of a request",
    () => bytes.subarray(0, bytes.length / 2),
    "protoc-gen-connect-rest: standard input is no CodeGeneratorRequest: ",
  ],
])("the program: exits with 1 for %s, and reports it on standard error", async (_, input, message) => {
  const { stdout, stderr, code } = await run(input());
  expect(code).toBe(1);
  expect(stdout).toHaveLength(0);
  expect(stderr.startsWith(message)).toBe(true);
  expect(stderr).not.toContain("internal error");
});

test("the program: prints its version and its options", async () => {
  expect(await run(new Uint8Array(), "--version")).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await run(new Uint8Array(), "--help");
  for (const option of ["target", "import_extension", "unsupported"]) {
    expect(stdout.toString()).toContain(option);
  }
});

test("options that are missing in proto_file are read from source_file_descriptors", () => {
  const isOurs = ({ name }: { readonly name: string }) => name === "a.proto";
  const sourceFileDescriptors = request.protoFile.filter(isOurs);
  const bare = clone(CodeGeneratorRequestSchema, request);
  for (const { options } of bare.protoFile.find(isOurs)?.service[0]?.method ?? []) {
    if (options !== undefined) clearExtension(options, http);
  }
  const compilerVersion = create(VersionSchema, { major: 33, minor: 1, patch: 0, suffix: "rc2" });
  const namesFrom = (change: Partial<CodeGeneratorRequest>) => {
    const input = create(CodeGeneratorRequestSchema, { ...bare, compilerVersion, ...change });
    const { response } = runPlugin(toBinary(CodeGeneratorRequestSchema, input));
    return fromBinary(CodeGeneratorResponseSchema, response).file.map(({ name }) => name);
  };
  expect(namesFrom({ sourceFileDescriptors: [] })).toEqual([]);
  expect(namesFrom({ sourceFileDescriptors })).toEqual(["a_rest.ts"]);
});

const answer = (change: Partial<CodeGeneratorRequest>) =>
  runPlugin(
    toBinary(CodeGeneratorRequestSchema, create(CodeGeneratorRequestSchema, { ...request, ...change })),
  );

test("rejects a request for a file that the request does not contain", () => {
  expect(() => answer({ fileToGenerate: ["b.proto"] })).toThrow(
    new ProtocolError("file_to_generate names b.proto, which is not in proto_file"),
  );
});

test.each([
  ["../a.proto", "it has the component `..`"],
  ["/etc/a.proto", "it is absolute; paths are relative to the output directory"],
  ["a/./b.proto", "it has the component `.`"],
  ["a\\b.proto", "it has a backslash; components are separated by `/`"],
])("rejects a request for a file outside the output directory: %s", (name, fault) => {
  const protoFile = request.protoFile.map((file) => (file.name === "a.proto" ? { ...file, name } : file));
  expect(() => answer({ protoFile, fileToGenerate: [name] })).toThrow(
    new ProtocolError(`file_to_generate names ${name}, for which no file can be written: ${fault}`),
  );
});

test("rejects a request that lacks an imported file", () => {
  const protoFile = request.protoFile.filter(({ name }) => name !== "google/api/annotations.proto");
  expect(() => answer({ protoFile })).toThrow(ProtocolError);
  expect(() => answer({ protoFile: [] })).toThrow(ProtocolError);
});

test("an empty request gets an empty response", () => {
  const { response } = answer({ fileToGenerate: [] });
  expect(fromBinary(CodeGeneratorResponseSchema, response)).toMatchObject({ file: [], error: "" });
});

test("property: a request of any bytes gets a response or a ProtocolError", () => {
  const broken = fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
    const copy = bytes.slice();
    copy[at % copy.length] = byte;
    return copy;
  });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), broken), (input) => {
      try {
        fromBinary(CodeGeneratorResponseSchema, runPlugin(input).response);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
      }
    }),
    { numRuns: 300 },
  );
});
