import { expect, test } from "vitest";
import { nextTurn } from "./event-loop.ts";
import { atOnce, inTurns, type Work } from "./work.ts";

/** Work with a number of steps. Calls `onStep` at each step. */
function* steps(count: number, units: number, onStep: (step: number) => void): Work<string> {
  for (let step = 0; step < count; step++) {
    onStep(step);
    yield units;
  }
  return "done";
}

const standing = { monotonic: () => 0 };

test("atOnce and inTurns return the result of the work", async () => {
  expect(atOnce(steps(10, 1, () => undefined))).toBe("done");
  expect(
    await inTurns(
      steps(10, 1e6, () => undefined),
      { signal: undefined, clock: standing, bytes: 1 },
    ),
  ).toBe("done");
});

test("work yields after a number of units, and after a few milliseconds", async () => {
  for (const [units, tick, most] of [
    [64 * 1024, 0, 4],
    [1, 5, 2],
  ] as const) {
    let now = 0;
    let turn = 0;
    const turns: number[] = [];
    const clock = { monotonic: () => now };
    const work = steps(20, units, () => {
      now += tick;
      turns.push(turn);
    });
    const result = inTurns(work, { signal: undefined, clock, bytes: 1 });
    let isOver = false;
    void result.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise(setImmediate);
      turn++;
    }
    const perTurn = turns.map((each) => turns.filter((other) => other === each).length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * most);
    expect(new Set(turns).size).toBeGreaterThan(2);
  }
});

test("concurrent work takes turns", async () => {
  const order: number[] = [];
  const all = [0, 1, 2, 3, 4].map((who) =>
    inTurns(
      steps(6, 1e6, () => order.push(who)),
      { signal: undefined, clock: standing, bytes: 1 },
    ),
  );
  await Promise.all(all);
  for (let round = 0; round < 6; round++) {
    expect(order.slice(round * 5, round * 5 + 5)).toEqual([0, 1, 2, 3, 4]);
  }
});

test("aborting the signal ends the work with the reason of the signal", async () => {
  const abort = new AbortController();
  let count = 0;
  const work = inTurns(
    steps(1_000, 1e6, () => count++),
    { signal: abort.signal, clock: standing, bytes: 1 },
  );
  await nextTurn();
  abort.abort(new Error("gone"));
  await expect(work).rejects.toThrow("gone");
  expect(count).toBeLessThan(10);
});

test("an error of the work is thrown to the caller", async () => {
  const work = steps(10, 1e6, (step) => {
    if (step === 3) throw new RangeError("three");
  });
  await expect(inTurns(work, { signal: undefined, clock: standing, bytes: 1 })).rejects.toThrow(RangeError);
});
