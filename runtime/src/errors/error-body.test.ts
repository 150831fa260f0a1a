import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { file_google_protobuf_api } from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import type { JsonValue } from "connect-rest-codec/internal";
import { typesOfFiles, withTypes } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ErrorShape } from "../adapter/rules.ts";
import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorDetail } from "./rest-error.ts";

test("a dotted key of an error item is read as a path, unless a literal key contains the dot", () => {
  const shape = {
    kind: "items",
    path: "errors",
    title: "message.text",
    code: "extensions.code",
    detail: "d",
  };
  const read = (item: JsonValue) => readErrorBody({ errors: [item] }, [shape as ErrorShape]);
  const nested = { message: { text: "No" }, extensions: { code: "FORBIDDEN" } };
  expect(read(nested)).toMatchObject({ text: "No", subcode: "FORBIDDEN" });
  expect(read({ ...nested, "extensions.code": "OWN" })).toMatchObject({ subcode: "OWN" });
});

const META = { status: 400, msg: "Bad Request" };

const BLOG_SHAPES: readonly ErrorShape[] = [
  { kind: "items", path: "errors", title: "title", code: "code", detail: "detail" },
  { kind: "title_map", path: "response.errors" },
  { kind: "text", path: "response" },
  { kind: "oauth" },
  { kind: "text", path: "error" },
];

test.each<[name: string, body: JsonValue | undefined, text: string | undefined, subcode?: string]>([
  [
    "items",
    { meta: META, response: [], errors: [{ title: "Bad", code: 8001, detail: "No such post" }] },
    "Bad: No such post",
    "8001",
  ],
  ["items without detail and response", { meta: META, errors: [{ title: "Bad", code: 0 }] }, "Bad"],
  ["one item", { errors: { title: "Bad", code: "8001" } }, "Bad", "8001"],
  [
    "the first item with a code is the cause",
    {
      errors: [
        { title: "A", code: 0 },
        { title: "B", code: 5 },
        { title: "C", code: 6 },
      ],
    },
    "A; B; C",
    "5",
  ],
  [
    "items of other types are read as far as possible",
    { errors: [{ title: 7, code: 5 }, { title: "B" }, "C", { title: {} }, null] },
    "7; B; C",
    "5",
  ],
  ["the items are strings", { errors: ["Too long.", "No vowels."] }, "Too long.; No vowels."],
  ["one item is a string", { errors: "Too long." }, "Too long."],
  ["strings among maps of titles", { response: { errors: ["Too long."] } }, "Too long."],
  ["an item with null and empty parts", { errors: [{ title: null, detail: "d", code: null }] }, "d"],
  ["response is a string", { meta: META, response: "Not authorized." }, "Not authorized."],
  ["a map of titles", { response: { errors: [{ "Some title": "Some detail" }] } }, "Some title: Some detail"],
  ["one map of titles", { response: { errors: { Title: "", other: 1 } } }, "Title"],
  ["error is a string", { error: "It is gone." }, "It is gone."],
  [
    "OAuth",
    { error: "invalid_grant", error_description: "Expired" },
    "invalid_grant: Expired",
    "invalid_grant",
  ],
  ["OAuth, only the code", { error: "invalid_client" }, "invalid_client", "invalid_client"],
  ["errors next to a normal response", { response: { id: 1 }, errors: [{ title: "B", code: 3 }] }, "B", "3"],
  ["no body", undefined, undefined],
  ["nothing to read", { meta: META, response: [] }, undefined],
  ["a number", 7, undefined],
  ["names of object methods", { errors: [{}], error: {} }, undefined],
])("the text and the subcode of an error body are read: %s", (_name, body, text, subcode) => {
  expect(readErrorBody(body, BLOG_SHAPES)).toEqual(
    text === undefined ? {} : subcode === undefined ? { text } : { text, subcode },
  );
});

test.each<[JsonValue, string | undefined, string?]>([
  [{ message: "Not Found", documentation_url: "https://x.test", status: "404" }, "Not Found"],
  [
    { message: "Validation Failed", errors: [{ resource: "Issue", code: "missing_field" }] },
    "Validation Failed",
    "missing_field",
  ],
  [{ error: { message: "No key", code: 403 } }, "No key", "403"],
  [{ title: "Bad", detail: "RFC 9457 detail", status: 400 }, "Bad: RFC 9457 detail"],
  ["just text", "just text"],
  [{ code: 5, message: "numbered by the upstream itself" }, "numbered by the upstream itself", "5"],
])("the common error bodies apply to a method without shapes: %j", (body, text, subcode) => {
  const report = readErrorBody(body, []);
  expect([report.text, report.subcode, report.code]).toEqual([text, subcode, undefined]);
});

test("every error body can be read without an exception", () => {
  const keys = fc.constantFrom(
    "errors",
    "error",
    "message",
    "response",
    "title",
    "code",
    "detail",
    "details",
    "@type",
  );
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.bigInt()),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(BLOG_SHAPES, []), (body, shapes) => {
      const { text, subcode } = readErrorBody(body, shapes);
      expect(["string", "undefined"]).toContain(typeof text);
      expect(["string", "undefined"]).toContain(typeof subcode);
    }),
    { numRuns: 1000 },
  );
});

const SHAPES: readonly ErrorShape[] = [{ kind: "rpc_status" }];
const DETAILS = [
  {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "STALE",
    domain: "d.test",
    metadata: { a: "b" },
  },
  {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [{ field: "f", description: "wrong" }],
  },
  { "@type": "type.googleapis.com/google.rpc.DebugInfo", stackEntries: ["secret.go:1"] },
  { "@type": "type.googleapis.com/unknown.Type" },
  { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "nonsense" },
  7,
];

test.each<[string, JsonValue]>([
  ["bare", { code: 9, message: "Stale", details: DETAILS }],
  [
    "below error, with an HTTP status",
    { error: { code: 400, status: "FAILED_PRECONDITION", message: "Stale", details: DETAILS } },
  ],
])(
  "the code and all details of a google.rpc.Status are read, except details for developers: %s",
  (_name, body) => {
    const report = readErrorBody(body, SHAPES);
    expect(report).toMatchObject({ code: Code.FailedPrecondition, text: "Stale" });
    expect(report.details?.map(typeOf)).toEqual([
      ErrorInfoSchema.typeName,
      BadRequestSchema.typeName,
      // the last three: an unknown type, an invalid name, and a detail that is not an object
      "google.protobuf.Struct",
      "google.protobuf.Struct",
      "google.protobuf.Value",
    ]);
    expect(report.details?.[0]?.value).toMatchObject({
      reason: "STALE",
      domain: "d.test",
      metadata: { a: "b" },
    });
  },
);

function typeOf(detail: ErrorDetail): string {
  return "type" in detail ? detail.type : detail.desc.typeName;
}

test("a google.rpc.Status detail of an unknown type keeps its type and all of its keys", () => {
  const detail = { "@type": "type.googleapis.com/acme.v1.Why", id: 700000000000000001n, list: [null, "x"] };
  const report = readErrorBody({ code: 9, details: [detail] }, SHAPES);
  const [kept] = report.details ?? [];
  if (kept === undefined || "type" in kept) throw new Error("no message");
  expect(toJson(kept.desc, create(kept.desc, kept.value))).toEqual({
    "@type": "type.googleapis.com/acme.v1.Why",
    id: "700000000000000001",
    list: [null, "x"],
  });
});

test("a google.rpc.Status detail is decoded if the call provides its type", () => {
  const detail = { "@type": "type.googleapis.com/google.protobuf.Api", name: "a" };
  const read = () => readErrorBody({ code: 9, details: [detail] }, SHAPES).details?.map(typeOf);
  expect(read()).toEqual(["google.protobuf.Struct"]);
  expect(withTypes(typesOfFiles([file_google_protobuf_api]), read)).toEqual(["google.protobuf.Api"]);
});

test("a Connect detail of an unknown type reaches the caller as bytes", () => {
  const details = [
    { type: "acme.v1.Why", value: "CgFB" },
    { type: "acme.v1.Why", value: "no base64!" },
    { type: "no name", value: "CgFB" },
  ];
  const report = readErrorBody({ code: "not_found", details }, SHAPES);
  expect(report.details?.[0]).toMatchObject({ type: "acme.v1.Why", value: Buffer.from([10, 1, 65]) });
  expect(report.details?.map(typeOf)).toEqual([
    "acme.v1.Why",
    "google.protobuf.Struct",
    "google.protobuf.Struct",
  ]);
});

test("the first 20 details of a google.rpc.Status are read, and the remaining details are counted", () => {
  const details = Array.from({ length: 33 }, () => ({ "@type": "t/acme.v1.Why" }));
  const report = readErrorBody({ code: 9, details }, SHAPES);
  expect([report.details?.length, report.omitted]).toEqual([20, 13]);
});

test("property: every detail of a google.rpc.Status reaches the caller, except null and DebugInfo", () => {
  const type = fc.constantFrom("t/google.rpc.Help", "t/google.rpc.RetryInfo", "t/acme.v1.New", "", 7, null);
  const detail = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.record({ "@type": type, links: fc.jsonValue({ maxDepth: 2 }), more: fc.jsonValue({ maxDepth: 2 }) }),
    fc.record({ type: fc.constantFrom("google.rpc.Help", "acme.v1.New"), value: fc.base64String() }),
  );
  fc.assert(
    fc.property(fc.array(detail, { maxLength: 20 }), (details) => {
      const body = JSON.parse(JSON.stringify({ code: 9, details })) as { details: unknown[] };
      const report = readErrorBody(body as JsonValue, SHAPES);
      expect(report.details).toHaveLength(body.details.filter((each) => each !== null).length);
    }),
  );
});

test("an error in the format of the Connect protocol is read like a google.rpc.Status", () => {
  const value = Buffer.from(Uint8Array.of(10, 1, 65)).toString("base64");
  const report = readErrorBody(
    { code: "not_found", message: "m", details: [{ type: "google.rpc.ErrorInfo", value }] },
    SHAPES,
  );
  expect(report.code).toBe(Code.NotFound);
  expect(report.details?.[0]?.value).toMatchObject({ reason: "A" });
});

test.each<[JsonValue, Code]>([
  [{ code: "CANCELLED", message: "" }, Code.Canceled],
  [{ status: "DEADLINE_EXCEEDED" }, Code.DeadlineExceeded],
  [{ status: "UNKNOWN" }, Code.Unknown],
  [{ code: 16, details: [] }, Code.Unauthenticated],
])("the code of the google.rpc.Status %j is read", (body, code) => {
  expect(readErrorBody(body, SHAPES).code).toBe(code);
});

test.each<JsonValue>([
  { code: 5, message: "no details: not a google.rpc.Status" },
  { code: 0, details: [] },
  { code: 404, details: [] },
  { status: "404" },
  { code: "nonsense" },
  { error: "text" },
  [],
])("the body %j is not mistaken for a google.rpc.Status", (body) => {
  const { code, details } = readErrorBody(body, SHAPES);
  expect([code, details]).toEqual([undefined, undefined]);
});

test("property: an error with a detail of any depth and kind stays intact, and can be sent", () => {
  const depths = fc.constantFrom(0, 1, 29, 30, 31, 60, 99, 100, 101, 500, 5000);
  const kinds = fc.constantFrom<(inner: JsonValue) => JsonValue>(
    (inner) => [inner],
    (inner) => ({ a: inner }),
    (inner) => ({ "@type": "type.googleapis.com/google.protobuf.Any", value: inner }),
  );
  const types = fc.constantFrom(
    "x",
    "type.googleapis.com/google.rpc.Help",
    "type.googleapis.com/acme.v1.New",
  );
  fc.assert(
    fc.property(depths, kinds, types, fc.boolean(), (depth, wrap, type, isObject) => {
      let deep: JsonValue = 1;
      for (let level = 0; level < depth; level++) deep = wrap(deep);
      const detail = isObject ? { "@type": type, deep } : deep;
      const body = { error: { code: 404, status: "NOT_FOUND", message: "nope", details: [detail] } };
      const report = readErrorBody(body, SHAPES);
      expect(report).toMatchObject({ code: Code.NotFound, text: "nope" });
      for (const each of report.details ?? []) {
        if (!("type" in each)) fromBinary(each.desc, toBinary(each.desc, create(each.desc, each.value)));
      }
    }),
    { numRuns: 200 },
  );
});
