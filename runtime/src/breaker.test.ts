import { Code, createClient } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { BreakerReport } from "./breaker/breaker.ts";
import type { CallReport, RestOptions } from "./call/options.ts";
import { reasonOf } from "./errors/rest-error.ts";
import { retryDelayOf } from "./errors/retry-info.ts";
import { createRest, type Rest } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { httpUpstream, sendJson, type TestServer } from "./testing/servers.ts";
import { StreamService, streamService, watchAdapter } from "./testing/stream-service.ts";
import { thingAdapter, thingRequest, thingService } from "./testing/thing-service.ts";
import type { UpstreamOptions } from "./upstream/options.ts";

let server: TestServer | undefined;
let rest: Rest | undefined;
afterEach(async () => {
  await rest?.close();
  await server?.[Symbol.asyncDispose]();
});

/** A client and an upstream whose status the test sets. */
class Tested {
  status = 503;
  requests = 0;
  readonly clock = new FakeClock();
  readonly reports: BreakerReport[] = [];
  readonly calls: CallReport[] = [];

  async start(upstream: UpstreamOptions = {}, options: Partial<RestOptions> = {}): Promise<this> {
    server = await httpUpstream((_request, response) => {
      this.requests++;
      if (this.status === 200) {
        sendJson(response, []);
      } else {
        response.writeHead(this.status).end();
      }
    });
    rest = createRest({
      adapters: [thingService()],
      upstreams: { things: { baseUrl: server.url, retry: false, ...upstream } },
      clock: this.clock,
      onBreaker: (report) => {
        this.reports.push(report);
        throw new Error("a listener that fails");
      },
      onCall: (report) => this.calls.push(report),
      ...options,
    });
    return this;
  }

  call(options: Parameters<Rest["call"]>[2] = {}) {
    if (rest === undefined) throw new Error("not started");
    return rest.call(thingAdapter(), thingRequest({ name: "a" }), options);
  }

  async fail(count: number): Promise<void> {
    for (let index = 0; index < count; index++) await failureOf(this.call());
  }
}

test("an open circuit fails calls without a request, then sends one probe, then closes", async () => {
  const tested = await new Tested().start();
  await tested.fail(5);
  const error = await failureOf(tested.call());
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_CIRCUIT_OPEN"]);
  expect(retryDelayOf(error)).toBe(5_000);
  expect(tested.requests).toBe(5);
  expect(tested.calls.at(-1)).toMatchObject({ attempts: 0, upstreamStatus: undefined, error });
  tested.status = 200;
  tested.clock.advance(5_000);
  await tested.call();
  await tested.call();
  expect(tested.requests).toBe(7);
  const origin = server?.url;
  expect(tested.reports).toEqual([
    { upstream: "things", origin, state: "open", cooldownMs: 5_000 },
    { upstream: "things", origin, state: "half_open", cooldownMs: undefined },
    { upstream: "things", origin, state: "closed", cooldownMs: undefined },
  ]);
});

test("an open circuit does not request credentials and does not call the observer", async () => {
  let asked = 0;
  const credentials = () => {
    asked++;
    return {};
  };
  const tested = await new Tested().start({ credentials }, { onRequest: () => void asked++ });
  await tested.fail(5);
  asked = 0;
  await failureOf(tested.call());
  expect(asked).toBe(0);
});

test("an upstream without a circuit breaker gets every request", async () => {
  const tested = await new Tested().start({ breaker: false });
  await tested.fail(30);
  expect(tested.requests).toBe(30);
});

test("the breaker options of an upstream replace the defaults", async () => {
  const tested = await new Tested().start({ breaker: { failures: 2, cooldownMs: 100 } });
  await tested.fail(4);
  expect(tested.requests).toBe(2);
  expect(tested.reports).toMatchObject([{ state: "open", cooldownMs: 100 }]);
});

test("a circuit that opens ends the retries of a call, and the call fails with the error of the upstream", async () => {
  const tested = await new Tested().start({ breaker: { failures: 2 }, retry: { attempts: 5 } });
  const call = failureOf(tested.call());
  for (const timers of [2, 2]) {
    await tested.clock.whenRunning(timers);
    tested.clock.advance(200);
  }
  expect(reasonOf(await call)).toBe("SERVICE_UNAVAILABLE");
  expect(tested.requests).toBe(2);
  expect(tested.calls).toMatchObject([{ attempts: 2 }]);
});

test("feeds respect an open circuit, and recover on their own", async () => {
  const tested = new Tested();
  const adapters = [streamService("watch", watchAdapter({ intervalMs: 1_000 }) as never)];
  await tested.start({ breaker: { failures: 1, cooldownMs: 90_000, maxCooldownMs: 90_000 } }, { adapters });
  if (rest === undefined) throw new Error("not started");
  const news = createClient(StreamService, rest.transport).watch({})[Symbol.asyncIterator]();
  const next = news.next().catch((reason: unknown) => reason);
  await tested.clock.whenRunning(1);
  tested.clock.advance(1_000);
  await tested.clock.whenRunning(1);
  expect(tested.requests).toBe(1);
  tested.clock.advance(88_999);
  expect(tested.clock.running).toBe(1);
  tested.clock.advance(1);
  await tested.clock.whenRunning(1);
  expect(tested.requests).toBe(2);
  await rest.close();
  await next;
});

test("failures of one base address do not open the circuit of another", async () => {
  const tested = await new Tested().start();
  const healthy = await httpUpstream((_request, response) => sendJson(response, { id: 1 }));
  const bases = { api: server?.url ?? "", web: healthy.url };
  const both = createRest({
    adapters: [thingService()],
    upstreams: { things: { bases, retry: false, breaker: { failures: 1 } } },
    clock: tested.clock,
  });
  const other = createRest({
    adapters: [thingService({ rules: { base: "web" } })],
    upstreams: { things: { bases, retry: false, breaker: { failures: 1 } } },
    clock: tested.clock,
  });
  const get = (target: Rest) => target.call(thingAdapter(), thingRequest({ name: "a" }));
  await failureOf(get(both));
  expect(reasonOf(await failureOf(get(both)))).toBe("UPSTREAM_CIRCUIT_OPEN");
  await get(other);
  await both.close();
  await other.close();
  await healthy[Symbol.asyncDispose]();
});
