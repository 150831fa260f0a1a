/** Checks which message fields may have the encoding DELIMITED (editions): those whose JSON is an object. */
import { expect, test } from "vitest";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

const MESSAGES = `message Object { string a = 1; }
message Any { oneof any {
  option (connectrest.v1.oneof).layout = UNWRAPPED;
  string text = 1 [(connectrest.v1.field).when = {type: "string"}];
  Object object = 2 [(connectrest.v1.field).when = {type: "object"}];
} }
message List { repeated string items = 1; }
message Pair {
  option (connectrest.v1.message).tuple = true;
  string name = 1;
  int32 count = 2;
}`;

test.each([
  ["Object", "", true],
  ["Any", "", false],
  ["List", ", (connectrest.v1.field).unwrap = true", false],
  ["Pair", "", false],
  ["google.protobuf.Timestamp", "", false],
  ["google.protobuf.Duration", "", false],
  ["google.protobuf.Struct", "", false],
  ["google.protobuf.StringValue", "", false],
])("a field of the type %s%s may be DELIMITED: %j", (type, rule, isAllowed) => {
  const source = `${HEAD.replace('syntax = "proto3"', 'edition = "2023"')}
service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Req {}
message Res { ${type} x = 1 [features.message_encoding = DELIMITED${rule}]; repeated ${type} y = 2 [features.message_encoding = DELIMITED${rule}]; }
${MESSAGES}`;
  const { error } = runGenerator(compileRequest({ "case.proto": source }));
  const found = error === "" ? [] : error.split("\n");
  const expected = ["x", "y"].map((name) =>
    expect.stringContaining(`type-unsupported: test.v1.Res.${name} has the message encoding DELIMITED`),
  );
  expect(found).toEqual(isAllowed ? [] : expected);
});
