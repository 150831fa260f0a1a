import { create } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { declaredPath, type MaskTable } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonRecord } from "./encode.ts";
import { fieldMaskText, sendUnset } from "./field-mask.ts";

/** The table of a message with a flattened member of the same type. */
const NODE: MaskTable = {
  title: { name: "heading" },
  child: { discriminator: "kind", fields: () => NODE },
  leaf: { discriminator: "kind", fields: () => LEAF },
  below: { name: "payload", fields: () => NODE },
  beside: { name: "payload", fields: () => LEAF },
};
const LEAF: MaskTable = { color_name: { name: "color" }, parts: { name: "bits", kind: "list" } };

/** Paths to fields, and their forms on the wire. */
const routes = fc
  .tuple(
    fc.array(fc.constantFrom("child", "below"), { maxLength: 6 }),
    fc.constantFrom(["title"], ["leaf", "color_name"], ["beside", "parts"], ["below"]),
  )
  .map(([above, end]) => [...above, ...end]);

const WIRE: Readonly<Record<string, string>> = {
  title: "heading",
  below: "payload",
  beside: "payload",
  color_name: "color",
  parts: "bits",
};

test("property: members without a key do not appear in wire paths, and paths to their fields round-trip", () => {
  fc.assert(
    fc.property(routes, (steps) => {
      const wire = steps.flatMap((step) => WIRE[step] ?? []).join(".");
      const mask = create(FieldMaskSchema, { paths: [steps.join(".")] });
      expect(fieldMaskText(mask, NODE)).toBe(wire);
      const again = declaredPath(wire, NODE);
      expect(fieldMaskText(create(FieldMaskSchema, { paths: [again] }), NODE)).toBe(wire);
      const json: JsonRecord = {};
      sendUnset(json, "mask", mask, NODE, "null");
      expect(valueIn(json, wire.split("."))).toBe(null);
    }),
    { numRuns: 300 },
  );
});

function valueIn(json: unknown, steps: readonly string[]): unknown {
  return steps.reduce((value, step) => (value as Record<string, unknown>)[step], json);
}

test("a member without a key expands to all of its keys, even if its type is recursive", () => {
  const text = (...paths: string[]) => fieldMaskText(create(FieldMaskSchema, { paths }), NODE);
  expect(text("leaf")).toBe("kind,color,bits");
  expect(text("child")).toBe("kind,heading,color,bits,payload");
  expect(text("title", "title", "leaf", "below.leaf", "leaf")).toBe(
    "heading,heading,kind,color,bits,payload.kind,payload.color,payload.bits",
  );
  const empty: MaskTable = {
    nothing: { fields: () => ({}) },
    mark: { discriminator: "kind", fields: () => ({}) },
  };
  expect(fieldMaskText(create(FieldMaskSchema, { paths: ["nothing", "mark"] }), empty)).toBe("nothing,kind");
});

test("a long path in a response is resolved step by step", () => {
  let asked = 0;
  const table: MaskTable = {
    a: { name: "payload", fields: () => count(table) },
    b: { name: "payload", fields: () => count(table) },
  };
  const count = (fields: MaskTable) => {
    asked += 1;
    return fields;
  };
  const steps = 1_000;
  expect(declaredPath(Array(steps).fill("payload").join("."), table)).toBe(Array(steps).fill("a").join("."));
  expect(asked).toBeLessThan(5 * steps);
});
