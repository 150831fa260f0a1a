import { create, fromBinary, fromJson } from "@bufbuild/protobuf";
import {
  AnySchema,
  ApiSchema,
  anyPack,
  anyUnpack,
  file_google_protobuf_api,
  file_google_protobuf_wrappers,
  Int64ValueSchema,
  StringValueSchema,
  StructSchema,
} from "@bufbuild/protobuf/wkt";
import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, parseJsonExactly } from "../json/parse-json.ts";
import { anyJson } from "../request/any-json.ts";
import { failureOf } from "../testing/failure.ts";
import { drift } from "../testing/kinds.ts";
import { decodeAny, typesOf } from "./any.ts";
import { typesOfFiles, withTypes } from "./known-types.ts";
import { ProtoWriter } from "./proto-writer.ts";

const types = typesOf(file_google_protobuf_wrappers);
const TYPE = "type.googleapis.com/google.protobuf.Int64Value";

function read(text: string, exact = false) {
  const out = new ProtoWriter();
  out.reset(exact);
  out.root((exact ? parseJsonExactly : parseJson)(text), decodeAny(types));
  return { any: fromBinary(AnySchema, out.finish()), drifts: out.drifts, inexact: out.inexact };
}

test("google.protobuf.Any: is read where its type is known", () => {
  const { any, drifts } = read(`{"@type":"${TYPE}","value":"5"}`);
  expect(drifts).toEqual([]);
  expect(anyUnpack(any, Int64ValueSchema)?.value).toBe(5n);
});

test("google.protobuf.Any: is exact beyond 2^53, after a second look", () => {
  const text = `{"@type":"${TYPE}","value":700000000000000001}`;
  expect(read(text)).toMatchObject({ inexact: true, drifts: [] });
  expect(anyUnpack(read(text, true).any, Int64ValueSchema)?.value).toBe(700000000000000001n);
});

test.each<[text: string, path: string, expected: string, got: string]>([
  [
    '{"@type":"type.googleapis.com/test.Unknown","value":1}',
    "@type",
    "a known type",
    'string "test.Unknown"',
  ],
  ['{"value":1}', "@type", "a known type", "undefined"],
  ['{"@type":7,"value":1}', "@type", "a known type", "number 7"],
  [`{"@type":"${TYPE}","value":{}}`, "(root)", "google.protobuf.Any of google.protobuf.Int64Value", "object"],
  [
    `{"@type":"${TYPE}","value":"${"9".repeat(30)}"}`,
    "(root)",
    "google.protobuf.Any of google.protobuf.Int64Value",
    "object",
  ],
])(
  "google.protobuf.Any: is kept as a google.protobuf.Struct, and named, as %s",
  (text, path, expected, got) => {
    const { any, drifts } = read(text);
    expect(anyUnpack(any, StructSchema)?.fields).toEqual(fromJson(StructSchema, JSON.parse(text)).fields);
    expect(drifts).toEqual([drift("coerced", path, expected, got)]);
  },
);

test("google.protobuf.Any: is empty where the upstream writes it so", () => {
  expect(read("{}")).toMatchObject({ any: create(AnySchema), drifts: [] });
});

test("google.protobuf.Any: of a type that only the call knows is read by that", () => {
  const text = '{"@type":"type.googleapis.com/google.protobuf.Api","name":"a"}';
  expect(read(text).drifts).toHaveLength(1);
  const known = withTypes(typesOfFiles([file_google_protobuf_api]), () => read(text));
  expect(known.drifts).toEqual([]);
  expect(anyUnpack(known.any, ApiSchema)?.name).toBe("a");
});

test("google.protobuf.Any: keys that its type does not have are named, at any depth", () => {
  const type = "type.googleapis.com/google.rpc.BadRequest";
  const { any, drifts } = read(
    JSON.stringify({ "@type": type, fieldViolations: [{ field: "f", new: 1 }], more: {} }),
  );
  expect(any.typeUrl).toBe(type);
  expect(drifts).toEqual([
    drift("unknown", "fieldViolations[0].new", "no such key", "number 1"),
    drift("unknown", "more", "no such key", "object"),
  ]);
});

test("google.protobuf.Any: with a word that its enum does not have is kept as it came", () => {
  const text = '{"@type":"type.googleapis.com/google.protobuf.Api","syntax":"SYNTAX_NEW"}';
  const { any, drifts } = withTypes(typesOfFiles([file_google_protobuf_api]), () => read(text));
  expect(anyUnpack(any, StructSchema)?.fields.syntax?.kind.value).toBe("SYNTAX_NEW");
  expect(drifts).toHaveLength(1);
});

test("property: no Any that has anything in it comes out empty, and what is kept as a Struct is all there", () => {
  const types = [
    "",
    "/",
    "x",
    TYPE,
    "type.googleapis.com/google.rpc.Help",
    "type.googleapis.com/acme.v1.New",
  ];
  const keys = fc.constantFrom("value", "links", "a", "b c");
  const fields = fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 });
  fc.assert(
    fc.property(fc.option(fc.constantFrom(...types)), fields, (type, more) => {
      const text = JSON.stringify({ ...(type === null ? {} : { "@type": type }), ...more });
      const keys = Object.keys(JSON.parse(text));
      const { any, drifts } = read(text, true);
      if (keys.length === 0) return;
      expect(any.typeUrl).not.toBe("");
      const struct = anyUnpack(any, StructSchema);
      if (struct === undefined) return;
      expect(drifts).not.toEqual([]);
      expect(Object.keys(struct.fields).sort()).toEqual(keys.sort());
    }),
  );
});

test("google.protobuf.Any: of a type that is not known cannot be sent, and is the caller's mistake", async () => {
  for (const typeUrl of ["type.googleapis.com/acme.v1.New", TYPE]) {
    const any = create(AnySchema, { typeUrl, value: Uint8Array.of(8) });
    const failure = await failureOf(() => anyJson(any, types));
    expect(failure.code).toBe(Code.InvalidArgument);
    expect(failure.rawMessage).toContain(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  }
});

test("google.protobuf.Any: is written as ProtoJSON", () => {
  const any = anyPack(StringValueSchema, create(StringValueSchema, { value: "x" }));
  expect(anyJson(any, types)).toEqual({
    "@type": "type.googleapis.com/google.protobuf.StringValue",
    value: "x",
  });
});
