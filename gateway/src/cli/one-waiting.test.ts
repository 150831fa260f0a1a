import fc from "fast-check";
import { expect, test } from "vitest";
import { oneWaiting } from "./one-waiting.ts";

test("however many requests arrive, at most one run is active and one waits, and a run starts after the last request", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 500 }), { maxLength: 10 }), async (storms) => {
      let runs = 0;
      let running = 0;
      let release: () => void = () => undefined;
      const ask = oneWaiting(async () => {
        runs += 1;
        running += 1;
        expect(running).toBe(1);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        running -= 1;
      });
      const settle = () => new Promise((resolve) => setImmediate(resolve));
      for (const storm of storms) {
        const before = runs;
        const asked = Array.from({ length: storm }, () => ask());
        await settle();
        asked.push(ask());
        await settle();
        expect(runs).toBe(before + 1);
        release();
        await settle();
        expect(runs).toBe(before + 2);
        release();
        await Promise.all(asked);
      }
      expect(runs).toBe(2 * storms.length);
    }),
    { numRuns: 20 },
  );
});
