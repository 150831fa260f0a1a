import { Code } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { MethodRules, RateLimitRule } from "../adapter/rules.ts";
import type { Credentials } from "../credentials/credentials.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { createRest, type Rest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, respondingWithJson, sendJson, type TestServer } from "../testing/servers.ts";
import { thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import type { UpstreamOptions } from "../upstream/options.ts";
import { shareOf } from "./rate-limit-options.ts";
import { RateLimiter } from "./rate-limiter.ts";

const SERVERS: TestServer[] = [];
const OPEN: Rest[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

const limit = (rule: Partial<RateLimitRule>): RateLimitRule => ({
  requests: 1,
  windowMs: 1000,
  bucket: "b",
  perCredentials: false,
  ...rule,
});

async function setUp(rules: Partial<MethodRules>, upstream: UpstreamOptions = {}) {
  const clock = new FakeClock(Date.parse("2026-01-01T12:00:00Z"));
  const start = clock.now();
  const seen: number[] = [];
  const server = await httpUpstream((_request, response) => {
    seen.push(clock.now() - start);
    sendJson(response, {});
  });
  SERVERS.push(server);
  const rest = createRest({
    adapters: [thingService({ rules })],
    upstreams: { things: { baseUrl: server.url, ...upstream } },
    clock,
  });
  OPEN.push(rest);
  const call = (options: Parameters<Rest["call"]>[2] = {}) =>
    rest.call(thingAdapter({ rules }), thingRequest({ name: "a" }), options);
  return { clock, seen, call };
}

/**
 * Resolves when a call waits for its turn. The call then has a second timer, in addition to the timer of its
 * deadline.
 */
async function waiting(clock: FakeClock, timers: number): Promise<void> {
  while (clock.running < timers) await new Promise((resolve) => setImmediate(resolve));
}

test("a call waits for a known limit if its deadline allows it", async () => {
  const { clock, seen, call } = await setUp({ rateLimits: [limit({ requests: 2 })] });
  await call();
  await call();
  const third = call();
  await waiting(clock, 2);
  clock.advance(999);
  expect(seen).toEqual([0, 0]);
  clock.advance(1);
  await third;
  expect(seen).toEqual([0, 0, 1000]);
  expect(clock.running).toBe(0);
});

test("a call whose deadline is too near for a known limit is rejected immediately, without a request to the upstream", async () => {
  const { clock, seen, call } = await setUp({ rateLimits: [limit({})] });
  await call();
  clock.advance(100);
  const error = await failureOf(call({ timeoutMs: 900 }));
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.ThingService.GetThing: the rate limit of 1 requests per 1000 ms is reached; retry in 900 ms",
  );
  expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "LOCAL_RATE_LIMIT"]);
  expect(retryDelayOf(error)).toBe(900);
  expect(seen).toEqual([0]);
  const next = call({ timeoutMs: 901 });
  await waiting(clock, 2);
  clock.advance(900);
  await next;
  expect(seen).toEqual([0, 1000]);
});

test("a call waits for the next day if a known limit per calendar day is used up", async () => {
  const { clock, call } = await setUp({ rateLimits: [limit({ calendarDay: "UTC" })] });
  await call();
  const error = await failureOf(call());
  expect(error.rawMessage).toContain("the rate limit of 1 requests per day (UTC) is reached");
  expect(retryDelayOf(error)).toBe(12 * 3_600_000 + 10);
  clock.advance(12 * 3_600_000 + 10);
  await call();
});

test("several known limits apply together, and the error names the exhausted limit", async () => {
  const { clock, seen, call } = await setUp({
    rateLimits: [limit({ requests: 10, windowMs: 60_000 }), limit({ requests: 1, windowMs: 5000 })],
  });
  await call();
  const error = await failureOf(call({ timeoutMs: 10 }));
  expect(error.rawMessage).toContain("1 requests per 5000 ms");
  clock.advance(5000);
  await call();
  expect(seen).toEqual([0, 5000]);
});

test("a canceled call returns its slot of a known limit", async () => {
  const { clock, seen, call } = await setUp({ rateLimits: [limit({})] });
  await call();
  const controller = new AbortController();
  const canceled = failureOf(call({ signal: controller.signal }));
  await waiting(clock, 2);
  controller.abort();
  expect((await canceled).code).toBe(Code.Canceled);
  const next = call();
  await waiting(clock, 2);
  clock.advance(1000);
  await next;
  expect(seen).toEqual([0, 1000]);
});

test("a known limit applies per set of credentials if the rule says so", async () => {
  const credentials = ({ header }: { readonly header: Headers }): Credentials => ({
    oauth2: { accessToken: header.get("x-token") ?? "" },
  });
  for (const perCredentials of [true, false]) {
    const { seen, call } = await setUp(
      { credentials: ["oauth2"], rateLimits: [limit({ perCredentials })] },
      { credentials },
    );
    await call({ header: { "x-token": "one" }, timeoutMs: 500 });
    const other = call({ header: { "x-token": "two" }, timeoutMs: 500 }).catch(reasonOf);
    expect(await other).toEqual(perCredentials ? expect.anything() : "LOCAL_RATE_LIMIT");
    expect(reasonOf(await failureOf(call({ header: { "x-token": "one" }, timeoutMs: 500 })))).toBe(
      "LOCAL_RATE_LIMIT",
    );
    expect(seen).toHaveLength(perCredentials ? 2 : 1);
  }
});

test("known limits are not enforced if the options of the upstream disable them", async () => {
  const { seen, call } = await setUp({ rateLimits: [limit({})] }, { rateLimits: false });
  for (let count = 0; count < 3; count++) await call();
  expect(seen).toEqual([0, 0, 0]);
});

test("a known limit is reduced to the share of this process, and the error states the share", async () => {
  const { clock, seen, call } = await setUp(
    { rateLimits: [limit({ requests: 11 })] },
    { rateLimits: { share: 0.25 } },
  );
  await call();
  await call();
  const error = await failureOf(call({ timeoutMs: 10 }));
  expect(error.rawMessage).toContain("the rate limit of 2 requests per 1000 ms is reached");
  clock.advance(1000);
  await call();
  expect(seen).toEqual([0, 0, 1000]);
});

test.each([
  [60, 0.25, 15],
  [100, 0.29, 29],
  [100, 0.333, 33],
  [7, 1, 7],
  [3, 0.25, 1],
])("with a limit of %d requests, a share of %d allows %d requests", (requests, share, left) => {
  expect(shareOf(requests, share)).toBe(left);
});

test("a request that waits for a known limit is signed when it is sent", async () => {
  const clock = new FakeClock(1_000_000);
  const stamps: Array<string | undefined> = [];
  const server = await httpUpstream((request, response) => {
    stamps.push(/oauth_timestamp="(\d+)"/.exec(request.headers.authorization ?? "")?.[1]);
    sendJson(response, {});
  });
  SERVERS.push(server);
  const rules = { credentials: ["oauth1_client"], rateLimits: [limit({ windowMs: 5000 })] } as const;
  const credentials = { oauth1: { consumerKey: "k", consumerSecret: "s" } };
  const rest = createRest({
    adapters: [thingService({ rules })],
    upstreams: { things: { baseUrl: server.url, credentials } },
    clock,
  });
  OPEN.push(rest);
  const call = () => rest.call(thingAdapter({ rules }), thingRequest({ name: "a" }));
  await call();
  const second = call();
  await waiting(clock, 2);
  clock.advance(5000);
  await second;
  expect(stamps).toEqual(["1000", "1005"]);
});

test.each([
  [limit({ requests: 0 }), "expected a rate limit of at least one request, got 0"],
  [limit({ windowMs: 0 }), "expected a rate limit with a window, got 0 ms"],
  [limit({ calendarDay: "Mars/Base" }), 'expected a rate limit by a time zone, got "Mars/Base"'],
])("an invalid known limit is rejected when a transport is created: %#", async (rule, problem) => {
  const server = await respondingWithJson({});
  SERVERS.push(server);
  const error = await failureOf(() =>
    createRest({
      adapters: [thingService({ rules: { rateLimits: [rule] } })],
      upstreams: { things: { baseUrl: server.url } },
    }),
  );
  expect(error.rawMessage).toBe(`method test.v1.ThingService.GetThing: ${problem}`);
});

const { signal } = new AbortController();
const identity = () => "i";
const rejected = (limiter: RateLimiter, method: string, rule: RateLimitRule) =>
  limiter.admit({ method, rules: [rule], identity, signal, expiresAt: 0 }).then(
    () => false,
    () => true,
  );

test("methods that name the same bucket share it, and methods without a bucket have separate limits", async () => {
  const limiter = new RateLimiter("x", { share: 1 }, new FakeClock(0));
  expect(await rejected(limiter, "a", limit({ bucket: "one" }))).toBe(false);
  expect(await rejected(limiter, "b", limit({ bucket: "one" }))).toBe(true);
  expect(await rejected(limiter, "b", limit({ bucket: "two" }))).toBe(false);
  expect(await rejected(limiter, "a", limit({ bucket: "" }))).toBe(false);
  expect(await rejected(limiter, "b", limit({ bucket: "" }))).toBe(false);
  expect(await rejected(limiter, "a", limit({ bucket: "" }))).toBe(true);
});

test("a method that waits for a separate limit does not block a shared bucket", async () => {
  const clock = new FakeClock(0);
  const limiter = new RateLimiter("x", { share: 1 }, clock);
  const shared = limit({ bucket: "all", requests: 3, windowMs: 100 });
  const own = limit({ bucket: "slow", requests: 1, windowMs: 50_000 });
  const slow = { method: "slow", rules: [shared, own], identity, signal, expiresAt: undefined };
  await limiter.admit(slow);
  const waits = limiter.admit(slow);
  for (let count = 0; count < 2; count++) expect(await rejected(limiter, "quick", shared)).toBe(false);
  expect(await rejected(limiter, "quick", shared)).toBe(true);
  clock.advance(50_000);
  await waits;
});

test("a bucket for credentials that are no longer used is removed", async () => {
  const clock = new FakeClock(0);
  const limiter = new RateLimiter("x", { share: 1 }, clock);
  for (let caller = 0; caller < 5000; caller++) {
    const rules = [limit({ perCredentials: true })];
    await limiter.admit({ method: "m", rules, identity: () => String(caller), signal, expiresAt: 0 });
    clock.advance(10);
  }
  expect((limiter as unknown as { windows: Map<string, unknown> }).windows.size).toBeLessThan(1200);
});
