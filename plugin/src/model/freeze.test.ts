import { create } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { freeze } from "./freeze.ts";

test("a frozen model cannot be changed at any depth, except for its descriptors", () => {
  const model = { paths: [["a"]], byName: new Map([["x", { step: 1 }]]), desc: StructSchema };
  expect(freeze(model)).toBe(model);
  expect(() => model.paths[0]?.push("b")).toThrow(TypeError);
  expect(Object.isFrozen(model.byName.get("x"))).toBe(true);
  expect(Object.isFrozen(StructSchema)).toBe(false);
  expect(create(StructSchema).fields).toEqual({});
});
