import fc from "fast-check";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

const never = new AbortController().signal;

test("at most `limit` tasks run at the same time, in order of arrival, even if some fail", async () => {
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
          turns.run(never, async () => {
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
        expect(await turns.run(never, () => Promise.resolve("free"))).toBe("free");
      },
    ),
    { numRuns: 100 },
  );
});

test("a task that is aborted while it waits never runs, and does not delay other tasks", async () => {
  const turns = new Turns(1);
  const ran: string[] = [];
  const end = Promise.withResolvers<void>();
  const first = turns.run(never, () => end.promise);
  const abort = new AbortController();
  const second = turns
    .run(abort.signal, async () => void ran.push("second"))
    .catch((error: unknown) => error);
  const third = turns.run(never, async () => void ran.push("third"));
  abort.abort(new Error("left"));
  expect(await second).toEqual(new Error("left"));
  end.resolve();
  await Promise.all([first, third]);
  expect(ran).toEqual(["third"]);
  const gone = turns.run(abort.signal, async () => void ran.push("gone")).catch((error: unknown) => error);
  expect(await gone).toEqual(new Error("left"));
  expect(ran).toEqual(["third"]);
});
