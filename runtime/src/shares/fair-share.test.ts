import fc from "fast-check";
import { expect, test } from "vitest";
import { FairShare } from "./fair-share.ts";

/** Lets callers take as much as they may, one caller after another. Returns the amount of each caller. */
function greedy(limit: number, callers: number): number[] {
  const share = new FairShare(() => limit);
  const names = Array.from({ length: callers }, (_, index) => String(index));
  for (const name of names) while (share.hasRoom(name)) share.add(name);
  return names.map((name) => share.heldBy(name));
}

test("one caller gets three quarters of a limit, and each further caller three quarters of the remaining amount", () => {
  expect(greedy(1024, 5)).toEqual([768, 192, 48, 12, 3]);
  expect(greedy(12_000, 3)).toEqual([9000, 2250, 563]);
});

test("one caller may take all of a limit of 1 or 2, and all but one of a limit of 3 or 4", () => {
  expect([1, 2, 3, 4].map((limit) => greedy(limit, 1))).toEqual([[1], [2], [2], [3]]);
});

const step = fc.record({
  caller: fc.constantFrom("a", "b", "c", "d", "e"),
  amount: fc.integer({ min: 1, max: 9 }),
  gives: fc.boolean(),
});

test("property: when a caller takes an amount, a third of the caller's total stays free, and the counts are exact", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(step, { maxLength: 100 }), (limit, steps) => {
      const share = new FairShare(() => limit);
      const held: Array<{ caller: string; amount: number }> = [];
      for (const { caller, amount, gives } of steps) {
        if (gives) {
          const last = held.pop();
          if (last !== undefined) share.remove(last.caller, last.amount);
        } else if (share.hasRoom(caller, amount)) {
          share.add(caller, amount);
          held.push({ caller, amount });
          expect(limit - share.total).toBeGreaterThanOrEqual(Math.floor(share.heldBy(caller) / 3));
        }
        const sum = held.reduce((all, each) => all + each.amount, 0);
        expect([share.total, share.callers]).toEqual([sum, new Set(held.map((each) => each.caller)).size]);
      }
    }),
  );
});

test("property: the caller that holds most loses first, and then holds at least as much as the winner", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom("a", "z"), (steps, winner) => {
      const share = new FairShare(() => 1);
      for (const { caller, amount } of steps) share.add(caller, amount);
      const most = Math.max(
        0,
        ...["a", "b", "c", "d", "e"].filter((each) => each !== winner).map((each) => share.heldBy(each)),
      );
      const loser = share.loser(winner);
      if (loser === undefined) {
        expect(most).toBeLessThanOrEqual(share.heldBy(winner) + 1);
      } else {
        expect(loser).not.toBe(winner);
        expect(share.heldBy(loser)).toBe(most);
        expect(share.heldBy(loser) - 1).toBeGreaterThanOrEqual(share.heldBy(winner) + 1);
      }
    }),
  );
});

test("if the caller that holds most has nothing to give back, the next caller loses", () => {
  const share = new FairShare(() => 10);
  share.add("a", 5);
  share.add("b", 4);
  expect(share.loser("c", 1, (caller) => caller !== "a")).toBe("b");
  expect(share.loser("c", 4)).toBe("a");
  expect(share.loser("c", 5)).toBeUndefined();
});
