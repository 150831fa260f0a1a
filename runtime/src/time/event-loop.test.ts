import { setImmediate } from "node:timers/promises";
import { nextTurn } from "connect-rest-codec/internal";
import { expect, test } from "vitest";
import { Pacer } from "./pacer.ts";

/** Waits for several event-loop turns. Returns how many promises had settled after each turn. */
async function settledByTurn(promises: readonly Promise<void>[], turns: number): Promise<number[]> {
  let settled = 0;
  for (const each of promises) void each.then(() => settled++);
  const counts: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    await setImmediate();
    counts.push(settled);
  }
  return counts;
}

test("many waiting tasks run in small groups, one group per event-loop turn, until all have run", async () => {
  const many = Array.from({ length: 40 }, () => nextTurn());
  const counts = await settledByTurn(many, 60);
  const steps = counts.map((count, turn) => count - (counts[turn - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(4);
  expect(counts.at(-1)).toBe(40);
});

test("waiting tasks run in order of arrival", async () => {
  const order: number[] = [];
  await Promise.all(Array.from({ length: 10 }, (_, index) => nextTurn().then(() => order.push(index))));
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("a pacer pauses after a number of items or bytes, and fails after its signal is aborted", async () => {
  const abort = new AbortController();
  const pacer = new Pacer(abort.signal);
  const pauses = (count: () => Promise<void> | undefined) => {
    let units = 1;
    let pause = count();
    for (; pause === undefined; units++) pause = count();
    return { units, pause };
  };
  const items = pauses(() => pacer.items());
  await items.pause;
  const bytes = pauses(() => pacer.bytes(16 * 1024));
  await bytes.pause;
  const empty = pauses(() => pacer.bytes(0));
  await empty.pause;
  expect([items.units, empty.units]).toEqual([64, 64]);
  expect(bytes.units).toBeLessThan(10);
  const { pause } = pauses(() => pacer.items());
  abort.abort(new Error("the call is over"));
  await expect(pause).rejects.toThrow("the call is over");
});
