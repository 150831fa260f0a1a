import fc from "fast-check";
import { expect, test } from "vitest";
import { BodyBudget, type BudgetedBody } from "./body-budget.ts";

const MAX = 100;
const CHUNK = 30;

interface Known {
  readonly body: BudgetedBody;
  isPaused: boolean;
  isOver: boolean;
}

test("property: if the budget is exceeded, only the oldest body is read, and all bodies are read when there is room again", () => {
  fc.assert(
    fc.property(fc.array(fc.record({ index: fc.nat(9), act: fc.constantFrom("read", "end") })), (steps) => {
      const budget = new BodyBudget(MAX);
      const all: Known[] = Array.from({ length: 10 }, () => ({
        body: budget.begin(),
        isPaused: false,
        isOver: false,
      }));
      for (const { index, act } of steps) {
        const known = all[index];
        if (known === undefined || known.isOver) continue;
        if (act === "end") {
          known.isOver = true;
          known.body.release();
        } else if (!known.isPaused) {
          const flow = {
            pause: () => {
              known.isPaused = true;
            },
            resume: () => {
              known.isPaused = false;
            },
          };
          known.body.add(CHUNK, flow);
        }
        const left = all.filter(({ isOver }) => !isOver);
        if (left.length > 0) expect(left.some(({ isPaused }) => !isPaused)).toBe(true);
        expect(left[0]?.isPaused ?? false).toBe(false);
        // each body that is not paused has exceeded the budget by at most one chunk
        if (budget.held <= MAX - CHUNK) expect(left.filter(({ isPaused }) => isPaused)).toEqual([]);
      }
      for (const { body } of all) body.release();
      expect(budget.held).toBe(0);
    }),
  );
});

test("a completed body does not count towards the budget", () => {
  const budget = new BodyBudget(MAX);
  const body = budget.begin();
  body.release();
  body.add(CHUNK, { pause: () => expect.unreachable(), resume: () => expect.unreachable() });
  body.release();
  expect(budget.held).toBe(0);
});
