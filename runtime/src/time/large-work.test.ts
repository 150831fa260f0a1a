import { expect, test } from "vitest";
import { LargeWork } from "./large-work.ts";

/** A clock whose delays are over when the test says so. */
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
    /** The next delay that is asked for; it is over with this. */
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

test("work begins one piece after the other, callers in turns, and half as long as it took is left to others", async () => {
  const clock = heldClock();
  const work = new LargeWork(clock);
  const begun: string[] = [];
  const piece = async (caller: string, ms: number) => {
    await work.turn(caller, never);
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

test("who is aborted while it waits holds up nobody", async () => {
  const clock = heldClock();
  const work = new LargeWork(clock);
  await work.turn("a", never);
  const abort = new AbortController();
  const left = work.turn("b", abort.signal);
  const next = work.turn("c", never);
  abort.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  await clock.delay();
  await next;
  await expect(work.turn("d", abort.signal)).rejects.toThrow("left");
});
