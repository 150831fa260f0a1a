/** Checks which types of request fields a rule of pages may set, for every rule that sets a field. */
import { expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

/** The rules that set the field `x`, and whether the field can hold any text. */
const RULES: Readonly<Record<string, readonly [rule: string, takesText: boolean]>> = {
  offset: ['offset: "x"', false],
  page: ['page: "x"', false],
  cursor: ['cursor: {path: "next" field: "x"}', true],
  "cursor of a header": ['cursor: {header: "X-Next" field: "x"}', true],
  last_item: ['last_item: {path: "id" field: "x"}', true],
};

const INTEGERS = ["int32", "int64", "uint32", "sint64", "fixed32", "sfixed64", "optional int64"];
const TEXTS = ["string", "optional string", "google.protobuf.Timestamp"];
const OTHERS = ["double", "float", "optional double", "bool", "bytes", "Kind", "repeated string", "Inner"];

const CASES = Object.entries(RULES).flatMap(([name, [rule, takesText]]) =>
  [...INTEGERS, ...TEXTS, ...OTHERS].map((type) => ({
    name: `${name}, ${type}`,
    isPossible: INTEGERS.includes(type) || (takesText && TEXTS.includes(type)),
    source: `service S {
  rpc List(Req) returns (stream Item) {
    option (google.api.http) = {post: "/a" body: "*"};
    option (connectrest.v1.method).paginate = {items: "items" ${rule}};
  }
}
message Req { ${type} x = 1; }
message Inner { string n = 1; }
message Item { string id = 1; }
enum Kind { NONE = 0; }`,
  })),
);

const errors = errorsOf(CASES.map(({ source }) => source));

test.each(CASES)("a field that cannot hold a position in a list is reported: $name", (each) => {
  const expected = expect.stringMatching(/: (?:paginate-step|paginate-cursor|stream-field): .*`x`/);
  expect(errors[CASES.indexOf(each)]).toEqual(each.isPossible ? [] : [expected]);
});
