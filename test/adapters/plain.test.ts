import { create, fromBinary, type Message, toBinary, toJson, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Color, PlainSchema, QueryPlainRequestSchema } from "../gen/rich/v1/plain_pb.ts";
import { PlainService_echoPlain, PlainService_queryPlain } from "../gen/rich/v1/plain_rest.ts";
import { received, sent } from "../support/adapter.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";

const plain = arbitraryMessage(PlainSchema);
const asJson = (message: Message) => toJson(PlainSchema, message as never);

test.each([true, false])(
  "an upstream that uses ProtoJSON: messages are read without differences (with proto names: %s)",
  (useProtoFieldName) => {
    fc.assert(
      fc.property(plain, (message) => {
        const text = toJsonString(PlainSchema, message, { useProtoFieldName });
        const { message: read, differences } = received(PlainService_echoPlain, text);
        expect(differences).toEqual([]);
        expect(asJson(read)).toEqual(asJson(message));
      }),
      { numRuns: 300 },
    );
  },
);

test("an upstream that uses ProtoJSON: decoded bytes are equal after protobuf-es re-encodes them", () => {
  fc.assert(
    fc.property(plain, (message) => {
      const { message: read } = received(PlainService_echoPlain, toJsonString(PlainSchema, message));
      const again = fromBinary(PlainSchema, toBinary(PlainSchema, read));
      expect(asJson(again)).toEqual(asJson(message));
    }),
    { numRuns: 100 },
  );
});

test("an upstream that uses ProtoJSON: a request body is valid as a response, without differences", () => {
  fc.assert(
    fc.property(plain, (message) => {
      const { body } = sent(PlainService_echoPlain, message);
      const { message: read, differences } = received(PlainService_echoPlain, body ?? "");
      expect(differences).toEqual([]);
      expect(asJson(read)).toEqual(asJson(message));
    }),
    { numRuns: 300 },
  );
});

test("an upstream that uses ProtoJSON: any JSON response is read without an exception", () => {
  const keys = fc.constantFrom(
    ...["scalars", "lists", "maps", "wrappers", "wellKnown", "choice", "child", "children", "int64Value"],
    ...["boolValue", "timestamps", "values", "struct", "value", "list", "__proto__", "constructor", "x"],
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: "medium", withCrossShrink: true },
      fc.constantFrom(null, true, false, "", "x", "1", 0, -1, 1.5, 1e300, 2 ** 53, [], {}),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(keys, tie("json"), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(fc.oneof(json, fc.jsonValue()), (value) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isObject && value !== null && !(Array.isArray(value) && value.length === 0)) {
        expect(() => received(PlainService_echoPlain, JSON.stringify(value))).toThrow("expected an object");
        return;
      }
      const { message } = received(PlainService_echoPlain, JSON.stringify(value));
      asJson(message);
    }),
    { numRuns: 2_000 },
  );
});

test("query parameters: all scalars of a message are sent by dotted name, without loss", () => {
  const message = create(QueryPlainRequestSchema, {
    scalars: {
      doubleValue: 0.5,
      int32Value: -1,
      int64Value: 9_007_199_254_740_993n,
      uint64Value: 18_446_744_073_709_551_615n,
      boolValue: true,
      stringValue: "a b&c=d+é/😀",
      bytesValue: Uint8Array.of(251, 255),
      colorValue: -5,
    },
    optionalScalars: { int32Value: 0, boolValue: false, stringValue: "", colorValue: 0 },
    ids: [1n, -9_007_199_254_740_993n],
    colors: [1, 99 as number as Color],
    since: { seconds: 1_700_000_000n, nanos: 500_000_000 },
    age: { seconds: 90n },
    mask: { paths: ["a_b", "c"] },
    label: "",
    data: Uint8Array.of(1),
    choice: { case: "number", value: 0n },
    page: { size: 5, after: ["x"], from: { case: "offset", value: 0 } },
  });
  expect(sent(PlainService_queryPlain, message)).toEqual({
    verb: "GET",
    path: "/plain/9007199254740993",
    query: [
      "scalars.doubleValue=0.5",
      "scalars.int32Value=-1",
      "scalars.uint64Value=18446744073709551615",
      "scalars.boolValue=true",
      "scalars.stringValue=a%20b%26c%3Dd%2B%C3%A9%2F%F0%9F%98%80",
      "scalars.bytesValue=%2B%2F8%3D",
      "scalars.colorValue=COLOR_NEGATIVE",
      "optionalScalars.int32Value=0",
      "optionalScalars.boolValue=false",
      "optionalScalars.stringValue=",
      "optionalScalars.colorValue=COLOR_UNSPECIFIED",
      "ids=1",
      "ids=-9007199254740993",
      "colors=COLOR_RED",
      "colors=99",
      "since=2023-11-14T22%3A13%3A20.500Z",
      "age=90s",
      "mask=aB%2Cc",
      "label=",
      "data=AQ%3D%3D",
      "number=0",
      "page.size=5",
      "page.after=x",
      "page.offset=0",
    ].join("&"),
    headers: [],
    body: undefined,
  });
});

test("query parameters: an empty message sends no parameters, but a path variable requires a value", () => {
  expect(() => sent(PlainService_queryPlain, create(QueryPlainRequestSchema))).toThrow("scalars.int64_value");
  const message = create(QueryPlainRequestSchema, { scalars: {} });
  expect(sent(PlainService_queryPlain, message)).toMatchObject({ path: "/plain/0", query: "" });
});
