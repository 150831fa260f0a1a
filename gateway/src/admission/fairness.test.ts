import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clientKey } from "../call/client-key.ts";
import { withDefaultLimits } from "../limits.ts";
import { Admission, type UpstreamShare } from "./admission.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CAPACITY = 4;
/** The number of slots that a single caller may use; other callers use the rest. */
const PART = 3;
const MINUTE = 60_000;

/** The outcomes of one client's calls. */
interface Counted {
  started: number;
  done: number;
  rejected: number;
}

/** Simulates clients of an upstream with four slots, on a fake clock. */
class Simulation {
  readonly admission: Admission;
  readonly share: UpstreamShare = { upstream: "u", callsInFlight: CAPACITY };
  readonly counts = new Map<string, Counted>();
  /** The end times of calls, in order. */
  readonly ends: number[] = [];

  constructor(queueTimeoutMs = MINUTE) {
    const limits = withDefaultLimits({ queueTimeoutMs });
    this.admission = new Admission(limits, () => undefined, Date.now);
  }

  of(client: string): Counted {
    const counted = this.counts.get(client) ?? { started: 0, done: 0, rejected: 0 };
    this.counts.set(client, counted);
    return counted;
  }

  /** Makes a call that runs for a given time. */
  call(client: string, durationMs: number, over: () => void = () => undefined): void {
    const counted = this.of(client);
    const leave = this.admission.enter({
      client,
      deadlineAt: Date.now() + 100 * MINUTE,
      share: this.share,
      isUnary: true,
      run: () => {
        counted.started++;
        setTimeout(() => {
          counted.done++;
          this.ends.push(Date.now());
          leave();
          over();
        }, durationMs);
      },
      reject: () => {
        counted.rejected++;
        setTimeout(over, 1);
      },
    });
  }

  /** Simulates a client that constantly keeps a number of calls in flight. */
  hog(client: string, calls: number, durationMs: () => number): void {
    const again = () => this.call(client, durationMs(), again);
    for (let i = 0; i < calls; i++) again();
  }
}

const durations = fc.array(fc.integer({ min: 10, max: 500 }), { minLength: 1, maxLength: 20 });
const cycle = (list: readonly number[]) => {
  let at = 0;
  return () => list[at++ % list.length] ?? 1;
};

test("a single caller gets the full throughput of its slots, however many calls it makes", () => {
  fc.assert(
    fc.property(fc.integer({ min: CAPACITY, max: 60 }), fc.integer({ min: 10, max: 400 }), (calls, ms) => {
      const simulation = new Simulation();
      simulation.hog("lone", calls, () => ms);
      vi.advanceTimersByTime(10 * ms);
      expect(simulation.of("lone").done).toBe(10 * PART);
      expect(simulation.of("lone").rejected).toBe(0);
      vi.clearAllTimers();
    }),
    { numRuns: 50 },
  );
});

test("a second caller's call runs immediately, however many calls of the first caller wait", () => {
  fc.assert(
    fc.property(fc.integer({ min: CAPACITY, max: 500 }), durations, (calls, takes) => {
      const simulation = new Simulation();
      simulation.hog("first", calls, cycle(takes));
      simulation.call("second", 5);
      expect(simulation.of("second").started).toBe(1);
      vi.clearAllTimers();
    }),
    { numRuns: 50 },
  );
});

test("a third caller's call runs as soon as any call of the other two callers ends, however many of their calls wait", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: CAPACITY, max: 500 }),
      durations,
      fc.integer({ min: 1, max: 3000 }),
      (calls, takes, at) => {
        const simulation = new Simulation();
        simulation.hog("first", calls, cycle(takes));
        simulation.hog("second", calls, cycle(takes));
        vi.advanceTimersByTime(at);
        const ended = simulation.ends.length;
        simulation.call("third", 5);
        expect(simulation.of("third").started).toBe(0);
        while (simulation.ends.length === ended) vi.advanceTimersToNextTimer();
        expect(simulation.of("third").started).toBe(1);
        vi.clearAllTimers();
      },
    ),
    { numRuns: 50 },
  );
});

test("callers get about the same throughput, however many calls each of them makes", () => {
  const callers = fc.array(fc.integer({ min: CAPACITY, max: 100 }), { minLength: 2, maxLength: 6 });
  fc.assert(
    fc.property(callers, fc.integer({ min: 20, max: 200 }), (wanted, ms) => {
      const simulation = new Simulation();
      for (const [index, calls] of wanted.entries()) simulation.hog(String(index), calls, () => ms);
      vi.advanceTimersByTime(120 * ms);
      const done = wanted.map((_, index) => simulation.of(String(index)).done);
      const total = done.reduce((sum, each) => sum + each, 0);
      expect(total).toBe(120 * CAPACITY);
      // the first client to call has all slots until the other clients call
      for (const each of done) expect(each).toBeGreaterThan((0.85 * total) / wanted.length - CAPACITY);
      vi.clearAllTimers();
    }),
    { numRuns: 30 },
  );
});

test("callers use slots that others leave free, and no call waits while its caller may use a free slot", () => {
  const arrival = fc.record({
    client: fc.constantFrom("a", "b", "c"),
    ms: fc.integer({ min: 1, max: 300 }),
    pauseMs: fc.nat(100),
  });
  fc.assert(
    fc.property(fc.array(arrival, { maxLength: 80 }), (arrivals) => {
      const simulation = new Simulation();
      for (const { client, ms, pauseMs } of arrivals) {
        simulation.call(client, ms);
        const { running, queued } = simulation.admission;
        expect(running).toBeLessThanOrEqual(CAPACITY);
        if (queued > 0) expect(running).toBeGreaterThanOrEqual(PART);
        vi.advanceTimersByTime(pauseMs);
      }
      vi.advanceTimersByTime(MINUTE);
      for (const { started, done, rejected } of simulation.counts.values()) {
        expect([started, rejected]).toEqual([done, 0]);
      }
      expect([simulation.admission.running, simulation.admission.queued]).toEqual([0, 0]);
    }),
    { numRuns: 50 },
  );
});

test("the only call of a client is not rejected after queueTimeoutMs if running calls take longer than that", () => {
  const simulation = new Simulation(100);
  for (const client of ["first", "second"]) simulation.hog(client, CAPACITY, () => 5000);
  vi.advanceTimersByTime(500 * 5000);
  simulation.call("third", 5);
  vi.advanceTimersByTime(5000);
  expect(simulation.of("third")).toEqual({ started: 1, done: 0, rejected: 0 });
});

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8:0:0"],
  ["2001:DB8:0:0:1:2:3:4", "2001:db8:0:0"],
  ["2001:0db8:0000:0001::", "2001:db8:0:1"],
  ["::1", "0:0:0:0"],
  ["fe80::1:2:3:4", "fe80:0:0:0"],
  ["", ""],
])("the address %j has the client key %j", (address, key) => {
  expect(clientKey(address)).toBe(key);
});
