import fc from "fast-check";
import { expect, test } from "vitest";
import { FairQueue, QueueFull } from "./fair-queue.ts";

const never = new AbortController().signal;

/** Creates jobs that end on command, and records their state. */
function jobs(queue: FairQueue) {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = (client: string, name: string, signal = never) =>
    queue
      .run(client, signal, async () => {
        started.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return name;
      })
      .catch((error: unknown) => error);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends the job that has run longest. */
  const end = async () => {
    ends.shift()?.();
    await settle();
  };
  return { started, run, end, settle };
}

test("clients take turns, even if one client has many waiting jobs", async () => {
  const { started, run, end, settle } = jobs(new FairQueue(1, 100));
  const all = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((name) => run(name.charAt(0), name));
  await settle();
  for (let count = 0; count < all.length; count++) await end();
  expect(started).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a job that is aborted while it waits never starts, and frees its place in the queue", async () => {
  const queue = new FairQueue(1, 100);
  const { started, run, end, settle } = jobs(queue);
  const left = new AbortController();
  const first = run("a", "a1");
  const second = run("a", "a2", left.signal);
  const third = run("a", "a3");
  await settle();
  left.abort(new Error("the client hung up"));
  expect(await second).toEqual(new Error("the client hung up"));
  expect(queue.waiting).toBe(1);
  await end();
  await end();
  expect([await first, await third, started]).toEqual(["a1", "a3", ["a1", "a3"]]);
});

test("a job whose signal is already aborted does not run", async () => {
  const { started, run } = jobs(new FairQueue(1, 100));
  expect(await run("a", "a1", AbortSignal.abort(new Error("gone")))).toEqual(new Error("gone"));
  expect(started).toEqual([]);
});

test("a full queue rejects the newest job of the client with the most jobs", async () => {
  const queue = new FairQueue(1, 3);
  const { run, end, settle } = jobs(queue);
  const all = ["a1", "a2", "a3", "a4"].map((name) => run("a", name));
  await settle();
  expect(await run("a", "a5")).toBeInstanceOf(QueueFull);
  const other = run("b", "b1");
  expect(await all[3]).toBeInstanceOf(QueueFull);
  expect(queue.waiting).toBe(3);
  // with `b2`, `b` would have as many waiting jobs as `a`, so `b2` is rejected
  const second = run("b", "b2");
  expect(await second).toBeInstanceOf(QueueFull);
  for (let count = 0; count < 4; count++) await end();
  expect(await Promise.all([all[0], all[1], all[2], other])).toEqual(["a1", "a2", "a3", "b1"]);
});

test("property: running and waiting jobs stay within their limits, and each job that is not rejected or aborted runs once", async () => {
  const actions = fc.array(
    fc.record({ client: fc.constantFrom("a", "b", "c"), isLeft: fc.boolean(), fails: fc.boolean() }),
    { maxLength: 30 },
  );
  const limits = fc.record({ concurrency: fc.integer({ min: 1, max: 3 }), capacity: fc.nat({ max: 6 }) });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), actions, limits, async (scheduler, all, { concurrency, capacity }) => {
      const queue = new FairQueue(concurrency, capacity);
      let running = 0;
      let runs = 0;
      const results = all.map(async ({ client, isLeft, fails }) => {
        await scheduler.schedule(Promise.resolve());
        const abort = new AbortController();
        const work = queue.run(client, abort.signal, async () => {
          expect(++running).toBeLessThanOrEqual(concurrency);
          runs++;
          await scheduler.schedule(Promise.resolve());
          running--;
          if (fails) throw new Error("failed");
          return "done";
        });
        expect(queue.waiting).toBeLessThanOrEqual(capacity);
        if (isLeft) void scheduler.schedule(Promise.resolve()).then(() => abort.abort("left"));
        return work.catch((error: unknown) => (error instanceof Error ? error.message : error));
      });
      await scheduler.waitFor(Promise.all(results));
      const outcomes = await Promise.all(results);
      expect(outcomes.filter((each) => each === "done" || each === "failed")).toHaveLength(runs);
      expect([running, queue.waiting]).toEqual([0, 0]);
      expect(await queue.run("a", never, async () => "free")).toBe("free");
    }),
    { numRuns: 200, interruptAfterTimeLimit: 10_000 },
  );
});
