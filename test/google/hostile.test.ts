/** Tests invalid input from compilers and unusual .proto files. Each of them has a documented result. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "./generators.ts";
import { Random } from "./random.ts";

const SECONDS = 1000;
const METHOD = (name: string, rule: string) =>
  `rpc ${name}(Req) returns (Req) { option (google.api.http) = {${rule}}; }`;
const SMALL = `${HEAD}service S { ${METHOD("Get", 'get: "/a"')} }
message Req { string name = 1; }`;

function encoded(request: CodeGeneratorRequest, change: Partial<CodeGeneratorRequest> = {}): Uint8Array {
  return toBinary(CodeGeneratorRequestSchema, create(CodeGeneratorRequestSchema, { ...request, ...change }));
}

/**
 * Returns the response, which contains either files or, in `error`, the mistakes in the input. In both cases
 * the exit status is 0 and standard error is empty.
 */
async function answerOf(input: Uint8Array) {
  const { stdout, stderr, code } = await runGenerator("adapters", input);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const { file, error } = fromBinary(CodeGeneratorResponseSchema, stdout);
  return { names: file.map(({ name }) => name), size: stdout.length, error };
}

const bytes = encoded(compileRequest({ "a.proto": SMALL }));
const dice = new Random(3);
const noise = Uint8Array.from({ length: 100_000 }, () => dice.below(256));
const cut = Array.from({ length: 4 }, () => bytes.subarray(0, 1 + dice.below(bytes.length - 1)));

test.each<readonly [name: string, input: Uint8Array, message: string]>([
  ["empty", new Uint8Array(), "no CodeGeneratorRequest"],
  ["noise", noise, "standard input is no CodeGeneratorRequest: "],
  ...cut.map((part) => [`cut after ${part.length} bytes`, part, ""] as const),
])(
  "a broken request (%s) gives one line on standard error, exit status 1 and no output",
  async (_name, input, message) => {
    const { stdout, stderr, code } = await runGenerator("adapters", input);
    expect({ code, size: stdout.length }).toEqual({ code: 1, size: 0 });
    expect(stderr).toMatch(/^protoc-gen-connect-rest: .+\n$/);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("internal error");
  },
);

test("a request that names a missing file gives exit status 1 and the name of the file", async () => {
  const request = compileRequest({ "a.proto": SMALL });
  const { stderr, code } = await runGenerator("adapters", encoded(request, { fileToGenerate: ["b.proto"] }));
  expect(code).toBe(1);
  expect(stderr).toBe(
    "protoc-gen-connect-rest: file_to_generate names b.proto, which is not in proto_file\n",
  );
});

test("a request without files gives no output and no error", async () => {
  const request = compileRequest({ "a.proto": SMALL });
  expect(await answerOf(encoded(request, { fileToGenerate: [] }))).toMatchObject({ names: [], error: "" });
});

test("an unknown option is reported in the response as a user error", async () => {
  const request = compileRequest({ "a.proto": SMALL }, "unsuported=skip");
  const { names, error } = await answerOf(encoded(request));
  expect(names).toEqual([]);
  expect(error).toBe("unknown option `unsuported`; did you mean `unsupported`?");
});

const MESSAGES = `message Req { string name = 1; A a = 2; repeated Req more = 3; map<string, A> by = 4; }
message A { B b = 1; }
message B { A a = 1; Req req = 2; }`;

test("recursive messages are accepted in bodies and responses", async () => {
  const source = `${HEAD}service S { ${METHOD("Put", 'put: "/a/{name}" body: "*"')} }\n${MESSAGES}`;
  const { names, error } = await answerOf(encoded(compileRequest({ "a.proto": source })));
  expect({ names, error }).toEqual({ names: ["a_rest.ts"], error: "" });
});

test("recursive messages are rejected in queries, with one error for each field", async () => {
  const source = `${HEAD}service S { ${METHOD("Get", 'get: "/a/{name}"')} }\n${MESSAGES}`;
  const { names, error } = await answerOf(encoded(compileRequest({ "a.proto": source })));
  expect(names).toEqual([]);
  expect(error.split("\n").map((line) => line.split(": ")[1])).toEqual([
    "query-repeated-message",
    "query-map",
    "query-recursion",
    "query-recursion",
  ]);
});

const COMMENT = `// ${"x".repeat(260)}\n`;

test(
  "a .proto file of 10 MB with valid methods is generated within a minute",
  async () => {
    const count = 30_000;
    const methods = Array.from(
      { length: count },
      (_, index) => `${COMMENT}${METHOD(`M${index}`, `get: "/a/${index}/{name}"`)}`,
    );
    const source = `${HEAD}service S {\n${methods.join("\n")}\n}\nmessage Req { string name = 1; }`;
    expect(source.length).toBeGreaterThan(9_000_000);
    const { names, error, size } = await answerOf(encoded(compileRequest({ "a.proto": source })));
    expect({ names, error }).toEqual({ names: ["a_rest.ts"], error: "" });
    expect(size).toBeLessThan(100_000_000);
  },
  60 * SECONDS,
);

test(
  "a .proto file of 10 MB with invalid methods gets an error for each method within a minute",
  async () => {
    const methods = Array.from(
      { length: 30_000 },
      (_, index) => `${COMMENT}${METHOD(`M${index}`, `get: "/a/${index}/{nam}"`)}`,
    );
    const source = `${HEAD}service S {\n${methods.join("\n")}\n}\nmessage Req { string name = 1; }`;
    const { names, error } = await answerOf(encoded(compileRequest({ "a.proto": source })));
    expect(names).toEqual([]);
    expect(error.split("\n")).toHaveLength(30_000);
  },
  60 * SECONDS,
);
