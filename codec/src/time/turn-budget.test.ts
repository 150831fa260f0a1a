import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { TurnBudget } from "./turn-budget.ts";

test("an exhausted budget stays exhausted until the next turn of the event loop", async () => {
  for (const steps of [[10], [3, 3, 3, 1], [9, 1000], [0, 10], [1e9]]) {
    const budget = new TurnBudget(10);
    for (const units of steps) {
      expect(budget.isSpent).toBe(false);
      budget.spend(units);
    }
    expect(budget.isSpent).toBe(true);
    await Promise.resolve();
    expect(budget.isSpent).toBe(true);
    await setImmediate();
    expect(budget.isSpent).toBe(false);
  }
});

test("the unused budget of a turn is not carried over", async () => {
  const budget = new TurnBudget(10);
  budget.spend(9);
  await setImmediate();
  budget.spend(9);
  expect(budget.isSpent).toBe(false);
  budget.spend(1);
  expect(budget.isSpent).toBe(true);
});
