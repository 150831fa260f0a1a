/**
 * Tests very long names, and names that compilers reject: they neither break diagnostics nor reach generated
 * code.
 */
import { clone } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type FileDescriptorProto,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { oneLine } from "../../plugin/src/diagnostics/one-line.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const SOURCE = `${HEAD}
service S {
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {scopes: "a b", credential_fields: "y"};
  }
}
message Req { string id = 1 [(connectrest.v1.field).style = COMMA]; }
message Res { oneof choice { string text = 1 [(connectrest.v1.field).unwrap = true]; } }
`;

let compiled: CodeGeneratorRequest;

beforeAll(() => {
  compiled = compileRequest({ "names.proto": SOURCE });
});

/** A description that uses the name `__proto__` in every possible place. */
const PROTOTYPES = `${HEAD}
service S {
  // Has a comment.
  rpc __proto__(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "*"}; }
  rpc Send(Inner) returns (Res) {
    option (google.api.http) = {post: "/b" body: "m"};
    option (connectrest.v1.method) = {parameters: {name: "__proto__", value: "1"}};
  }
  rpc Post(Kinds) returns (Res) {
    option (google.api.http) = {post: "/c" body: "*"};
    option (connectrest.v1.method) = {parameters: {name: "__proto__", value: "1"}};
  }
}
message Req {
  string __proto__ = 1;
  google.protobuf.FieldMask mask = 3 [(connectrest.v1.field).mask.of = "inner"];
  Inner inner = 4;
  oneof one { option (connectrest.v1.oneof).discriminator = "__proto__"; Inner a = 5; }
  oneof two {
    option (connectrest.v1.oneof) = {discriminator: "d", layout: BESIDE, payload: "__proto__"};
    Inner b = 6;
  }
}
message Inner { string __proto__ = 1; map<string, string> m = 2; }
message Res { oneof choice { option (connectrest.v1.oneof).discriminator = "__proto__"; Inner c = 1; } Kind kind = 2; }
message Kinds { repeated Kind kinds = 1; }
enum Kind { __proto__ = 0; }
`;

test("generated object literals and assignments never set a prototype", () => {
  for (const parameter of ["target=ts", "target=js+dts"]) {
    const request = compileRequest({ "prototypes.proto": PROTOTYPES }, parameter);
    const { files, error } = runGenerator(request);
    expect(error).toBe("");
    const code = Object.values(files)
      .join("\n")
      .replace(/^ *(?:\*|\/\*\*).*$/gm, "");
    expect(code).toContain('["__proto__"]: ');
    expect(code.match(/^.*(?:(?<!\[)"__proto__"|\b__proto__) ?:.*$/gm)).toBe(null);
    expect(code.match(/^.*(?:\["__proto__"\]|\.__proto__) = .*$/gm)).toBe(null);
  }
});

const RENAMED: Readonly<Record<string, (file: FileDescriptorProto, name: string) => void>> = {
  file: (file, name) => Object.assign(file, { name: `${name}.proto` }),
  service: ({ service }, name) => Object.assign(service[0] ?? {}, { name }),
  method: ({ service }, name) => Object.assign(service[0]?.method[0] ?? {}, { name }),
  field: ({ messageType }, name) => Object.assign(messageType[0]?.field[0] ?? {}, { name }),
  "field of a response": ({ messageType }, name) => Object.assign(messageType[1]?.field[0] ?? {}, { name }),
};

/** Returns the errors of a run; the program reports an invalid request on standard error. */
function reportOf(kind: string, name: string): string {
  const request = clone(CodeGeneratorRequestSchema, compiled);
  request.sourceFileDescriptors = [];
  const file = request.protoFile.find((each) => each.name === "names.proto") as FileDescriptorProto;
  RENAMED[kind]?.(file, name);
  try {
    return runGenerator(request, { fileToGenerate: [file.name] }).error;
  } catch (error) {
    // The executable prints the error in this format.
    return oneLine((error as Error).message);
  }
}

test.each(["a\nb", "a\rb", "a\u2028b", "a b", "a`b", "a*/b", "a;b", "", "ü"])(
  "a name that is not an identifier is rejected: %j",
  (name) => {
    for (const kind of Object.keys(RENAMED).filter((each) => each !== "file")) {
      expect(reportOf(kind, name), kind).toMatch(
        /^proto_file is not complete: names\.proto: invalid [a-z]+ name ".*"$/,
      );
    }
  },
);

test("a file name with a line break is rejected", () => {
  expect(reportOf("file", "a\nb")).toBe(
    "file_to_generate names a\\u{a}b.proto, for which no file can be written: it has a control character",
  );
});

test("property: every problem is one line of bounded length with a position, for any name", () => {
  const name = fc
    .tuple(fc.constantFrom(1, 100, 300, 70_000, 200_000), fc.constantFrom("a", "B_", "x9"))
    .map(([count, unit]) => unit.repeat(count));
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(RENAMED)), name, (kind, each) => {
      const lines = reportOf(kind, each).split("\n");
      expect(lines.length).toBeGreaterThan(0);
      for (const line of lines) {
        expect(line).toMatch(/^\S+\.proto:\d+:\d+: [a-z-]+: [^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u);
        expect(line.length).toBeLessThan(2_500);
      }
    }),
    { numRuns: 40, interruptAfterTimeLimit: 20_000 },
  );
}, 60_000);

test("property: oneLine returns one line of bounded length for any string", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 60 }),
      fc.integer({ min: 1, max: 1_000 }),
      (unit, count) => {
        const line = oneLine(unit.repeat(count));
        expect(line).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u);
        expect(line.length).toBeLessThanOrEqual(20_000);
      },
    ),
  );
});
