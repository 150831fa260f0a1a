import fc from "fast-check";
import { expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { OverloadMonitor } from "./overload.ts";
import type { Load } from "./process-load.ts";

const IDLE: Load = { eventLoopDelayMs: 0, heapPercent: 0 };
const limits = withDefaultLimits({ eventLoopDelayMs: 100, heapPercent: 90 });

function monitor(loads: readonly Load[]) {
  const left = [...loads];
  const watched = new OverloadMonitor(
    limits,
    () => left.shift() ?? IDLE,
    () => 0,
  );
  const next = () => {
    watched.sample();
    return watched.rejection();
  };
  watched.stop();
  return next;
}

test("an event loop that is delayed for a second counts as an overload, but a single delay does not", () => {
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

test("a full heap counts as an overload until memory is freed", () => {
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

const number = fc.double({ min: 0, max: 1, noNaN: true });

test("calls are rejected in proportion to the overload, and at most nine in ten", () => {
  const load = fc.record({
    eventLoopDelayMs: fc.oneof(fc.nat(1000), fc.nat(10_000_000)),
    heapPercent: fc.nat(100),
  });
  fc.assert(
    fc.property(load, fc.array(number, { minLength: 100, maxLength: 100 }), (busy, draws) => {
      const left = [...draws];
      const watched = new OverloadMonitor(
        limits,
        () => busy,
        () => left.shift() ?? 0,
      );
      for (let sample = 0; sample < 4; sample++) watched.sample();
      watched.stop();
      const { part } = watched;
      const isBeyond = busy.eventLoopDelayMs > 100 || busy.heapPercent > 90;
      expect(part > 0).toBe(isBeyond);
      expect(part).toBeLessThanOrEqual(0.9);
      if (busy.eventLoopDelayMs > 100) expect(part).toBe(Math.min(0.9, 1 - 100 / busy.eventLoopDelayMs));
      const rejected = draws.map(() => watched.rejection() !== undefined);
      expect(rejected).toEqual(draws.map((draw) => draw < part));
    }),
  );
});

test("half of the calls are rejected at a delay of twice the limit, and at a heap size halfway between the limit and full", () => {
  for (const busy of [
    { eventLoopDelayMs: 200, heapPercent: 0 },
    { eventLoopDelayMs: 0, heapPercent: 95 },
  ]) {
    const watched = new OverloadMonitor(limits, () => busy);
    for (let sample = 0; sample < 4; sample++) watched.sample();
    watched.stop();
    expect(watched.part).toBe(0.5);
  }
});

test("the monitor measures the current process by default", () => {
  const watched = new OverloadMonitor(withDefaultLimits());
  watched.sample();
  watched.sample();
  expect(watched.part).toBe(0);
  watched.stop();
});
