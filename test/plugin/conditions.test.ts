/** Compares the diagnostics of conditions with the conditions that the decoder tests. */
import { type Condition, holdsExactly, type JsonObject } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCondition, covers } from "../../plugin/src/check/conditions.ts";
import { atLeast } from "../draws.ts";

const VALUES = ["a", "true", "false", "1", "-2.5", "0", "yes"];
/** An object without the key, and an object for each kind of value that a condition can distinguish. */
const OBJECTS: readonly JsonObject[] = [
  {},
  ...[null, {}, [], true, false, "z", 7, ...VALUES, 1, -2.5, 0].map((k) => ({ k })),
];
const CONDITION: fc.Arbitrary<Condition> = fc.record(
  {
    key: fc.constant("k"),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 3 }),
    present: fc.boolean(),
    type: fc.constantFrom("string", "number", "boolean", "object", "array"),
  },
  { requiredKeys: ["key"] },
);

const holds = (when: Condition) => (object: JsonObject) => holdsExactly(object, when, () => object);

test("property: a condition is reported exactly if no object can meet it", () => {
  const seen = { never: 0, ever: 0 };
  fc.assert(
    fc.property(CONDITION, (when) => {
      const codes: string[] = [];
      checkCondition(when, "", (_place, code) => codes.push(code));
      const isNever = !OBJECTS.some(holds(when));
      seen[isNever ? "never" : "ever"]++;
      expect([when, codes.includes("when-never")]).toEqual([when, isNever]);
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(20);
});

test("property: if one condition covers another, it holds whenever the other holds", () => {
  let covered = 0;
  fc.assert(
    fc.property(CONDITION, CONDITION, (general, specific) => {
      if (!covers(general, specific)) return;
      covered++;
      for (const object of OBJECTS.filter(holds(specific))) {
        expect([general, specific, object, holds(general)(object)]).toEqual([
          general,
          specific,
          object,
          true,
        ]);
      }
    }),
    { numRuns: 2000 },
  );
  expect(covered).toBeGreaterThanOrEqual(atLeast(50));
});
