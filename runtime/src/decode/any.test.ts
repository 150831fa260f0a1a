import { create, fromBinary } from "@bufbuild/protobuf";
import {
  AnySchema,
  anyPack,
  anyUnpack,
  file_google_protobuf_wrappers,
  Int64ValueSchema,
  StringValueSchema,
} from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { parseJson, parseJsonExactly } from "../json/parse-json.ts";
import { difference } from "../testing/kinds.ts";
import { anyJson, decodeAny, typesOf } from "./any.ts";
import { ProtoWriter } from "./proto-writer.ts";

const types = typesOf(file_google_protobuf_wrappers);
const TYPE = "type.googleapis.com/google.protobuf.Int64Value";

function read(text: string, exact = false) {
  const out = new ProtoWriter();
  out.reset(exact);
  out.root((exact ? parseJsonExactly : parseJson)(text), decodeAny(types));
  return { any: fromBinary(AnySchema, out.finish()), differences: out.differences, inexact: out.inexact };
}

test("google.protobuf.Any: is read where its type is known", () => {
  const { any, differences } = read(`{"@type":"${TYPE}","value":"5"}`);
  expect(differences).toEqual([]);
  expect(anyUnpack(any, Int64ValueSchema)?.value).toBe(5n);
});

test("google.protobuf.Any: is exact beyond 2^53, after a second look", () => {
  const text = `{"@type":"${TYPE}","value":700000000000000001}`;
  expect(read(text)).toMatchObject({ inexact: true, differences: [] });
  expect(anyUnpack(read(text, true).any, Int64ValueSchema)?.value).toBe(700000000000000001n);
});

test.each([
  ['{"@type":"type.googleapis.com/test.Unknown","value":1}'],
  ['{"value":1}'],
  [`{"@type":"${TYPE}","value":{}}`],
  [`{"@type":"${TYPE}","value":"${"9".repeat(30)}"}`],
])("google.protobuf.Any: is left out, and named, as %s", (text) => {
  const { any, differences } = read(text);
  expect(any).toEqual(create(AnySchema));
  expect(differences).toEqual([
    difference("lost", "(root)", "google.protobuf.Any of a known type", "object"),
  ]);
});

test("google.protobuf.Any: is written as ProtoJSON", () => {
  const any = anyPack(StringValueSchema, create(StringValueSchema, { value: "x" }));
  expect(anyJson(any, types)).toEqual({
    "@type": "type.googleapis.com/google.protobuf.StringValue",
    value: "x",
  });
});
