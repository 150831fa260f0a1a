import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connectError, restError } from "../errors/rest-error.ts";
import { retryInfo } from "../errors/retry-info.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { type FailedAttempt, Retrier } from "./retrier.ts";
import { RetryBudget } from "./retry-budget.ts";
import { RETRY_DEFAULTS, type RetrySettings } from "./retry-options.ts";
import { WaitAllowance } from "./wait-allowance.ts";

const UPSTREAM = "things";

/** The random number that the fake clock returns: a little more than 0xab/0x100. */
const CHANCE = 0xabababab / 2 ** 32;

function retrier(settings: Partial<RetrySettings> = {}, clock = new FakeClock()): Retrier {
  return new Retrier({ ...RETRY_DEFAULTS, ...settings }, clock);
}

function attempt(error: unknown, more: Partial<FailedAttempt> = {}): FailedAttempt {
  const allowance = new WaitAllowance(Number.POSITIVE_INFINITY);
  return { error, attempts: 1, idempotent: true, expiresAt: undefined, allowance, ...more };
}

function responded(status: number, code: Code, delayMs?: number): ConnectError {
  const details = delayMs === undefined ? [] : [retryInfo(delayMs)];
  const metadata = { http_status: String(status) };
  return connectError(code, "no", "NO", { domain: UPSTREAM, metadata, details });
}

const unreachable = restError("UPSTREAM_UNREACHABLE", { upstream: UPSTREAM, problem: "ECONNREFUSED" });
const reset = restError("UPSTREAM_RESET", { upstream: UPSTREAM });
const unavailable = responded(503, Code.Unavailable);

const timeout = restError("UPSTREAM_TIMEOUT", { upstream: UPSTREAM, part: "the head", limit: 1 });
test.each<[string, unknown, boolean, boolean]>([
  ["no connection", unreachable, true, true],
  ["a closed connection", reset, true, false],
  ["a truncated body", restError("UPSTREAM_TRUNCATED", { upstream: UPSTREAM }), true, false],
  ["502", responded(502, Code.Unavailable), true, false],
  ["503", unavailable, true, false],
  ["a 503 with a delay", responded(503, Code.Unavailable, 10), true, false],
  ["a 429 with a delay", responded(429, Code.ResourceExhausted, 10), true, false],
  ["a 429 without a delay", responded(429, Code.ResourceExhausted), false, false],
  ["a response that a rule maps to UNAVAILABLE", responded(200, Code.Unavailable), true, false],
  ["a response that a rule maps to NOT_FOUND", responded(503, Code.NotFound), false, false],
  ["500", responded(500, Code.Internal), false, false],
  ["504", responded(504, Code.DeadlineExceeded), false, false],
  ["404", responded(404, Code.NotFound), false, false],
  ["an upstream's time limit", timeout, false, false],
  ["another protocol", restError("UPSTREAM_NOT_HTTP", { upstream: UPSTREAM }), false, false],
  ["an open circuit", restError("UPSTREAM_CIRCUIT_OPEN", { upstream: UPSTREAM, delay: 1 }), false, false],
  ["a closed upstream", restError("UPSTREAM_CLOSED", { upstream: UPSTREAM }), false, false],
  ["UNAVAILABLE from a credentials function", new ConnectError("no", Code.Unavailable), false, false],
  ["a cancellation", restError("CANCELED", { method: "m" }), false, false],
  ["an error that is not a ConnectError", new Error("no"), false, false],
])("retries: %s", (_what, error, idempotent, other) => {
  expect(retrier().delay(attempt(error)) !== undefined).toBe(idempotent);
  expect(retrier().delay(attempt(error, { idempotent: false })) !== undefined).toBe(other);
});

test("there are at most three attempts by default, and two for a request that is not idempotent", () => {
  const limits = [true, false].map((idempotent) =>
    [1, 2, 3].map(
      (attempts) => retrier().delay(attempt(unreachable, { idempotent, attempts })) !== undefined,
    ),
  );
  expect(limits).toEqual([
    [true, true, false],
    [true, false, false],
  ]);
  expect(retrier({ attempts: 1 }).delay(attempt(unreachable))).toBeUndefined();
});

test("the delay before the next attempt is random, below a limit that doubles up to its maximum", () => {
  const policy = retrier({ attempts: 10, maxDelayMs: 500, budget: 1 });
  const waits = [1, 2, 3, 4, 5].map((attempts) => policy.delay(attempt(unavailable, { attempts })));
  expect(waits).toEqual([100, 200, 400, 500, 500].map((span) => Math.round(span * CHANCE)));
});

test("the delay before the next attempt is never shorter than the upstream requests", () => {
  const told = responded(429, Code.ResourceExhausted, 7_000);
  expect(retrier().delay(attempt(told))).toBe(7_000 + Math.round(100 * CHANCE));
});

test("the delay before the next attempt is undefined if the deadline is earlier", () => {
  const clock = new FakeClock();
  const told = responded(429, Code.ResourceExhausted, 1_000);
  const within = (ms: number) =>
    retrier({}, clock).delay(attempt(told, { expiresAt: clock.monotonic() + ms }));
  expect(within(1_000)).toBeUndefined();
  expect(within(1_067)).toBeUndefined();
  expect(within(1_068)).toBe(1_067);
});

test("the delay before the next attempt follows all rules for any sequence of failures", () => {
  const clock = new FakeClock();
  fc.assert(
    fc.property(
      fc.nat(10_000),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(20_000),
      (toldMs, attempts, leftMs) => {
        const policy = retrier({ attempts: 10 }, clock);
        const error = responded(503, Code.Unavailable, toldMs);
        const wait = policy.delay(attempt(error, { attempts, expiresAt: clock.monotonic() + leftMs }));
        if (wait === undefined) return;
        expect(wait).toBeGreaterThanOrEqual(toldMs);
        expect(wait).toBeLessThan(leftMs);
        expect(wait).toBeLessThanOrEqual(toldMs + RETRY_DEFAULTS.maxDelayMs);
      },
    ),
  );
});

test("the retry budget permits at most 1.2 attempts per call while all calls fail", () => {
  const policy = retrier();
  let sent = 0;
  for (let call = 0; call < 100; call++) {
    let attempts = 1;
    while (policy.delay(attempt(unreachable, { attempts })) !== undefined) attempts++;
    sent += attempts;
  }
  expect(sent).toBe(110);
});

test("failures without a retry do not change the retry budget", () => {
  const policy = retrier();
  for (let call = 0; call < 100; call++) policy.delay(attempt(responded(404, Code.NotFound)));
  expect(policy.delay(attempt(unreachable))).toBeDefined();
});

test("retries never use more tokens than the initial tokens and the earned tokens", () => {
  fc.assert(
    fc.property(
      fc.array(fc.boolean()),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (steps, perSuccess) => {
        const budget = new RetryBudget(perSuccess);
        let left = Math.max(1, 50 * perSuccess) + 1e-9;
        for (const success of steps) {
          if (success) {
            budget.succeeded();
            left += perSuccess;
          } else if (budget.take()) left -= 1;
          expect(left).toBeGreaterThanOrEqual(0);
        }
      },
    ),
  );
});

test("successes refill the retry budget", () => {
  const budget = new RetryBudget(0.2);
  while (budget.take());
  for (let count = 0; count < 4; count++) budget.succeeded();
  expect(budget.take()).toBe(false);
  budget.succeeded();
  budget.succeeded();
  expect([budget.take(), budget.take()]).toEqual([true, false]);
});
