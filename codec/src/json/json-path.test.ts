import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "./json.ts";
import { type Misstep, valueAt } from "./json-path.ts";
import { joinedPath, stepText } from "./path-text.ts";

/**
 * Values in place of an object: how to build them, whether a path enters them, and the reported difference.
 */
const SHAPES: Readonly<
  Record<string, readonly [make: (object: JsonObject) => JsonValue, entered: boolean, departure?: string]>
> = {
  object: [(object) => object, true],
  "list of one object": [(object) => [object], true, "converted"],
  "list of several objects": [(object) => [object, { other: 1 }], true, "lost"],
  "object and another value": [(object) => [object, "x"], true, "lost"],
  "empty list": [() => [], false, "converted"],
  false: [() => false, false, "converted"],
  "empty string": [() => "", false, "converted"],
  null: [() => null, false],
  "empty object": [() => ({}), false],
  text: [() => "x", false, "lost"],
  number: [() => 0, false, "lost"],
  true: [() => true, false, "lost"],
  "list of a string": [() => ["x"], false, "lost"],
  "list of null": [() => [null], false, "lost"],
  "list of a list": [(object) => [[object]], false, "lost"],
  "list that does not begin with its object": [(object) => [null, object], false, "lost"],
};
const KEYS = ["a", "b", "constructor", "@odata.next", "with space"];
const WAY = fc.array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...Object.keys(SHAPES))), {
  minLength: 1,
  maxLength: 4,
});

const quoted = (keys: readonly string[]) =>
  keys.map((key) => (key.includes(".") ? `'${key}'` : key)).join(".");

test("property: a path and a field treat each value in place of an object in the same way", () => {
  fc.assert(
    fc.property(WAY, fc.jsonValue({ maxDepth: 1 }), (way, leaf) => {
      const keys = way.map(([key]) => key);
      // each step has a key whose value is the object of the next step, in the shape for that step
      const [root] = way.reduceRight<[JsonObject]>(
        ([below], [key], index) => {
          const [make] = SHAPES[way[index + 1]?.[1] ?? ""] ?? [];
          return [{ [key]: make === undefined ? (leaf as JsonValue) : make(below) }];
        },
        [{}],
      );
      const wanted: Array<readonly [string, string]> = [];
      let isReached = true;
      for (const [index, [, shape]] of way.slice(1).entries()) {
        const [, entered, as] = SHAPES[shape] ?? [];
        const reached = keys.slice(0, index + 1).map(stepText);
        if (as !== undefined) wanted.push([reached.reduce(joinedPath), as]);
        if (entered !== true) {
          isReached = false;
          break;
        }
      }
      const found: Misstep[] = [];
      const path = quoted(keys);
      const value = valueAt(root, path, (misstep) => found.push(misstep));
      expect(value).toEqual(isReached ? leaf : undefined);
      expect(found.map((misstep) => [misstep.path, misstep.class])).toEqual(wanted);
      expect(valueAt(root, path)).toEqual(value);
    }),
    { numRuns: 2000 },
  );
});

test.each<readonly [JsonValue, string | undefined]>([
  [null, undefined],
  [{}, undefined],
  [[], "converted"],
  ["", "converted"],
  [[{ a: 1 }, { a: 2 }], "lost"],
  ["x", "lost"],
])("a path does not enter a root that is not an object: %j", (root, as) => {
  const found: Misstep[] = [];
  expect(valueAt(root, "a.b", (misstep) => found.push(misstep))).toBeUndefined();
  expect(found.map((misstep) => [misstep.path, misstep.class])).toEqual(as === undefined ? [] : [["", as]]);
});

test("a numeric step enters a list, and a list of lists is not a list of objects", () => {
  expect(valueAt({ a: [{ b: 1 }, { b: 2 }] }, "a.1.b")).toBe(2);
  expect(valueAt({ a: { 1: { b: 3 } } }, "a.1.b")).toBe(3);
  expect(valueAt([[5, 6]], "0.1")).toBe(6);
  expect(valueAt({ a: [1] }, "a.length")).toBeUndefined();
});
