import type { JsonValue } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { infer } from "./infer.ts";
import { fieldName, typeName } from "./names.ts";
import { Shape } from "./shape.ts";

function shapeOf(values: readonly JsonValue[], shapes = 1000): Shape {
  const shape = new Shape({ shapes });
  for (const value of values) shape.add(value);
  return shape;
}

function inferred(key: string, values: readonly JsonValue[], hasPlaceholders = false) {
  const existing = () => undefined;
  return infer(shapeOf(values), { key, hasPlaceholders, existing, existingEnum: existing });
}

const times = (count: number, ...values: JsonValue[]) => Array.from({ length: count }, () => values).flat();

test("few words, each of them often, are an enum; names, rare words and placeholders are strings", () => {
  const words = times(6, "open", "in-review");
  expect(inferred("state", words).type).toEqual({ kind: "enum", texts: ["in-review", "open"] });
  expect(inferred("title", words).type).toMatchObject({ name: "string" });
  expect(inferred("state", [...words, "rare"]).type).toMatchObject({ name: "string" });
  expect(inferred("state", times(2, "open", "closed")).type).toMatchObject({ name: "string" });
  expect(inferred("state", words, true)).toMatchObject({
    type: { name: "string" },
    note: expect.stringContaining("placeholders"),
  });
});

test("integers are times only with the name and the range of a time", () => {
  expect(inferred("created_at", [1_767_225_600, 0])).toMatchObject({
    type: { name: "Timestamp" },
    rules: { time: { unit: "SECONDS", none: '"0"' } },
  });
  expect(inferred("updatedAt", [1_767_225_600_123])).toMatchObject({ rules: { time: { unit: "MILLIS" } } });
  expect(inferred("views", [1_767_225_600]).type).toMatchObject({ name: "int64" });
  expect(inferred("created_at", [12]).type).toMatchObject({ name: "int32" });
  expect(inferred("id", [12]).type).toMatchObject({ name: "int64" });
});

test("objects whose keys are data are maps, or Structs if their values differ", () => {
  const byId = [{ "17": 1, "29": 2 }, { "31": 3 }];
  expect(inferred("counts", byId).type).toMatchObject({ kind: "map", value: { type: { name: "int32" } } });
  expect(inferred("counts", [{ "17": 1, "29": { a: "x" } }]).type).toMatchObject({ name: "Struct" });
  const seldomSame = ["red", "green", "blue", "pink", "gray"].map((word) => ({ [word]: 1 }));
  expect(inferred("votes", seldomSame).type).toMatchObject({ kind: "map" });
  expect(inferred("vote", [{ a: 1, b: "x" }]).type).toMatchObject({ kind: "message" });
  expect(inferred("nothing", [{}]).type).toMatchObject({ name: "Struct" });
});

test("property: any values have a type, and memory is bounded", () => {
  const property = fc.property(fc.array(fc.jsonValue({ maxDepth: 6 })), fc.nat(50), (values, shapes) => {
    const allowance = { shapes };
    const shape = new Shape(allowance);
    for (const value of values) shape.add(value as JsonValue);
    expect(shape.count).toBe(values.length);
    expect(allowance.shapes).toBeGreaterThanOrEqual(0);
    const existing = () => undefined;
    infer(shape, { key: "key", hasPlaceholders: false, existing, existingEnum: existing });
  });
  fc.assert(property);
});

test("property: the names of any keys are names of protobuf", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (key) => {
      expect(fieldName(key)).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(typeName(key)).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    }),
  );
});
