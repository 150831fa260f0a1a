/** Names of any length, or that no compiler lets pass, neither break a diagnostic nor get into code. */
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

const RENAMED: Readonly<Record<string, (file: FileDescriptorProto, name: string) => void>> = {
  file: (file, name) => Object.assign(file, { name: `${name}.proto` }),
  service: ({ service }, name) => Object.assign(service[0] ?? {}, { name }),
  method: ({ service }, name) => Object.assign(service[0]?.method[0] ?? {}, { name }),
  field: ({ messageType }, name) => Object.assign(messageType[0]?.field[0] ?? {}, { name }),
  "field of a response": ({ messageType }, name) => Object.assign(messageType[1]?.field[0] ?? {}, { name }),
};

/** What a run reports: on standard error where the request itself is wrong. */
function reportOf(kind: string, name: string): string {
  const request = clone(CodeGeneratorRequestSchema, compiled);
  request.sourceFileDescriptors = [];
  const file = request.protoFile.find((each) => each.name === "names.proto") as FileDescriptorProto;
  RENAMED[kind]?.(file, name);
  try {
    return runGenerator(request, { fileToGenerate: [file.name] }).error;
  } catch (error) {
    // as the executable prints it
    return oneLine((error as Error).message);
  }
}

test.each(["a\nb", "a\rb", "a\u2028b", "a b", "a`b", "a*/b", "a;b", "", "ü"])(
  "a name that is no identifier is refused: %j",
  (name) => {
    for (const kind of Object.keys(RENAMED).filter((each) => each !== "file")) {
      expect(reportOf(kind, name), kind).toMatch(
        /^proto_file is not complete: names\.proto: invalid [a-z]+ name ".*"$/,
      );
    }
  },
);

test("the name of a file has no line break", () => {
  expect(reportOf("file", "a\nb")).toBe(
    "file_to_generate names a\\u{a}b.proto, for which no file can be written: it has a control character",
  );
});

test("property: every problem has one line of bounded length, and a position, whatever the names", () => {
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

test("property: a text is one line of bounded length", () => {
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
