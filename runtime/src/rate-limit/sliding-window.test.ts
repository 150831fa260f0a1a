import fc from "fast-check";
import { expect, test } from "vitest";
import { SlidingWindow } from "./sliding-window.ts";

const LENGTH = 10;

function take(window: SlidingWindow, from: number, requests: number): number {
  const time = window.earliest(from, requests);
  window.add(time);
  return time;
}

test("a sliding window permits requests up to the limit immediately, and the next request once the first has left the window", () => {
  const window = new SlidingWindow(LENGTH);
  expect([0, 0, 3, 3, 3].map((from) => take(window, from, 2))).toEqual([0, 0, 10, 10, 20]);
  expect(take(window, 31, 2)).toBe(31);
});

test("a sliding window permits a request in a gap before reserved requests", () => {
  const window = new SlidingWindow(LENGTH);
  window.add(50);
  expect(take(window, 0, 1)).toBe(0);
  expect(take(window, 5, 1)).toBe(10);
  expect(take(window, 41, 1)).toBe(60);
});

test("a sliding window releases reservations, and drops old requests", () => {
  const window = new SlidingWindow(LENGTH);
  for (let count = 0; count < 3; count++) take(window, 0, 1);
  window.remove(10);
  expect(take(window, 0, 1)).toBe(10);
  window.remove(7);
  window.forget(15);
  expect(window.empty).toBe(false);
  window.forget(30);
  expect(window.empty).toBe(true);
  window.remove(20);
  expect(take(window, 30, 1)).toBe(30);
});

test("a sliding window stays small after any number of requests", () => {
  const window = new SlidingWindow(LENGTH);
  for (let now = 0; now < 10_000; now++) {
    window.forget(now);
    take(window, now, 1000);
  }
  expect((window as unknown as { times: number[] }).times.length).toBeLessThan(1100);
});

test("a sliding window is never overfilled, and delays no request longer than necessary", () => {
  const step = fc.record({ wait: fc.nat(6), ahead: fc.nat(30), back: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (requests, steps) => {
      const window = new SlidingWindow(LENGTH);
      let taken: number[] = [];
      let now = 0;
      for (const { wait, ahead, back } of steps) {
        now += wait;
        window.forget(now);
        const time = window.earliest(now + ahead, requests);
        for (let earlier = now + ahead; earlier < time; earlier++) {
          expect(fits([...taken, earlier], requests)).toBe(false);
        }
        expect(fits([...taken, time], requests)).toBe(true);
        if (back) continue;
        window.add(time);
        taken = [...taken, time];
      }
    }),
  );
});

function fits(times: readonly number[], requests: number): boolean {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.every(
    (time, index) => (sorted[index + requests] ?? Number.POSITIVE_INFINITY) - time >= LENGTH,
  );
}
