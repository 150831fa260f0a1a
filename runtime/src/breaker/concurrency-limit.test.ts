import fc from "fast-check";
import { expect, test } from "vitest";
import { BREAKER_DEFAULTS } from "./breaker-options.ts";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

const CALLERS = ["a", "b", "c", "d"] as const;
const { signal } = new AbortController();

/** A concurrency limit and its running requests. */
class Tested {
  readonly limit = new ConcurrencyLimit(BREAKER_DEFAULTS);
  readonly running: Array<{ readonly caller: string; readonly number: number }> = [];
  /** The callers of waiting requests, in order of arrival. */
  readonly waiting: string[] = [];
  readonly started: string[] = [];

  enter(caller: string, until: AbortSignal = signal): boolean {
    const entered = this.limit.enter(caller, () => until);
    if (typeof entered === "number") {
      this.running.push({ caller, number: entered });
      return true;
    }
    this.waiting.push(caller);
    entered.then(
      (number) => {
        this.waiting.splice(this.waiting.indexOf(caller), 1);
        this.running.push({ caller, number });
        this.started.push(caller);
      },
      () => this.waiting.splice(this.waiting.indexOf(caller), 1),
    );
    return false;
  }

  /** Ends a running request, and starts the waiting requests whose turn it is. */
  async leave(index: number, failed: boolean | undefined): Promise<void> {
    const [request] = this.running.splice(index % this.running.length, 1);
    if (request !== undefined) this.limit.leave(request.caller, request.number, failed);
    await settled();
  }

  runningOf(caller: string): number {
    return this.running.filter((each) => each.caller === caller).length;
  }

  /** Lowers the limit `rounds` times: each time, requests of several callers fail together. */
  async lower(rounds: number, callers: readonly string[] = CALLERS): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (let count = 0; count < 3; count++) for (const caller of callers) this.enter(caller);
      while (this.running.length > 0) await this.leave(0, true);
    }
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve();
}

const step = fc.record({
  caller: fc.constantFrom(...CALLERS),
  enters: fc.boolean(),
  index: fc.nat(50),
  failed: fc.constantFrom(true, true, false, undefined),
});

test("a caller without a running request may always send one, other requests wait for the limit, and all waiting requests start eventually", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 200, size: "max" }), async (steps) => {
      const tested = new Tested();
      for (const { caller, enters, index, failed } of steps) {
        if (enters || tested.running.length === 0) {
          const [hadNone, all] = [tested.runningOf(caller) === 0, tested.running.length];
          expect(tested.enter(caller)).toBe(hadNone || all < tested.limit.load.limit);
        } else {
          await tested.leave(index, failed);
        }
        const { limit, running, waiting: held } = tested.limit.load;
        expect(limit).toBeGreaterThanOrEqual(1);
        expect([running, held]).toEqual([tested.running.length, tested.waiting.length]);
        const waiting = new Set(tested.waiting);
        for (const each of waiting) expect(tested.runningOf(each)).toBeGreaterThan(0);
        if (waiting.size > 0) expect(tested.running.length).toBeGreaterThanOrEqual(tested.limit.load.limit);
      }
      while (tested.running.length > 0) await tested.leave(0, undefined);
      expect(tested.waiting).toEqual([]);
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("failures of several callers halve the number of concurrent requests, down to one, and later successes remove the limit", async () => {
  const tested = new Tested();
  await tested.lower(1);
  expect(tested.limit.load.limit).toBeLessThanOrEqual(6);
  await tested.lower(5);
  expect(tested.limit.load.limit).toBe(1);
  const seen = [1];
  for (let count = 0; count < 200 && Number.isFinite(tested.limit.load.limit); count++) {
    while (tested.running.length < 6 && tested.waiting.length === 0) tested.enter("a");
    await tested.leave(0, false);
    seen.push(tested.limit.load.limit);
  }
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  for (let count = 0; count < 100; count++) {
    tested.enter("b");
    while (tested.running.length > 0) await tested.leave(0, false);
  }
  expect(tested.limit.load.limit).toBe(Number.POSITIVE_INFINITY);
});

test("failures of one caller do not lower the limit, and a burst of failures lowers it only once", async () => {
  const alone = new Tested();
  await alone.lower(20, ["a"]);
  expect(alone.limit.load.limit).toBe(Number.POSITIVE_INFINITY);
  const burst = new Tested();
  for (let count = 0; count < 100; count++) for (const caller of CALLERS) burst.enter(caller);
  while (burst.running.length > 0) await burst.leave(0, true);
  expect(burst.limit.load.limit).toBeGreaterThan(150);
});

test("callers with waiting requests take turns, regardless of how many requests each has", async () => {
  const tested = new Tested();
  await tested.lower(8);
  for (const caller of CALLERS) tested.enter(caller);
  for (let count = 0; count < 9; count++) tested.enter("a");
  for (const caller of ["b", "c"]) tested.enter(caller);
  // no waiting request starts when d's request ends, since the running requests still exceed the limit
  await tested.leave(3, undefined);
  tested.enter("d");
  while (tested.running.length > 0) await tested.leave(0, undefined);
  expect(tested.started.slice(0, 4).sort().join("")).toMatch(/abc/);
});

test("a request that is aborted while it waits does not use a turn", async () => {
  const tested = new Tested();
  await tested.lower(8);
  tested.enter("a");
  const given = new AbortController();
  tested.enter("a", given.signal);
  tested.enter("a");
  given.abort(new Error("gone"));
  await settled();
  expect(tested.waiting).toEqual(["a"]);
  await tested.leave(0, undefined);
  expect([tested.running.length, tested.waiting]).toEqual([1, []]);
});
