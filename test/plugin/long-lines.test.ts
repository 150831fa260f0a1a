/** Checks that no generated file has a line of 64 KiB, for names, comments and constants of any length. */
import { stripTypeScriptTypes } from "node:module";
import { clone, create, setExtension } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type FileDescriptorProto,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { method as methodRules } from "../../plugin/src/gen/connectrest/v1/annotations_pb.ts";
import { MethodRulesSchema } from "../../plugin/src/gen/connectrest/v1/method_rules_pb.ts";
import { http } from "../../plugin/src/gen/google/api/annotations_pb.ts";
import { HttpRuleSchema } from "../../plugin/src/gen/google/api/http_pb.ts";
import { commentOf, docComment, type Generator, printLiteral, respond } from "../../plugin/src/kit/index.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const SOURCE = `${HEAD}
// Of the service.
service S {
  // Of the method.
  rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; }
}
message Req { string id = 1; Kind kind = 2; }
// Of the message.
message Res { string id = 1; Kind kind = 2; }
enum Kind { KIND_UNSPECIFIED = 0; }
`;
const LONGEST = 65_535;

/** A third-party generator that writes the comments of methods into a new file. */
const commentsGenerator: Generator = {
  name: "protoc-gen-acme-comments",
  version: "1.0.0",
  generate(request) {
    const file = request.newFile("comments.ts");
    for (const { desc } of request.adapterFiles.flatMap(({ services }) => services)) {
      const comments = desc.methods.map((method) => commentOf(method));
      file.add(...docComment(commentOf(desc)), `export const comments = ${printLiteral(comments)};`);
    }
  },
};

let compiled: CodeGeneratorRequest;

beforeAll(() => {
  compiled = compileRequest({ "long.proto": SOURCE }, "target=ts+js+dts");
});

interface Lengths {
  readonly comment: string;
  readonly literal: string;
  readonly header: string;
  readonly values: number;
  readonly field: string;
  readonly bindings: number;
}

/** Returns the request with longer strings. Compilers accept them, so the generator must too. */
function grown({ comment, literal, header, values, field, bindings }: Lengths): CodeGeneratorRequest {
  const request = clone(CodeGeneratorRequestSchema, compiled);
  const file = request.protoFile.find(({ name }) => name === "long.proto") as FileDescriptorProto;
  request.sourceFileDescriptors = [];
  for (const location of file.sourceCodeInfo?.location ?? []) {
    if (location.leadingComments !== "") location.leadingComments = comment;
  }
  const [kind] = file.enumType;
  const [zero] = kind?.value ?? [];
  if (kind === undefined || zero === undefined) throw new Error("there is no enum");
  for (let number = 1; number <= values; number++) {
    kind.value.push({ ...zero, name: `KIND_${number}`, number });
  }
  for (const message of file.messageType) {
    for (const each of message.field.slice(0, 1)) Object.assign(each, { name: field, jsonName: field });
  }
  const options = create(MethodOptionsSchema);
  const rule = (path: string) => create(HttpRuleSchema, { pattern: { case: "get", value: path } });
  const first = rule(`/${literal}/{${field}}`);
  first.additionalBindings = Array.from({ length: bindings }, (_, index) =>
    rule(`/${literal}${index}/{kind}/b`),
  );
  setExtension(options, http, first);
  const rules = create(MethodRulesSchema, { headers: [{ name: "X-Long", value: header }] });
  setExtension(options, methodRules, rules);
  const [rpc] = file.service[0]?.method ?? [];
  if (rpc === undefined) throw new Error("there is no method");
  rpc.options = options;
  return request;
}

function checkLines(files: Iterable<readonly [path: string, content: string]>): void {
  for (const [path, content] of files) {
    const longest = content.split("\n").reduce((most, line) => Math.max(most, Buffer.byteLength(line)), 0);
    expect(longest, path).toBeLessThanOrEqual(LONGEST);
    // Throws if the content is not valid TypeScript.
    if (!path.endsWith(".d.ts")) stripTypeScriptTypes(content);
  }
}

const size = fc.oneof(fc.nat(50), fc.constantFrom(1000, 66_000, 200_000));
const word = size.map((length) => "a".repeat(length + 1));

test("a comment and an enum of 200,000 lines are generated", () => {
  const request = grown({
    comment: " line\n".repeat(200_000),
    literal: "a",
    header: "a",
    values: 200_000,
    field: "id",
    bindings: 0,
  });
  const { files, error } = runGenerator(request, { fileToGenerate: ["long.proto"] });
  expect(error).toBe("");
  expect(files["long_rest.ts"]?.split("\n").length).toBeGreaterThan(400_000);
  const added = respond(commentsGenerator, { ...request, parameter: "target=ts" });
  expect(added.error).toBe("");
});

test("property: for inputs of any length no line reaches 64 KiB, and only overlong names are rejected", () => {
  const lengths = fc.record({
    comment: fc
      .tuple(size, fc.constantFrom("x", "word ", "line\n", "*/", "ü", "\\", '"'))
      .map(([length, unit]) => ` ${unit.repeat(length)} end`),
    literal: word,
    header: word,
    values: fc.constantFrom(0, 10, 9000),
    field: fc.oneof({ weight: 4, arbitrary: fc.constant("id") }, { weight: 1, arbitrary: word }),
    bindings: fc.constantFrom(0, 1),
  });
  fc.assert(
    fc.property(lengths, (each) => {
      const request = grown(each);
      const { files, error } = runGenerator(request, { fileToGenerate: ["long.proto"] });
      if (each.field.length > 10_000 && error !== "") {
        expect(error).toMatch(
          /^(?:long\.proto:\d+:\d+: name-too-long: the name `\S+` is too long for one line of code: long_rest\.\S+ would have a line of \d+ bytes; expected 65535 at most\n?)+$/,
        );
        return;
      }
      expect(error).toBe("");
      checkLines(Object.entries(files));
      const added = respond(commentsGenerator, { ...request, parameter: "target=ts" });
      checkLines(added.file.map(({ name, content }) => [name, content]));
    }),
    { numRuns: 30, interruptAfterTimeLimit: 40_000 },
  );
});
