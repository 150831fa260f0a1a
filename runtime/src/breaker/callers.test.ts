import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connectError, restError } from "../errors/rest-error.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Breaker, type BreakerReport } from "./breaker.ts";
import { BREAKER_DEFAULTS } from "./breaker-options.ts";

const PLACE = { upstream: "things", origin: "http://things.test" };
const POISONED = connectError(Code.Internal, "no", "NO", {
  domain: "things",
  metadata: { http_status: "500" },
});
const DOWN = restError("UPSTREAM_RESET", { upstream: "things" });
const LATE = restError("DEADLINE_EXCEEDED", { method: "m", limit: "1 ms" });

/** A breaker on a fake clock, and whether requests through it are refused. */
class Tested {
  readonly clock = new FakeClock();
  readonly reports: BreakerReport[] = [];
  readonly breaker = new Breaker(PLACE, BREAKER_DEFAULTS, this.clock, (report) => this.reports.push(report));

  /** One request; false where it was refused. */
  request(caller: string, error?: unknown, { ms = 1, method = "m" } = {}): boolean {
    try {
      const permit = this.breaker.admit({ caller, method });
      permit.sent();
      this.clock.advance(ms);
      permit.end(error);
      return true;
    } catch {
      return false;
    }
  }

  /** The last state of the circuit of all that was reported. */
  get state(): string {
    return this.reports.findLast(({ caller }) => caller === undefined)?.state ?? "closed";
  }

  /** What was reported of circuits of single callers. */
  get ofCallers(): string[] {
    return this.reports.flatMap(({ caller, state, cooldownMs }) =>
      caller === undefined ? [] : [`${caller} ${state}${cooldownMs === undefined ? "" : ` ${cooldownMs}`}`],
    );
  }
}

const step = fc.record({
  poison: fc.boolean(),
  others: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
  pauseMs: fc.oneof(fc.nat(50), fc.nat(20_000)),
});

test("one caller whose requests fail is refused alone, whenever it comes and however often", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 150 }), fc.boolean(), (steps, isDown) => {
      const tested = new Tested();
      for (const { poison, others, pauseMs } of steps) {
        if (poison) tested.request("poisoner", isDown ? DOWN : POISONED);
        for (const other of others) expect(tested.request(other)).toBe(true);
        tested.clock.advance(pauseMs);
      }
      expect(tested.request("a")).toBe(true);
      expect(tested.state).toBe("closed");
    }),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("the circuit of a caller is reported when it opens and when it closes, once each", () => {
  const tested = new Tested();
  for (let i = 0; i < 100; i++) {
    tested.request("poisoner", POISONED);
    tested.request("other");
  }
  expect(tested.ofCallers).toEqual([`poisoner open ${BREAKER_DEFAULTS.cooldownMs}`]);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  expect(tested.request("poisoner")).toBe(true);
  expect(tested.ofCallers.slice(1)).toEqual(["poisoner closed"]);
  expect(tested.state).toBe("closed");
});

test("a caller whose requests fail is spared the upstream, and the upstream is spared them", () => {
  const tested = new Tested();
  let sent = 0;
  for (let i = 0; i < 1000; i++) {
    if (tested.request("poisoner", POISONED)) sent++;
    expect(tested.request("other")).toBe(true);
  }
  expect(sent).toBeLessThanOrEqual(BREAKER_DEFAULTS.failures + 1);
});

test("a caller that is refused alone is served again when its requests succeed", () => {
  const tested = new Tested();
  for (let i = 0; i < 10; i++) {
    tested.request("other");
    tested.request("poisoner", POISONED);
  }
  expect(tested.request("poisoner")).toBe(false);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  expect(tested.request("poisoner")).toBe(true);
  for (let i = 0; i < 4; i++) expect(tested.request("poisoner")).toBe(true);
});

test("an upstream that fails for all is left alone, whoever calls and in what order", () => {
  const callers = fc.array(fc.constantFrom("a", "b", "c", "d"), { minLength: 60, maxLength: 120 });
  fc.assert(
    fc.property(
      callers,
      fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 40 }),
      (order, before) => {
        const tested = new Tested();
        for (const caller of before) tested.request(caller);
        let sent = 0;
        for (const caller of order) if (tested.request(caller, DOWN)) sent++;
        // a few of each caller, for all that have come
        expect(sent).toBeLessThanOrEqual(BREAKER_DEFAULTS.failures * 4 + BREAKER_DEFAULTS.window);
        for (const caller of new Set(order.slice(-20))) expect(tested.request(caller, DOWN)).toBe(false);
      },
    ),
    { interruptAfterTimeLimit: 3000 },
  );
});

test("an upstream that fails for many callers with a request each is left alone, and taken back", () => {
  const tested = new Tested();
  for (let i = 0; i < 10; i++) tested.request(`caller ${i}`, DOWN);
  expect([tested.state, tested.request("another")]).toEqual(["open", false]);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  expect(tested.request("another")).toBe(true);
  expect([tested.state, tested.request("caller 1")]).toEqual(["closed", true]);
});

test("an upstream that fails for its only caller is left alone, and others find out whether it works for them", () => {
  const tested = new Tested();
  for (let i = 0; i < 5; i++) tested.request("lone", DOWN);
  expect([tested.state, tested.request("lone")]).toEqual(["open", false]);
  expect([tested.request("other"), tested.state]).toEqual([true, "closed"]);
  expect(tested.request("lone")).toBe(false);
  const dead = new Tested();
  for (let i = 0; i < 5; i++) dead.request("lone", DOWN);
  for (let i = 0; i < 5; i++) expect(dead.request("other", DOWN)).toBe(true);
  expect([dead.state, dead.request("other"), dead.request("third")]).toEqual(["open", false, false]);
});

test("a caller whose requests fail anyway does not keep a circuit open with its probes", () => {
  const tested = new Tested();
  for (let i = 0; i < 10; i++) tested.request(`caller ${i}`, DOWN);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  expect(tested.request("poisoner", POISONED)).toBe(true);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  expect(tested.request("poisoner", POISONED)).toBe(false);
  expect([tested.request("other"), tested.state]).toEqual([true, "closed"]);
});

test("deadlines below what a method usually takes say nothing about the upstream, and those far above it do", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 5000 }), fc.integer({ min: 1, max: 100 }), (usual, percent) => {
      const tested = new Tested();
      for (let i = 0; i < 20; i++) tested.request("slow", undefined, { ms: usual });
      const ms = Math.floor((usual * percent) / 100);
      for (let i = 0; i < 100; i++) {
        for (const caller of ["hasty", "hastier"]) expect(tested.request(caller, LATE, { ms })).toBe(true);
      }
      expect(tested.state).toBe("closed");
      for (let i = 0; i < 20; i++) {
        for (const caller of ["a", "b"]) tested.request(caller, LATE, { ms: usual * 3 });
      }
      expect(tested.state).toBe("open");
    }),
    { numRuns: 50 },
  );
});

test("a method that is slow is not late by what another usually takes", () => {
  const tested = new Tested();
  for (let i = 0; i < 50; i++) tested.request("a", undefined, { ms: 5, method: "fast" });
  for (let i = 0; i < 50; i++) tested.request("a", undefined, { ms: 3000, method: "slow" });
  for (let i = 0; i < 50; i++) {
    for (const caller of ["a", "b"]) tested.request(caller, LATE, { ms: 2000, method: "slow" });
  }
  expect(tested.state).toBe("closed");
});
