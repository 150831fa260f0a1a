import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, ownValue } from "../json/json.ts";
import { valueAt } from "../json/json-path.ts";
import { difference, numberOf, type Written, written } from "../testing/kinds.ts";
import type { FieldRow, LayoutEntry } from "./field-table.ts";
import { FieldTable, ProtoWriter } from "./proto-writer.ts";
import { JsonTooDeep } from "./shape-writer.ts";

type Row = FieldRow<ProtoWriter>;

const COLLECTOR = numberOf("strings");

function decoded(json: JsonValue, table: FieldTable): Written {
  return written((out) =>
    out.root(json, (object) => {
      out.fields(object, table);
      out.unknownKeys(object, table);
    }),
  );
}

/**
 * Returns a table of `fields` fields, each read from two keys, and the values that its write functions were
 * called with.
 */
function countingTable(fields: number): { readonly table: FieldTable; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const row = (_: unknown, index: number): Row => [
    (value) => asked.push(value),
    `key_${index}`,
    `key${index}`,
  ];
  return { table: new FieldTable(() => Array.from({ length: fields }, row)), asked };
}

test("the number of write calls depends on the keys of the object, not on the number of fields", () => {
  for (const fields of [1, 31, 32, 33, 64, 1000]) {
    const { table, asked } = countingTable(fields);
    decoded({}, table);
    decoded({ other: 1 }, table);
    expect(asked).toEqual([]);
    decoded({ [`key${fields - 1}`]: "last", key_0: fields === 1 ? undefined : "first" } as JsonObject, table);
    expect(asked).toEqual(fields === 1 ? ["last"] : ["first", "last"]);
  }
});

test("a field with several keys is written once, with null only if no key has another value", () => {
  const { table, asked } = countingTable(4);
  decoded({ key0: "a", key_0: "b", key_1: null, key2: null, key_3: null, key3: "c" }, table);
  expect(asked).toEqual(["b", null, null, "c"]);
});

test("several fields can read the same key, and a field can read the whole object", () => {
  const table = new FieldTable(() => [
    [(value, out) => out.int32(numberOf("int32"), value, "a"), "a"],
    [(_, out, _key, json) => out.string(numberOf("string"), valueAt(json, "b.c"), "b.c"), "b"],
    [(value, out) => out.double(numberOf("double"), value, "a"), "a", "b"],
  ]);
  expect(decoded({ b: { c: "x" }, a: 1 }, table)).toEqual({
    json: { int32: 1, string: "x", double: 1 },
    differences: [],
    inexact: false,
  });
});

test("a key such as constructor is read only if the object itself has the key", () => {
  const table = new FieldTable(() => [
    [(value, out) => out.string(numberOf("string"), value, "constructor"), "constructor", "toString"],
    [(value, out) => out.int32(numberOf("int32"), value, "__proto__"), "__proto__"],
  ]);
  expect(decoded({}, table).json).toEqual({});
  expect(decoded(JSON.parse('{"toString":"a","__proto__":3}'), table).json).toEqual({
    string: "a",
    int32: 3,
  });
});

test("a choose function is called for each object, and the keys it declares are not reported as unknown", () => {
  const table = new FieldTable(() => [
    {
      choose(json, out) {
        out.string(numberOf("string"), json.kind ?? "none", "kind");
      },
    },
    { known: ["kind", "size"] },
  ]);
  expect(decoded({}, table).json).toEqual({ string: "none" });
  expect(decoded({ size: 1, kind: "x", more: 1 }, table)).toEqual({
    json: { string: "x" },
    differences: [difference("additional", "more", "no such key", "number 1")],
    inexact: false,
  });
});

test("the first member of a oneof in table order is kept, regardless of the order of keys", () => {
  const [first, second] = [numberOf("string"), numberOf("int32")];
  const table = new FieldTable(() => [
    {
      onlyFirst: [
        [first, "a"],
        [second, "b"],
      ],
      of: [
        [(value, out) => out.string(first, value, "a"), "a"],
        [(value, out) => out.int32(second, value, "b"), "b"],
      ],
    },
    [(value, out) => out.bool(numberOf("bool"), value, "c"), "c"],
  ]);
  const lost = [difference("lost", "b", "no other member of the oneof", "number 1")];
  expect(decoded({ c: true, b: 1, a: "x" }, table)).toEqual({
    json: { string: "x", bool: true },
    differences: lost,
    inexact: false,
  });
  expect(decoded({ b: 1, a: null }, table).json).toEqual({ int32: 1 });
});

test("a nested message does not overwrite fields of the outer message, and an exception leaves no state", () => {
  const table: FieldTable = new FieldTable(() => [
    [(value, out) => out.message(numberOf("self"), value, "self", decode), "self"],
    [(value, out) => out.string(numberOf("string"), value, "string"), "string"],
  ]);
  const decode = (json: JsonObject, out: ProtoWriter) => {
    out.fields(json, table);
    out.unknown(COLLECTOR, json, table);
  };
  const out = new ProtoWriter(3);
  const bytesOf = (json: JsonObject) => {
    out.reset();
    out.root(json, decode);
    return Buffer.from(out.finish()).toString("hex");
  };
  const json = { string: "outer", self: { string: "inner", self: {} } };
  const bytes = bytesOf(json);
  const deep = { string: "left", self: { string: "left", self: { string: "left", self: {} } } };
  expect(() => bytesOf(deep)).toThrow(JsonTooDeep);
  expect(bytesOf(json)).toBe(bytes);
  expect(bytesOf({})).toBe("");
  expect(written((writer) => writer.root(json, decode)).json).toEqual({
    string: "outer",
    self: { string: "inner", self: {} },
  });
});

const NAMES = ["a", "b", "c", "d", "e", "1", "constructor", "__proto__", "é"];
const VALUES: readonly JsonValue[] = [null, "", "x", 0, 7, 2.5, true, [], ["x"], {}, { a: 1 }];
const KINDS = ["string", "int32", "bool", "double"] as const;

const field = fc.record({
  kind: fc.constantFrom(...KINDS),
  keys: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }),
});
const object = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES, "zz"), fc.constantFrom(...VALUES)), {
    selector: ([key]) => key,
  })
  // fromEntries, because an assignment to `__proto__` would set a prototype
  .map((entries) => Object.fromEntries(entries) as JsonObject);

test("property: a field table gives the same bytes and differences as a lookup of every key of every field", () => {
  fc.assert(
    fc.property(fc.array(field, { maxLength: 40 }), object, (fields, json) => {
      const known = new Set(fields.flatMap(({ keys }) => keys));
      const asking = (each: JsonObject, out: ProtoWriter): void => {
        for (const { kind, keys } of fields) {
          const values = keys.map((key) => ownValue(each, key));
          const value = values.find((one) => one !== undefined && one !== null) ?? values.at(-1);
          out[kind](numberOf(kind), value, keys[0] ?? "");
        }
        out.unknown(COLLECTOR, each, known);
      };
      const row = ({ kind, keys }: (typeof fields)[number]): LayoutEntry<ProtoWriter> => [
        (value, out) => out[kind](numberOf(kind), value, keys[0] ?? ""),
        ...keys,
      ];
      const table = new FieldTable(() => fields.map(row));
      const finding = (each: JsonObject, out: ProtoWriter): void => {
        out.fields(each, table);
        out.unknown(COLLECTOR, each, table);
      };
      expect(bytesAndDifferences(json, finding)).toEqual(bytesAndDifferences(json, asking));
    }),
    { numRuns: 2000 },
  );
});

function bytesAndDifferences(json: JsonObject, decode: (json: JsonObject, out: ProtoWriter) => void) {
  const out = new ProtoWriter();
  out.root(json, decode);
  return { bytes: Buffer.from(out.finish()).toString("hex"), found: out.found() };
}
