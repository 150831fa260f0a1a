import { Code } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { connectError, restError } from "../errors/rest-error.ts";
import { ExchangeFailed } from "../http/exchange.ts";
import { atOnce } from "../testing/at-once.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { exchangeError } from "../upstream/failure.ts";
import { resolveOptions } from "../upstream/options.ts";
import { ProxyFailed } from "../upstream/tunnel.ts";
import { Breaker, type BreakerReport } from "./breaker.ts";
import { BREAKER_DEFAULTS, type BreakerSettings } from "./breaker-options.ts";

const PLACE = { upstream: "things", origin: "http://things.test" };
const SETTINGS = resolveOptions("things", { baseUrl: PLACE.origin, credentials: {} });
const LATE = restError("DEADLINE_EXCEEDED", { method: "m", limit: "1 ms" });
const LEFT = restError("CANCELED", { method: "m" });

type Phase = "connecting" | "sent" | "responded";

/** Returns the error of a request whose connection fails in the given phase. */
function broken(phase: Phase, cause: unknown, client: "own" | "dispatcher" | "fetch" = "own") {
  const failed = new ExchangeFailed(cause, {
    sent: phase !== "connecting",
    responded: phase === "responded",
  });
  return exchangeError(failed, { upstream: "things", settings: SETTINGS, client });
}

function coded(code: string, extras: object = {}): Error {
  return Object.assign(new Error("no"), { code, ...extras });
}

function status(code: number): unknown {
  const meaning = code === 503 ? Code.Unavailable : code === 504 ? Code.DeadlineExceeded : Code.Internal;
  return connectError(meaning, "no", "NO", { domain: "things", metadata: { http_status: String(code) } });
}

type Kind = readonly [name: string, opens: "all" | "caller" | "nobody", error: unknown];

/** Failures of requests in each phase, and the circuit that each failure opens. */
const KINDS: readonly Kind[] = [
  ["an unknown host name", "all", broken("connecting", coded("ENOTFOUND"))],
  ["a temporary failure of the name lookup", "all", broken("connecting", coded("EAI_AGAIN"))],
  ["a rejected connection", "all", broken("connecting", coded("ECONNREFUSED"))],
  ["a connection that is reset immediately", "all", broken("connecting", coded("ECONNRESET"))],
  ["a connection timeout", "all", broken("connecting", coded("UND_ERR_CONNECT_TIMEOUT"))],
  ["an expired certificate", "all", broken("connecting", coded("CERT_HAS_EXPIRED"))],
  ["a TLS alert after the request", "all", broken("sent", coded("ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"))],
  ["an unreachable proxy", "all", broken("connecting", new ProxyFailed(undefined, coded("ECONNREFUSED")))],
  [
    "a proxy timeout",
    "all",
    broken("connecting", new ProxyFailed(undefined, coded("UND_ERR_CONNECT_TIMEOUT"))),
  ],
  ["a fetch with an unknown host name", "all", broken("sent", coded("ENOTFOUND"), "fetch")],
  [
    "a dispatcher with a connection timeout",
    "all",
    broken("sent", coded("ETIMEDOUT", { syscall: "connect" }), "dispatcher"),
  ],
  ["a reset", "caller", broken("sent", coded("ECONNRESET"))],
  ["a connection that ends", "caller", broken("sent", coded("UND_ERR_SOCKET"))],
  ["a response timeout", "caller", broken("sent", coded("UND_ERR_HEADERS_TIMEOUT"))],
  ["another protocol", "caller", broken("sent", coded("HPE_INVALID_CONSTANT"))],
  ["a fetch that is reset", "caller", broken("sent", coded("ECONNRESET"), "fetch")],
  ["a pause within the body", "caller", broken("responded", coded("UND_ERR_BODY_TIMEOUT"))],
  ["a truncated body", "caller", broken("responded", coded("ECONNRESET"))],
  ["500", "caller", status(500)],
  ["503", "caller", status(503)],
  ["504", "caller", status(504)],
  ["a deadline that others meet", "caller", LATE],
  ["headers that are too large", "nobody", broken("responded", coded("UND_ERR_HEADERS_OVERFLOW"))],
  ["404", "nobody", status(404)],
  ["no free file descriptor", "nobody", broken("connecting", coded("EMFILE"))],
  ["a caller that cancels", "nobody", LEFT],
  ["missing credentials", "nobody", new Error("no")],
];

const LONG_MS = 5_000;

/** A circuit breaker on a fake clock. `request` reports whether a request was permitted. */
class Tested {
  readonly clock = new FakeClock();
  readonly reports: BreakerReport[] = [];
  readonly breaker: Breaker;

  constructor(settings: Partial<BreakerSettings> = {}) {
    const all = { ...BREAKER_DEFAULTS, ...settings };
    this.breaker = new Breaker(PLACE, all, this.clock, (report) => this.reports.push(report));
  }

  /** Sends one request; returns false if it was rejected. */
  request(caller: string | undefined, error?: unknown, { ms = 1, method = "m", hops = 1 } = {}): boolean {
    try {
      const permit = atOnce(this.breaker.admit({ caller, method }));
      for (let hop = 0; hop < hops; hop++) permit.sent();
      this.clock.advance(ms);
      permit.end(error);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns the last reported state of a caller's circuit, or of the circuit of all callers. */
  state(of?: string): string {
    return this.reports.findLast(({ caller }) => caller === of)?.state ?? "closed";
  }
}

/** An independent model of which circuits must be open, from all outcomes of each circuit. */
class Model {
  private readonly outcomes = new Map<string, boolean[]>();
  private readonly opened = new Set<string>();

  /** Adds an outcome. The outcomes of a caller count from the first failure that is still in the window. */
  add(circuit: string, failed: boolean): void {
    const { failures, window, ratio } = BREAKER_DEFAULTS;
    const all = [...(this.outcomes.get(circuit) ?? []), failed].slice(-window);
    this.outcomes.set(circuit, circuit === "all" || all.includes(true) ? all : []);
    const inARow = all.slice(-failures).filter(Boolean).length === failures;
    const often = all.length === window && all.filter(Boolean).length >= ratio * window;
    if (failed && (inARow || often)) this.opened.add(circuit);
  }

  isOpen(circuit: string): boolean {
    return this.opened.has(circuit);
  }
}

const CALLERS = ["a", "b", "c"] as const;
const LASTING: Kind = ["success", "nobody", undefined];
const request = fc.record({
  caller: fc.constantFrom(...CALLERS),
  kind: fc.oneof(fc.constantFrom(...KINDS), fc.constant(LASTING)),
});

test("after random failures, the open circuits match an independent model", () => {
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 150, size: "max" }),
      fc.constantFrom(...KINDS),
      (mixed, more) => {
        const tested = new Tested({ cooldownMs: 10 ** 9, maxCooldownMs: 10 ** 9 });
        const model = new Model();
        // A run of one kind follows the random mixture, since otherwise circuits rarely open
        const runs = CALLERS.flatMap((caller) => Array.from({ length: 6 }, () => ({ caller, kind: more })));
        for (const { caller, kind } of [...mixed, ...runs]) {
          const [, opens, error] = kind;
          const isOpen = model.isOpen("all") || model.isOpen(caller);
          const usual = {
            method: `${caller} ${tested.reports.length}`,
            ms: LONG_MS * (error === LATE ? 1 : 0),
          };
          expect(tested.request(caller, error, usual)).toBe(!isOpen);
          if (isOpen) break;
          if (opens === "all") {
            model.add("all", true);
          } else if (opens === "caller" || error === undefined || kind[0] === "404" || isResponse(kind)) {
            if (error !== LATE) model.add("all", false);
            model.add(caller, opens === "caller");
          }
        }
        expect(tested.state() === "open").toBe(model.isOpen("all"));
        for (const each of CALLERS) expect(tested.state(each) === "open").toBe(model.isOpen(each));
      },
    ),
    { numRuns: 2000, interruptAfterTimeLimit: 4000 },
  );
});

function isResponse([name]: Kind): boolean {
  return name === "headers that are too large";
}

test.each(KINDS)(
  "after five requests with %s, the circuit of %s is open, or the circuit of all callers if there is only one caller",
  (_n, opens, error) => {
    const several = new Tested();
    for (let i = 0; i < 5; i++) several.request("one", error, { ms: LONG_MS });
    expect([several.state(), several.state("one")]).toEqual([
      opens === "all" ? "open" : "closed",
      opens === "caller" ? "open" : "closed",
    ]);
    expect(several.request("other")).toBe(opens !== "all");
    const single = new Tested();
    for (let i = 0; i < 5; i++) single.request(undefined, error, { ms: LONG_MS });
    expect(single.state()).toBe(opens === "nobody" ? "closed" : "open");
  },
);

const CHOSEN = KINDS.filter(([, opens]) => opens !== "all");
const attack = fc.record({
  attacker: fc.nat(40),
  kind: fc.constantFrom(...CHOSEN),
  ms: fc.nat(10_000),
  redirects: fc.boolean(),
});

test("failures that many callers can cause do not affect another caller", () => {
  const hop = broken("connecting", coded("ECONNREFUSED"));
  fc.assert(
    fc.property(fc.array(attack, { minLength: 1, maxLength: 300, size: "max" }), (attacks) => {
      const tested = new Tested();
      for (const { attacker, kind, ms, redirects } of attacks) {
        tested.request(`attacker ${attacker}`, redirects ? hop : kind[2], { ms, hops: redirects ? 2 : 1 });
        expect(tested.request("other")).toBe(true);
      }
      expect([tested.state(), tested.state("other")]).toEqual(["closed", "closed"]);
    }),
    { interruptAfterTimeLimit: 4000 },
  );
});

test("the circuit of a caller whose requests fail protects the upstream from that caller", () => {
  const tested = new Tested();
  let sent = 0;
  for (let i = 0; i < 1000; i++) {
    if (tested.request("poisoner", status(500))) sent++;
    expect(tested.request("other")).toBe(true);
  }
  expect(sent).toBeLessThanOrEqual(BREAKER_DEFAULTS.failures + 1);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  for (let i = 0; i < 4; i++) expect(tested.request("poisoner")).toBe(true);
});

test("an upstream that fails for all callers gets only a few requests of each caller", () => {
  const callers = fc.array(fc.constantFrom("a", "b", "c", "d"), {
    minLength: 60,
    maxLength: 120,
    size: "max",
  });
  fc.assert(
    fc.property(callers, (order) => {
      const tested = new Tested();
      const sent = new Map<string, number>();
      for (const caller of order) {
        if (tested.request(caller, status(503))) sent.set(caller, (sent.get(caller) ?? 0) + 1);
      }
      for (const count of sent.values()) expect(count).toBeLessThanOrEqual(BREAKER_DEFAULTS.failures);
    }),
  );
});

test("the report of a state change names the caller whose circuit changed", () => {
  const tested = new Tested();
  for (let i = 0; i < 100; i++) {
    tested.request("poisoner", status(500));
    tested.request("other");
  }
  const { cooldownMs } = BREAKER_DEFAULTS;
  expect(tested.reports).toEqual([{ ...PLACE, state: "open", cooldownMs, caller: "poisoner" }]);
  tested.clock.advance(cooldownMs);
  expect(tested.request("poisoner")).toBe(true);
  expect(tested.reports.slice(1)).toEqual([
    { ...PLACE, state: "half_open", cooldownMs: undefined, caller: "poisoner" },
    { ...PLACE, state: "closed", cooldownMs: undefined, caller: "poisoner" },
  ]);
});

test("an inconclusive probe does not delay other callers, whose probes find that the upstream has recovered", () => {
  const tested = new Tested();
  for (let i = 0; i < 5; i++) tested.request("a", broken("connecting", coded("ECONNREFUSED")));
  expect([tested.state(), tested.request("b")]).toEqual(["open", false]);
  tested.clock.advance(BREAKER_DEFAULTS.cooldownMs);
  const slow = atOnce(tested.breaker.admit({ caller: "slow" }));
  expect(tested.request("slow")).toBe(false);
  expect([tested.request("b"), tested.state(), tested.request("slow")]).toEqual([true, "closed", true]);
  slow.end(LATE);
});

test("a missed deadline is ignored if it was shorter than the method's usual latency, and opens the caller's circuit if it was much longer", () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 5000 }), fc.integer({ min: 1, max: 100 }), (usual, percent) => {
      const tested = new Tested();
      for (let i = 0; i < 20; i++) tested.request("slow", undefined, { ms: usual });
      const ms = Math.floor((usual * percent) / 100);
      for (let i = 0; i < 100; i++) {
        for (const caller of ["hasty", "hastier"]) expect(tested.request(caller, LATE, { ms })).toBe(true);
      }
      for (let i = 0; i < 20; i++) tested.request("a", LATE, { ms: usual * 3 });
      expect([tested.state(), tested.state("a"), tested.request("hasty")]).toEqual(["closed", "open", true]);
    }),
    { numRuns: 50 },
  );
});

test("a slow method is not judged by the usual latency of another method", () => {
  const tested = new Tested();
  for (let i = 0; i < 50; i++) tested.request("a", undefined, { ms: 5, method: "fast" });
  for (let i = 0; i < 50; i++) tested.request("a", undefined, { ms: 3000, method: "slow" });
  for (let i = 0; i < 50; i++) expect(tested.request("a", LATE, { ms: 2000, method: "slow" })).toBe(true);
});

test("requests beyond the limit wait for their turn, and are rejected if a circuit opens in the meantime", async () => {
  const tested = new Tested();
  const { signal } = new AbortController();
  const admit = (caller: string) => tested.breaker.admit({ caller, signal: () => signal });
  for (let round = 0; round < 12; round++) {
    const permits = ["a", "b", "c", "d"].map((caller) => atOnce(admit(`${caller} ${round}`)));
    for (const permit of permits) permit.sent();
    for (const permit of permits) permit.end(status(503));
  }
  const first = atOnce(admit("one"));
  const second = admit("one");
  expect(second).toBeInstanceOf(Promise);
  first.end(LEFT);
  (await second).end(LEFT);
  const running = atOnce(admit("two"));
  const rejected = Promise.resolve(admit("two")).catch((error: unknown) => error);
  for (let i = 0; i < 5; i++) tested.request(`of ${i}`, broken("connecting", coded("ENOTFOUND")));
  running.end(LEFT);
  expect(await rejected).toMatchObject({ code: Code.Unavailable });
});
