import { Code, type ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connectError, reasonOf, restError } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { atOnce } from "../testing/at-once.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { Breaker, type BreakerReport, type Permit } from "./breaker.ts";
import { BREAKER_DEFAULTS, type BreakerSettings } from "./breaker-options.ts";

const place = { upstream: "things", origin: "http://things.test" };
const down = restError("UPSTREAM_RESET", { upstream: "things" });
const late = restError("DEADLINE_EXCEEDED", { method: "m", limit: "1 ms" });
const canceled = restError("CANCELED", { method: "m" });

function responded(status: number, code: Code): ConnectError {
  return connectError(code, "no", "NO", { domain: "things", metadata: { http_status: String(status) } });
}

class Tested {
  readonly clock = new FakeClock();
  readonly reports: BreakerReport[] = [];
  readonly breaker: Breaker;

  constructor(settings: Partial<BreakerSettings> = {}) {
    const all = { ...BREAKER_DEFAULTS, ...settings };
    this.breaker = new Breaker(place, all, this.clock, (report) => this.reports.push(report));
  }

  /** Sends requests that end immediately or after `ms`, with or without an error. */
  requests(count: number, error?: unknown, ms = 0): this {
    for (let index = 0; index < count; index++) {
      const permit = atOnce(this.breaker.admit());
      permit.sent();
      this.clock.advance(ms);
      permit.end(error);
    }
    return this;
  }

  /**
   * Returns the error of a rejected request, or undefined if the request is permitted. A permitted request
   * ends without a conclusion.
   */
  rejection(): ConnectError | undefined {
    try {
      atOnce(this.breaker.admit()).end(canceled);
      return undefined;
    } catch (error) {
      return error as ConnectError;
    }
  }

  get states(): unknown[] {
    return this.reports.map(({ state, cooldownMs }) => (state === "open" ? cooldownMs : state));
  }
}

test("a breaker opens after five consecutive failures", () => {
  const tested = new Tested().requests(4, down).requests(1).requests(4, down);
  expect(tested.reports).toEqual([]);
  tested.requests(1, down);
  expect(tested.reports).toEqual([{ ...place, state: "open", cooldownMs: 5_000 }]);
  const error = tested.rejection();
  expect(error?.rawMessage).toBe(
    "upstream things: the circuit is open after too many failures; retry in 5000 ms",
  );
  expect([error?.code, error && reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_CIRCUIT_OPEN"]);
  expect(error && retryDelayOf(error)).toBe(5_000);
  tested.clock.advance(1_500);
  const later = tested.rejection();
  expect(later && retryDelayOf(later)).toBe(3_500);
});

test("a breaker opens when half of the last twenty requests fail", () => {
  const tested = new Tested().requests(20);
  for (let pair = 0; pair < 9; pair++) tested.requests(1, down).requests(1);
  expect(tested.reports).toEqual([]);
  tested.requests(1, down);
  expect(tested.states).toEqual([5_000]);
});

test("a breaker does not apply the ratio to a few requests", () => {
  const tested = new Tested();
  for (let pair = 0; pair < 9; pair++) tested.requests(1, down).requests(1);
  expect(tested.reports).toEqual([]);
});

const unreachable = (cause: unknown) =>
  restError("UPSTREAM_UNREACHABLE", { upstream: "t", problem: "E" }, { cause });

test.each<[string, unknown, number, boolean]>([
  ["no connection", restError("UPSTREAM_UNREACHABLE", { upstream: "t", problem: "E" }), 0, true],
  [
    "the upstream's time limit",
    restError("UPSTREAM_TIMEOUT", { upstream: "t", part: "p", limit: 1 }),
    0,
    true,
  ],
  ["another protocol", restError("UPSTREAM_NOT_HTTP", { upstream: "t" }), 0, true],
  ["500", responded(500, Code.Internal), 0, true],
  ["503", responded(503, Code.Unavailable), 0, true],
  ["504", responded(504, Code.DeadlineExceeded), 0, true],
  ["599", responded(599, Code.Unknown), 0, true],
  ["501", responded(501, Code.Unimplemented), 0, false],
  ["a 500 that a rule maps to NOT_FOUND", responded(500, Code.NotFound), 0, false],
  ["404", responded(404, Code.NotFound), 0, false],
  ["408", responded(408, Code.DeadlineExceeded), 0, false],
  ["425", responded(425, Code.Unavailable), 0, false],
  ["429", responded(429, Code.ResourceExhausted), 0, false],
  [
    "a response that is not JSON",
    restError("UPSTREAM_BODY_NOT_JSON", { upstream: "t", status: 200, got: "x" }),
    0,
    false,
  ],
  ["a deadline", late, 1_000, true],
  ["a deadline that may have been too short", late, 999, false],
  ["a cancellation", canceled, 1_000, false],
  ...["EMFILE", "ENFILE", "EADDRNOTAVAIL", "ENOBUFS", "ENOMEM"].flatMap(
    (code): [string, unknown, number, boolean][] => {
      const system = Object.assign(new Error(code), { code });
      const causes = { alone: system, "for each address": new AggregateError([system, system]) };
      return Object.entries(causes).flatMap(([way, cause]): [string, unknown, number, boolean][] => [
        [`${code} here, ${way}`, unreachable(cause), 0, false],
        [`${code} here, ${way}, within another`, unreachable(new Error("x", { cause })), 0, false],
      ]);
    },
  ),
  ["ECONNREFUSED", unreachable(Object.assign(new Error("x"), { code: "ECONNREFUSED" })), 0, true],
  ["a limit of the runtime", restError("LOCAL_RATE_LIMIT", { upstream: "t" }), 0, false],
])("a breaker counts only failures of the upstream: %s", (_what, error, ms, opens) => {
  expect(new Tested().requests(100 * (opens ? 0 : 1), error, ms).reports).toEqual([]);
  expect(new Tested().requests(5, error, ms).states).toEqual(opens ? [5_000] : []);
});

test("a breaker ignores a deadline that passes before the request is sent", () => {
  const tested = new Tested();
  for (let index = 0; index < 10; index++) {
    const permit = atOnce(tested.breaker.admit());
    tested.clock.advance(1_000);
    permit.end(late);
  }
  expect(tested.reports).toEqual([]);
});

test("a breaker permits one probe after the cooldown, and all requests after its success", () => {
  const tested = new Tested().requests(5, down);
  tested.clock.advance(4_999);
  expect(tested.rejection()).toBeDefined();
  tested.clock.advance(1);
  const probe = atOnce(tested.breaker.admit());
  const rejection = tested.rejection();
  expect(rejection && retryDelayOf(rejection)).toBe(1_000);
  probe.sent();
  probe.end(undefined);
  expect(tested.states).toEqual([5_000, "half_open", "closed"]);
  tested.requests(4, down);
  expect(tested.rejection()).toBeUndefined();
});

test("a breaker doubles the cooldown up to a minute, and resets it after a success", () => {
  const tested = new Tested().requests(5, down);
  for (let probe = 0; probe < 5; probe++) {
    tested.clock.advance(60_000);
    tested.requests(1, down);
  }
  const times = tested.states.filter((state) => typeof state === "number");
  expect(times).toEqual([5_000, 10_853, 23_558, 51_135, 60_000, 60_000]);
  tested.clock.advance(60_000);
  tested.requests(1).requests(5, down);
  expect(tested.states.at(-1)).toBe(5_000);
});

test("a breaker sends another probe after an inconclusive probe", () => {
  const tested = new Tested().requests(5, down);
  tested.clock.advance(5_000);
  atOnce(tested.breaker.admit()).end(canceled);
  tested.requests(1);
  expect(tested.states.at(-1)).toBe("closed");
});

test("a breaker does not wait forever for the result of a probe", () => {
  const tested = new Tested().requests(5, down);
  tested.clock.advance(5_000);
  const lost = atOnce(tested.breaker.admit());
  lost.sent();
  tested.clock.advance(5_000);
  tested.requests(1);
  expect(tested.states.at(-1)).toBe("closed");
  lost.end(down);
  tested.requests(4, down);
  expect(tested.states.at(-1)).toBe("closed");
});

test("a breaker ignores requests that began before it opened", () => {
  const tested = new Tested();
  const old = atOnce(tested.breaker.admit());
  old.sent();
  tested.requests(5, down);
  old.end(undefined);
  expect(tested.rejection()).toBeDefined();
});

test("a breaker permits only one probe at a time, regardless of the number and the times of requests", () => {
  const outcome = fc.constantFrom(undefined, down, late, canceled);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(200_000), fc.integer({ min: 1, max: 9 }), outcome)), (rounds) => {
      const tested = new Tested().requests(5, down);
      for (const [ms, callers, error] of rounds) {
        tested.clock.advance(ms);
        if (tested.reports.at(-1)?.state === "closed") tested.requests(5, down);
        const probes = Array.from({ length: callers }, () => admitted(tested.breaker));
        const [probe, ...others] = probes.filter((permit) => permit !== undefined);
        expect(others).toEqual([]);
        probe?.sent();
        probe?.end(error);
      }
      for (const { cooldownMs = 0 } of tested.reports) expect(cooldownMs).toBeLessThanOrEqual(60_000);
    }),
  );
});

function admitted(breaker: Breaker): Permit | undefined {
  try {
    return atOnce(breaker.admit());
  } catch {
    return undefined;
  }
}
