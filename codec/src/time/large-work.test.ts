import fc from "fast-check";
import { expect, test } from "vitest";
import { LargeWork } from "./large-work.ts";

/** Returns a clock whose delays end when the test calls `delay`. */
function heldClock() {
  let now = 0;
  const due: { readonly ms: number; readonly act: () => void }[] = [];
  let onDelay: () => void = () => undefined;
  return {
    monotonic: () => now,
    after: (ms: number, act: () => void) => {
      due.push({ ms, act });
      onDelay();
      return () => undefined;
    },
    advance: (ms: number) => {
      now += ms;
    },
    /** Waits for the next delay, ends it, and returns its length. */
    delay: async () => {
      if (due.length === 0) {
        await new Promise<void>((resolve) => {
          onDelay = resolve;
        });
      }
      const next = due.shift();
      next?.act();
      return next?.ms;
    },
  };
}

const never = new AbortController().signal;

test("pieces of work start one at a time, callers take turns, and a pause is half as long as the piece before it", async () => {
  const clock = heldClock();
  const work = new LargeWork(clock);
  const begun: string[] = [];
  const piece = async (caller: string, ms: number) => {
    await work.turn(caller, 1, never);
    begun.push(caller);
    clock.advance(ms);
  };
  const all = ["a", "a", "a", "b", "c", "b"].map((caller) => piece(caller, 100));
  const delays: (number | undefined)[] = [];
  for (const [index] of all.entries()) {
    expect(begun.length).toBeLessThanOrEqual(index + 1);
    delays.push(await clock.delay());
  }
  await Promise.all(all);
  expect(begun).toEqual(["a", "a", "b", "c", "a", "b"]);
  expect(delays).toEqual([50, 50, 50, 50, 50, 50]);
  await piece("d", 10_000);
  expect(await clock.delay()).toBe(200);
});

test("a caller that is aborted while it waits does not delay others", async () => {
  const clock = heldClock();
  const work = new LargeWork(clock);
  await work.turn("a", 1, never);
  const abort = new AbortController();
  const left = work.turn("b", 1, abort.signal);
  const next = work.turn("c", 1, never);
  abort.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await clock.delay();
  await next;
  await expect(work.turn("d", 1, abort.signal)).rejects.toThrow("left");
});

const MB = 1 << 20;

/**
 * A response: its size, the number of turns for reading and decoding, and the turn in which its caller
 * aborts.
 */
const response = fc.record({
  caller: fc.constantFrom("a", "b", "c"),
  bytes: fc.constantFrom(1, MB, 4 * MB, 15 * MB, 40 * MB),
  phases: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 }),
  leavesAfter: fc.option(fc.nat({ max: 6 }), { nil: undefined }),
});

test("property: only a single response may exceed the limit of bytes in progress, and each response gets its turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(response, { maxLength: 12 }), async (responses) => {
      const work = new LargeWork({ monotonic: () => 0, after: atOnce });
      const running = new Set<{ readonly bytes: number }>();
      const run = async ({ caller, bytes, phases, leavesAfter }: (typeof responses)[number]) => {
        const abort = new AbortController();
        const leaving = turns(leavesAfter ?? 0).then(
          () => leavesAfter !== undefined && abort.abort(new Error("left")),
        );
        await work.turn(caller, bytes, abort.signal);
        for (const phase of phases) {
          const end = work.begin(bytes);
          const one = { bytes };
          running.add(one);
          const sum = [...running].reduce((total, { bytes }) => total + bytes, 0);
          if (running.size > 1) expect(sum).toBeLessThanOrEqual(16 * MB);
          await turns(phase);
          running.delete(one);
          end();
        }
        await leaving;
      };
      const ends = await Promise.allSettled(responses.map(run));
      for (const [index, end] of ends.entries()) {
        if (end.status === "rejected") {
          expect(String(end.reason)).toBe("Error: left");
          expect(responses[index]?.leavesAfter).toBeDefined();
        }
      }
    }),
    { numRuns: 100 },
  );
});

/** A delay that ends immediately. */
function atOnce(_: number, act: () => void): () => void {
  act();
  return () => undefined;
}

/** Waits for a number of event loop turns. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
}
