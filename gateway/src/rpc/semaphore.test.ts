import fc from "fast-check";
import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

test("never more than the limit run, in the order in which they came, whatever fails", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.boolean()),
      async (scheduler, limit, fates) => {
        const semaphore = new Semaphore(limit);
        const begun: number[] = [];
        let running = 0;
        const all = fates.map((fails, index) =>
          semaphore.run(async () => {
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
        expect(await semaphore.run(() => Promise.resolve("free"))).toBe("free");
      },
    ),
  );
});
