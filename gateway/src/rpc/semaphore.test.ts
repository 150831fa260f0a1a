import type { Compression } from "@connectrpc/connect/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns, unpackedInTurn } from "./semaphore.ts";

test("never more than the limit run, in the order in which they came, whatever fails", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean()),
      async (scheduler, limit, fates) => {
        const turns = new Turns(limit);
        const begun: number[] = [];
        let running = 0;
        const all = fates.map((fails, index) =>
          turns.take(async () => {
            begun.push(index);
            expect(++running).toBeLessThanOrEqual(limit);
            await scheduler.schedule(Promise.resolve());
            running--;
            if (fails) throw new Error(`${index}`);
            return index;
          }),
        );
        const settled = Promise.allSettled(all);
        await scheduler.waitFor(settled);
        expect(begun).toEqual(fates.map((_, index) => index));
        expect((await settled).map(({ status }) => status === "rejected")).toEqual(fates);
        expect(await turns.take(() => Promise.resolve("free"))).toBe("free");
      },
    ),
  );
});

test("all compressions share one queue, and compress without it", async () => {
  let running = 0;
  let most = 0;
  const slow = (name: string): Compression => ({
    name,
    compress: (bytes) => Promise.resolve(Uint8Array.from(bytes)),
    decompress: async (bytes) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return Uint8Array.from(bytes);
    },
  });
  const [a, b] = unpackedInTurn([slow("a"), slow("b")]);
  const bytes = Uint8Array.of(1, 2, 3);
  const results = [a, b, a, b, a].map((compression) => compression?.decompress(bytes, 10));
  expect(await Promise.all(results)).toEqual(new Array(5).fill(bytes));
  expect(most).toBe(2);
  expect([a?.name, await b?.compress(bytes)]).toEqual(["a", bytes]);
});
