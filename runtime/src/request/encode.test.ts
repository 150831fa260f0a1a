import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema, StructSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { bytesFromBase64, stringifyJson } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { listJson, plainJson, structJson, valueJson } from "./any-value.ts";
import {
  addUnknown,
  base64,
  base64Url,
  doubleJson,
  type JsonRecord,
  omit,
  rawEntries,
  rawText,
  setOwn,
} from "./encode.ts";
import { fieldMaskText } from "./field-mask.ts";
import { joinHeader } from "./header-value.ts";
import { joinCommas } from "./parameters.ts";
import { durationText } from "./time-text.ts";

function rejection(action: () => unknown): { code: Code; message: string } {
  try {
    action();
  } catch (error) {
    if (error instanceof ConnectError) return { code: error.code, message: error.rawMessage };
    throw error;
  }
  throw new Error("expected a rejection");
}

test("joinCommas joins strings, numbers and bigints", () => {
  expect(joinCommas(["a", 1, 2n ** 60n, true], "f")).toBe("a,1,1152921504606846976,true");
  expect(joinCommas([], "f")).toBe("");
});

test("joinCommas rejects a value that contains a comma with INVALID_ARGUMENT", () => {
  expect(rejection(() => joinCommas(["a", "b,c"], "tags"))).toEqual({
    code: Code.InvalidArgument,
    message:
      "tags: a value contains a comma, which is the separator, so it cannot be sent in the body; send values without commas",
  });
});

test("base64 and base64Url round-trip, also for views of buffers", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(4), (bytes, offset) => {
      const view = new Uint8Array(new Uint8Array([...Array(offset).fill(255), ...bytes]).buffer, offset);
      expect([...(bytesFromBase64(base64(view)) ?? [])]).toEqual([...bytes]);
      expect([...(bytesFromBase64(base64Url(view)) ?? [])]).toEqual([...bytes]);
      expect(base64Url(view)).toMatch(/^[A-Za-z0-9_-]*$/);
    }),
  );
});

test.each([
  [3n, 500_000_000, "3.500s"],
  [0n, -5, "-0.000000005s"],
  [-3n, -500_000_000, "-3.500s"],
  [0n, 0, "0s"],
  [60n, 0, "60s"],
])("durationText formats %s s and %s ns as %s", (seconds, nanos, text) => {
  expect(durationText({ $typeName: "google.protobuf.Duration", seconds, nanos })).toBe(text);
});

test("fieldMaskText writes paths in lowerCamel", () => {
  const mask = { $typeName: "google.protobuf.FieldMask", paths: ["a_b.c_d", "e"] } as const;
  expect(fieldMaskText({ ...mask, paths: [...mask.paths] })).toBe("aB.cD,e");
});

test("doubleJson writes numbers that JSON cannot express as strings", () => {
  expect(doubleJson(1.5)).toBe(1.5);
  expect(JSON.stringify([doubleJson(-0), doubleJson(0)])).toBe("[-0,0]");
  expect(doubleJson(Number.NaN)).toBe("NaN");
  expect(doubleJson(Number.NEGATIVE_INFINITY)).toBe("-Infinity");
});

test("a google.protobuf.Value that JSON cannot express is rejected with INVALID_ARGUMENT", () => {
  const nan = create(ValueSchema, { kind: { case: "numberValue", value: Number.NaN } });
  for (const value of [nan, create(ValueSchema)]) {
    expect(rejection(() => valueJson(value))).toEqual({
      code: Code.InvalidArgument,
      message:
        "google.protobuf.Value: cannot be represented in JSON, so it cannot be sent in the body; send values with a kind, and finite numbers",
    });
    const list: ListValue = fromBinary(
      ListValueSchema,
      toBinary(ListValueSchema, create(ListValueSchema, { values: [value] })),
    );
    expect(rejection(() => listJson(list)).code).toBe(Code.InvalidArgument);
  }
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
  "a google.protobuf.Struct that contains %s, which would be sent as null, is rejected",
  (number) => {
    const rejected = {
      code: Code.InvalidArgument,
      message:
        "google.protobuf.Struct: cannot be represented in JSON, so it cannot be sent in the body; send values with a kind, and finite numbers",
    };
    expect(rejection(() => plainJson({ a: number }))).toEqual(rejected);
    expect(rejection(() => plainJson({ a: [0, { b: [number] }] }))).toEqual(rejected);
    const value = create(ValueSchema, { kind: { case: "numberValue", value: number } });
    expect(rejection(() => structJson(create(StructSchema, { fields: { a: value } })))).toEqual(rejected);
  },
);

test("a google.protobuf.Struct is encoded unchanged", () => {
  const struct = { a: [0, -1.5, null, true, "NaN", { ["__proto__"]: {} }], b: {} };
  expect(plainJson(struct)).toBe(struct);
});

test("setOwn sets keys that every object inherits, such as __proto__", () => {
  const json: JsonRecord = {};
  for (const key of ["__proto__", "constructor", "toString"]) setOwn(json, key, { a: 1 });
  expect(JSON.stringify(json)).toBe('{"__proto__":{"a":1},"constructor":{"a":1},"toString":{"a":1}}');
  expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
});

test("omit removes only the value at a path", () => {
  const json: JsonRecord = { a: { b: { c: 1, d: 2 }, e: 3 }, f: 4 };
  omit(json, "a.b.c");
  omit(json, "f");
  expect(json).toEqual({ a: { b: { d: 2 }, e: 3 } });
});

test("omit does nothing if there is no value", () => {
  const json: JsonRecord = { a: [1] };
  for (const path of ["x", "a.b", "x.y.z", "constructor.prototype", "__proto__.toString", ""]) {
    omit(json, path);
  }
  expect(json).toEqual({ a: [1] });
  expect(typeof {}.toString).toBe("function");
});

test("rawText accepts bytes in UTF-8 and rejects other bytes", () => {
  expect(rawText(Buffer.from("é😀"))).toBe("é😀");
  expect(rawText(Buffer.from("\ufeffa"))).toBe("\ufeffa");
  expect(() => rawText(Uint8Array.of(255, 97))).toThrow("is not UTF-8, so it cannot be sent in the body");
});

test("rawEntries returns collected keys unchanged, including numbers of any size", () => {
  const json = rawEntries({ a: "[1,{}]", big: "700000000000000001", text: '"x"', empty: "" });
  expect(stringifyJson(json)).toBe('{"a":[1,{}],"big":700000000000000001,"text":"x","empty":null}');
});

test("rawEntries returns numbers as they were written", () => {
  const json = rawEntries({ raw: "[12345678901234567890.12,1.10,1e3]", price: "1.00" });
  expect(stringifyJson(json)).toBe('{"raw":[12345678901234567890.12,1.10,1e3],"price":1.00}');
});

test("addUnknown does not change declared fields", () => {
  const json: JsonRecord = { i: -1 };
  addUnknown(json, rawEntries({ i: "7", __proto: "1", more: "2" }));
  expect(json).toEqual({ i: -1, __proto: 1, more: 2 });
});

test("joinHeader rejects a value that contains a comma, like every comma-separated list", () => {
  expect(joinHeader(["a", 1], "tags")).toBe("a, 1");
  expect(() => joinHeader(["a,b"], "tags")).toThrow("comma");
});

test("rawEntries sets keys such as __proto__ without prototype pollution", () => {
  const entries = JSON.parse('{"__proto__":"{\\"polluted\\":1}","constructor":"2"}');
  const json = rawEntries(entries);
  expect(JSON.stringify(json)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
  expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});

test("rawEntries rejects invalid JSON with INVALID_ARGUMENT", () => {
  expect(rejection(() => rawEntries({ a: "{bad" }))).toEqual({
    code: Code.InvalidArgument,
    message: "a: is not JSON, so it cannot be sent in the body; send the text of a JSON value",
  });
});
