import { create, fromBinary, fromJson, toJson } from "@bufbuild/protobuf";
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
import type { JsonValue } from "connect-rest-codec/internal";
import {
  anyTable,
  ProtoWriter,
  parseJson,
  parseJsonExactly,
  parseJsonVerbatim,
  withTypes,
  writePayload,
} from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { difference } from "../../codec/src/testing/kinds.ts";
import { typesOf, typesOfFiles } from "../../runtime/src/errors/known-types.ts";
import { anyJson } from "../../runtime/src/request/any-json.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";

const types = typesOf(file_google_protobuf_wrappers);
const TYPE = "type.googleapis.com/google.protobuf.Int64Value";

function read(text: string, exact = false) {
  const out = new ProtoWriter();
  out.reset(exact);
  writePayload(out, (exact ? parseJsonExactly : parseJson)(text), anyTable(types));
  return { any: fromBinary(AnySchema, out.finish()), differences: out.differences, inexact: out.inexact };
}

test("google.protobuf.Any: JSON of a known type is decoded as that type", () => {
  const { any, differences } = read(`{"@type":"${TYPE}","value":"5"}`);
  expect(differences).toEqual([]);
  expect(anyUnpack(any, Int64ValueSchema)?.value).toBe(5n);
});

test("google.protobuf.Any: integers above 2^53 are exact after a second parse", () => {
  const text = `{"@type":"${TYPE}","value":700000000000000001}`;
  expect(read(text)).toMatchObject({ inexact: true, differences: [] });
  expect(anyUnpack(read(text, true).any, Int64ValueSchema)?.value).toBe(700000000000000001n);
});

test.each<[text: string, path: string, expected: string, got: string]>([
  [
    '{"@type":"type.googleapis.com/test.Unknown","value":1}',
    "@type",
    "a known type",
    'string "test.Unknown"',
  ],
  ['{"value":1}', "@type", "a known type", "nothing"],
  ['{"@type":7,"value":1}', "@type", "a known type", "number 7"],
  [`{"@type":"${TYPE}","value":{}}`, "(root)", "google.protobuf.Any of google.protobuf.Int64Value", "object"],
  [
    `{"@type":"${TYPE}","value":"${"9".repeat(30)}"}`,
    "(root)",
    "google.protobuf.Any of google.protobuf.Int64Value",
    "object",
  ],
])(
  "google.protobuf.Any: JSON without a known type is kept as a google.protobuf.Struct and reported: %s",
  (text, path, expected, got) => {
    const { any, differences } = read(text);
    expect(anyUnpack(any, StructSchema)?.fields).toEqual(fromJson(StructSchema, JSON.parse(text)).fields);
    expect(differences).toEqual([difference("converted", path, expected, got)]);
  },
);

test("google.protobuf.Any: an empty object is read as an empty Any", () => {
  expect(read("{}")).toMatchObject({ any: create(AnySchema), differences: [] });
});

test("google.protobuf.Any: keys are read exactly even after V8 has seen similar keys in other documents", () => {
  JSON.parse('{"behind":1,"\\\\":1}');
  const url = "type.googleapis.com/google.protobuf.Struct";
  const { any, differences } = read(`{"@type":"${url}","value":{"behind":1,"\\"":2}}`);
  expect(differences).toEqual([]);
  expect(Object.keys(anyUnpack(any, StructSchema)?.fields ?? {})).toEqual(["behind", '"']);
});

test("google.protobuf.Any: a type that is registered only for one call is decoded in that call", () => {
  const text = '{"@type":"type.googleapis.com/google.protobuf.Api","name":"a"}';
  expect(read(text).differences).toHaveLength(1);
  const known = withTypes(typesOfFiles([file_google_protobuf_api]), () => read(text));
  expect(known.differences).toEqual([]);
  expect(anyUnpack(known.any, ApiSchema)?.name).toBe("a");
});

test("google.protobuf.Any: keys that the type does not have are reported at any depth", () => {
  const type = "type.googleapis.com/google.rpc.BadRequest";
  const { any, differences } = read(
    JSON.stringify({ "@type": type, fieldViolations: [{ field: "f", new: 1 }], more: {} }),
  );
  expect(any.typeUrl).toBe(type);
  expect(differences).toEqual([
    difference("additional", "fieldViolations[0].new", "no such key", "number 1"),
    difference("additional", "more", "no such key", "object"),
  ]);
});

test("google.protobuf.Any: a message with an unknown enum name is kept as a Struct with the same value", () => {
  const text = '{"@type":"type.googleapis.com/google.protobuf.Api","syntax":"SYNTAX_NEW"}';
  const { any, differences } = withTypes(typesOfFiles([file_google_protobuf_api]), () => read(text));
  expect(anyUnpack(any, StructSchema)?.fields.syntax?.kind.value).toBe("SYNTAX_NEW");
  expect(differences).toHaveLength(1);
});

test("property: a non-empty Any is never read as an empty one, and a Struct fallback keeps every value", () => {
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
      const { any, differences } = read(text, true);
      if (keys.length === 0) return;
      expect(any.typeUrl).not.toBe("");
      const struct = anyUnpack(any, StructSchema);
      if (struct === undefined) return;
      expect(differences).not.toEqual([]);
      expect(Object.keys(struct.fields).sort()).toEqual(keys.sort());
    }),
  );
});

test("google.protobuf.Any: sending an Any of an unknown type fails with INVALID_ARGUMENT", async () => {
  for (const typeUrl of ["type.googleapis.com/acme.v1.New", TYPE]) {
    const any = create(AnySchema, { typeUrl, value: Uint8Array.of(8) });
    const failure = await failureOf(() => anyJson(any, types));
    expect(failure.code).toBe(Code.InvalidArgument);
    expect(failure.rawMessage).toContain(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  }
});

test("google.protobuf.Any: an Any is written as ProtoJSON", () => {
  const any = anyPack(StringValueSchema, create(StringValueSchema, { value: "x" }));
  expect(anyJson(any, types)).toEqual({
    "@type": "type.googleapis.com/google.protobuf.StringValue",
    value: "x",
  });
});

const API = "type.googleapis.com/google.protobuf.Api";
const STRUCT = "type.googleapis.com/google.protobuf.Struct";
const ANY = "type.googleapis.com/google.protobuf.Any";

/** Pairs of an Any's JSON and the differences that are reported when the Any is read. */
const SURPLUS: ReadonlyArray<readonly [text: string, ...differences: string[]]> = [
  [`{"@type":"${TYPE}","value":"5","unit":"kg"}`, "additional unit"],
  [`{"@type":"${API}","name":"a","colour":"red"}`, "additional colour"],
  [`{"@type":"${API}","methods":[{"name":"m","colour":"red"}]}`, "additional methods[0].colour"],
  [`{"@type":"${STRUCT}","value":{"a":[9007199254740993]}}`, "converted value.a[0]"],
  [`{"@type":"${STRUCT}","value":{"a":1},"b":2}`, "additional b"],
  [`{"@type":"${ANY}","value":{"@type":"${TYPE}","value":"5","unit":"kg"}}`, "additional value.unit"],
  [
    `{"@type":"${ANY}","value":{"@type":"${API}","colour":"red"},"b":1}`,
    "additional b",
    "additional value.colour",
  ],
  [
    `{"@type":"${API}","options":[{"name":"o","value":{"@type":"${API}","name":"b","colour":"red"}}]}`,
    "additional options[0].value.colour",
  ],
  [`{"@type":"${API}","name":"a\\ud800"}`, "converted (root)", "lost name"],
  [`{"@type":"${STRUCT}","value":{"a":"\\ud800"}}`, "converted (root)", "lost value.a"],
  [`{"@type":"${API}","name":9007199254740993}`, "converted (root)", "converted name"],
  [`{"@type":"${API}","syntax":"SYNTAX_NEW"}`, "converted (root)"],
  [`{"@type":"${ANY}","value":{"@type":"type.googleapis.com/test.Unknown","a":1}}`, "converted (root)"],
];

test.each(SURPLUS)(
  "google.protobuf.Any: a value that a known type cannot hold is reported: %s",
  (text, ...expected) => {
    const { differences } = withTypes(typesOfFiles([file_google_protobuf_api]), () => read(text, true));
    expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual(expected);
  },
);

test.each([
  ["1e300", 1e300],
  ["-1.7976931348623157e+308", -Number.MAX_VALUE],
  ["9007199254740993.0", 9007199254740992],
])("google.protobuf.Any: a Struct inside an Any reads %s as a number", (text, number) => {
  const out = new ProtoWriter();
  out.reset(true);
  const known = parseJsonVerbatim(`{"@type":"${STRUCT}","value":{"a":[${text}],"b":1.50}}`);
  withTypes(typesOfFiles([file_google_protobuf_api]), () => writePayload(out, known, anyTable(types)));
  const any = fromBinary(AnySchema, out.finish());
  expect(out.differences).toEqual([]);
  const struct = anyUnpack(any, StructSchema);
  expect(struct && toJson(StructSchema, struct)).toEqual({ a: [number], b: 1.5 });
});

test("google.protobuf.Any: a 64-bit integer is exact in any notation", () => {
  const out = new ProtoWriter();
  out.reset(true);
  const value = parseJsonVerbatim(`{"@type":"${TYPE}","value":9007199254740993.0}`);
  writePayload(out, value, anyTable(types));
  expect(anyUnpack(fromBinary(AnySchema, out.finish()), Int64ValueSchema)?.value).toBe(9007199254740993n);
});

test("property: an Any of a known type keeps every value of its JSON, or reports the value as a difference", () => {
  const known = typesOfFiles([file_google_protobuf_api]);
  const leaf = fc.constantFrom<JsonValue>("a", "", 5, "5", true, null, "SYNTAX_PROTO3", [], {}, [1], {
    a: 1,
  });
  const api = fc.dictionary(
    fc.constantFrom("name", "version", "syntax", "edition", "colour", "mixins"),
    leaf,
    { maxKeys: 3 },
  );
  const packed = fc.oneof(
    api.map((json) => ({ ...json, "@type": API })),
    leaf.map((value) => ({ "@type": STRUCT, value })),
    fc.tuple(leaf, leaf).map(([value, unit]) => ({ "@type": TYPE, value, unit })),
  );
  const any = fc.oneof(
    packed,
    packed.map((value) => ({ "@type": ANY, value })),
    fc.tuple(packed, leaf).map(([value, other]) => ({ "@type": ANY, value, other })),
  );
  fc.assert(
    fc.property(any, (json) => {
      const { any: message, differences } = withTypes(known, () => read(JSON.stringify(json)));
      const printed = JSON.stringify(toJson(AnySchema, message, { registry: known }));
      for (const [path, value] of leavesOf(json as JsonValue, "")) {
        const isReported = differences.some((each) => each.path === "(root)" || path.startsWith(each.path));
        expect(
          isReported || printed.includes(JSON.stringify(value).replace(/^"|"$/g, "")),
          `${path}: ${printed}`,
        ).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

/** Returns the values that are neither null nor zero, with their paths. */
function leavesOf(json: JsonValue, path: string): ReadonlyArray<readonly [string, JsonValue]> {
  if (typeof json !== "object" || json === null) return json === null || json === "" ? [] : [[path, json]];
  return Object.entries(json).flatMap(([key, value]) => {
    const at = Array.isArray(json) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    return leavesOf(value as JsonValue, at);
  });
}
