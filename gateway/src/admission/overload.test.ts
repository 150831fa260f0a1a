import { expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { OverloadMonitor } from "./overload.ts";
import type { Load } from "./process-load.ts";

const limits = withDefaultLimits({ eventLoopDelayMs: 100, heapPercent: 90 });

function monitor(loads: readonly Load[]) {
  const left = [...loads];
  const watched = new OverloadMonitor(limits, () => left.shift() ?? { eventLoopDelayMs: 0, heapPercent: 0 });
  const next = () => {
    watched.sample();
    return watched.current;
  };
  watched.stop();
  return next;
}

test("an event loop that is late for a second is an overload, a hiccup is none", () => {
  const loads = [390, 0, 0, 0, 120, 120, 120, 120, 0].map((eventLoopDelayMs) => ({
    eventLoopDelayMs,
    heapPercent: 10,
  }));
  const next = monitor(loads);
  const seen = loads.map(() => next()?.limit);
  expect(seen).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    "eventLoopDelayMs",
    undefined,
  ]);
});

test("a full heap is an overload until it is emptier", () => {
  const next = monitor([
    { eventLoopDelayMs: 0, heapPercent: 90 },
    { eventLoopDelayMs: 0, heapPercent: 95.4 },
    { eventLoopDelayMs: 0, heapPercent: 50 },
  ]);
  expect(next()).toBeUndefined();
  expect(next()).toEqual({
    limit: "heapPercent",
    text: "the gateway is overloaded: 95 % of the heap in use, the limit heapPercent is 90",
  });
  expect(next()).toBeUndefined();
});

test("this very process can be read", () => {
  const watched = new OverloadMonitor(withDefaultLimits());
  watched.sample();
  watched.sample();
  expect(watched.current).toBeUndefined();
  watched.stop();
});
