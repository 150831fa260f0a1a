import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { repair } from "./repair.ts";

const part = z.strictObject({
  names: z.array(z.string()).default([]),
  byName: z
    .record(z.string(), z.strictObject({ port: z.number(), ids: z.array(z.number()).default([]) }))
    .default({}),
});

/** Repairs a value, and counts how often the schema is evaluated. */
function counted(value: unknown) {
  let asked = 0;
  const schema = z.preprocess((given) => {
    asked++;
    return given;
  }, part);
  return { repaired: repair(schema, value), asked };
}

const anything = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant({ a: 1 }));

test("repair keeps valid values in order, and removes any number of invalid values in at most four evaluations", () => {
  const lists = fc.array(anything, { maxLength: 300, size: "max" });
  const named = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.record({ port: anything, ids: lists }), {
    maxKeys: 20,
  });
  fc.assert(
    fc.property(
      lists,
      named,
      fc.dictionary(fc.stringMatching(/^x[a-z]{1,4}$/), anything),
      (names, byName, more) => {
        const { repaired, asked } = counted({ ...more, names, byName });
        const right = Object.entries(byName).flatMap(([name, { port, ids }]) => {
          const own = { port, ids: ids.filter((id) => typeof id === "number") };
          return typeof port === "number" ? [[name, own] as const] : [];
        });
        expect(repaired?.value).toEqual({
          names: names.filter((name) => typeof name === "string"),
          byName: Object.fromEntries(right),
        });
        expect(asked).toBeLessThanOrEqual(4);
      },
    ),
    { numRuns: 100 },
  );
});

test("a list of a hundred thousand mistakes is evaluated twice, and each mistake is reported", () => {
  const { repaired, asked } = counted({ names: Array.from({ length: 100_000 }, (_, index) => index) });
  expect(repaired?.value.names).toEqual([]);
  expect(repaired?.removed.length).toBe(100_000);
  expect(repaired?.removed[99_999]).toEqual(["names", 99_999]);
  expect(asked).toBe(2);
});

test("a value of the wrong type cannot be repaired", () => {
  expect(counted(5)).toEqual({ repaired: undefined, asked: 1 });
});
