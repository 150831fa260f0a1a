import fc from "fast-check";
import { expect, test } from "vitest";
import { IdleMemory } from "./idle-memory.ts";

const MB = 1024 * 1024;

function never(error: unknown): void {
  expect.unreachable(String(error));
}

test("a process that has grown collects garbage once, after five checks without a call", async () => {
  let calls = 3;
  let resident = 100 * MB;
  let collections = 0;
  const seen: (readonly [number, number])[] = [];
  const memory = new IdleMemory({
    calls: () => calls,
    resident: () => resident,
    collect: async () => {
      collections++;
      resident = 110 * MB;
    },
    onCollected: (before, after) => seen.push([before / MB, after / MB]),
    onError: never,
  });
  const look = async (times: number) => {
    for (let time = 0; time < times; time++) await memory.look();
    return collections;
  };
  resident = 500 * MB;
  expect(await look(10)).toBe(0);
  calls = 0;
  expect(await look(4)).toBe(0);
  calls = 1;
  expect(await look(1)).toBe(0);
  calls = 0;
  expect(await look(4)).toBe(0);
  expect(await look(1)).toBe(1);
  expect(await look(100)).toBe(1);
  resident = 500 * MB;
  expect(await look(5)).toBe(2);
  expect(seen).toEqual([
    [500, 110],
    [500, 110],
  ]);
});

test("property: a check that cannot measure memory changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (isMeasured) => {
      let resident: number | undefined = 100 * MB;
      let collections = 0;
      const memory = new IdleMemory({
        calls: () => 0,
        resident: () => {
          if (resident === undefined) throw new Error("EMFILE: too many open files, uv_resident_set_memory");
          return resident;
        },
        collect: async () => {
          collections++;
        },
        onError: never,
      });
      for (const measured of isMeasured) {
        resident = measured ? 500 * MB : undefined;
        await memory.look();
      }
      expect(collections).toBe(isMeasured.filter(Boolean).length >= 5 ? 1 : 0);
    }),
  );
});

test("property: a process collects garbage once after it has grown, even if memory stays in use, and never without growth", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 60, max: 2000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (start, part) => {
        let resident = start * MB;
        let collections = 0;
        const memory = new IdleMemory({
          calls: () => 0,
          resident: () => resident,
          collect: async () => {
            collections++;
            resident -= (resident - start * MB) * part;
          },
          onError: never,
        });
        for (let time = 0; time < 20; time++) await memory.look();
        expect(collections).toBe(0);
        resident *= 2;
        for (let time = 0; time < 50; time++) await memory.look();
        expect(collections).toBe(1);
      },
    ),
    { numRuns: 50 },
  );
});

test("a failed garbage collection is reported once and not repeated", async () => {
  const errors: unknown[] = [];
  let resident = 100 * MB;
  const memory = new IdleMemory({
    calls: () => 0,
    resident: () => resident,
    collect: () => Promise.reject(new Error("no inspector")),
    onError: (error) => errors.push(String(error)),
  });
  memory.start();
  resident *= 3;
  for (let time = 0; time < 5; time++) await memory.look();
  expect(errors).toEqual(["Error: no inspector"]);
});

test("the default collection releases garbage of the current process", async () => {
  const kept: WeakRef<object>[] = [];
  for (let index = 0; index < 100; index++) kept.push(new WeakRef({ index }));
  let resident = 100 * MB;
  const memory = new IdleMemory({ calls: () => 0, resident: () => resident, onError: never });
  resident *= 3;
  // a WeakRef keeps its target alive until the end of the turn
  await new Promise((resolve) => setImmediate(resolve));
  for (let time = 0; time < 5; time++) await memory.look();
  expect(kept.filter((ref) => ref.deref() !== undefined)).toEqual([]);
});
