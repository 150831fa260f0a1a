import type { RequestListener } from "node:http";
import { Code, createClient } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { CallReport, RestOptions } from "./call/options.ts";
import { connectError, infoOf, reasonOf } from "./errors/rest-error.ts";
import { retryDelayOf, retryInfo } from "./errors/retry-info.ts";
import { createRest, type Rest } from "./rest.ts";
import { RETRIED_STATUSES } from "./retry/retried-statuses.ts";
import { Retrier } from "./retry/retrier.ts";
import { RETRY_DEFAULTS } from "./retry/retry-options.ts";
import { WaitAllowance } from "./retry/wait-allowance.ts";
import { failureOf } from "./testing/failure.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import { closedPort, httpUpstream, rawUpstream, sendJson, type TestServer } from "./testing/servers.ts";
import {
  downloadAdapter,
  listAdapter,
  StreamService,
  streamService,
  uploadAdapter,
} from "./testing/stream-service.ts";
import {
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
} from "./testing/thing-service.ts";
import type { UpstreamOptions } from "./upstream/options.ts";

const OPEN: Rest[] = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

interface Setup {
  readonly variant?: ThingVariant;
  readonly upstream?: UpstreamOptions;
  readonly options?: Partial<RestOptions>;
}

interface Tested {
  readonly rest: Rest;
  readonly clock: FakeClock;
  readonly reports: CallReport[];
}

function restOf(baseUrl: string, { variant, upstream, options }: Setup = {}): Tested {
  const clock = new FakeClock();
  const reports: CallReport[] = [];
  const rest = createRest({
    adapters: [thingService(variant)],
    upstreams: { things: { baseUrl, ...upstream } },
    clock,
    onCall: (report) => reports.push(report),
    ...options,
  });
  OPEN.push(rest);
  return { rest, clock, reports };
}

/** Starts an upstream that behaves differently for each request. The last behavior repeats. */
async function inTurn(...listeners: RequestListener[]): Promise<TestServer> {
  const server = await httpUpstream((request, response) => {
    const listener = listeners.length > 1 ? listeners.shift() : listeners[0];
    listener?.(request, response);
  });
  SERVERS.push(server);
  return server;
}

const good: RequestListener = (_request, response) => sendJson(response, { id: 7 });
const responding =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end();
const hangUp: RequestListener = (request) => request.socket.destroy();

function get({ rest }: Tested, options: Parameters<Rest["call"]>[2] = {}) {
  return rest.call(thingAdapter(), thingRequest({ name: "a" }), options);
}

/**
 * Advances the clock by each wait of a call as soon as the wait begins. The deadline of the call runs at the
 * same time.
 */
async function passing<T>(clock: FakeClock, waits: readonly number[], call: Promise<T>): Promise<T> {
  for (const wait of waits) {
    await clock.whenRunning(2);
    clock.advance(wait);
  }
  return await call;
}

test.each([
  ["502", responding(502)],
  ["503", responding(503)],
  ["a closed connection", hangUp],
  [
    "a truncated body",
    ((_request, response) => {
      response.writeHead(200, { "content-length": "10" }).write("{");
      setImmediate(() => response.destroy());
    }) satisfies RequestListener,
  ],
])("a call succeeds at the next attempt after a temporary failure: %s", async (_what, failing) => {
  const tested = restOf((await inTurn(failing, good)).url);
  const { bytes } = await passing(tested.clock, [100], get(tested));
  expect(thingOf(bytes).id).toBe(7n);
  expect(tested.reports).toMatchObject([{ attempts: 2, upstreamStatus: 200, error: undefined }]);
  expect(tested.clock.running).toBe(0);
});

test("the wait before a retry is as long as the upstream requests", async () => {
  const told = responding(429, { "retry-after": "7" });
  const tested = restOf((await inTurn(told, good)).url);
  const call = get(tested, { timeoutMs: 60_000 });
  await tested.clock.whenRunning(2);
  tested.clock.advance(6_999);
  expect(tested.clock.running).toBe(2);
  tested.clock.advance(101);
  await call;
  expect(tested.reports).toMatchObject([{ attempts: 2, error: undefined }]);
});

test.each([
  [429, Code.ResourceExhausted],
  [503, Code.Unavailable],
])(
  "a call without a deadline fails immediately if an upstream with status %d requests a long delay",
  async (status, code) => {
    const tested = restOf((await inTurn(responding(status, { "retry-after": "2" }))).url);
    const error = await failureOf(get(tested));
    expect([error.code, retryDelayOf(error)]).toEqual([code, 2_000]);
    expect(tested.reports).toMatchObject([{ attempts: 1 }]);
  },
);

test("the total waiting time of a call without a deadline is limited", async () => {
  const tested = restOf((await inTurn(responding(429, { "retry-after": "1" }))).url);
  const error = await failureOf(passing(tested.clock, [1_100], get(tested)));
  expect(retryDelayOf(error)).toBe(1_000);
  expect(tested.reports).toMatchObject([{ attempts: 2 }]);
});

test("the total waiting time of a call without a deadline never exceeds the configured limit", async () => {
  const delays = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(delays, fc.integer({ min: 1, max: 5_000 }), async (told, maxTotalDelayMs) => {
      const clock = new FakeClock();
      const retrier = new Retrier({ ...RETRY_DEFAULTS, attempts: 10, budget: 1, maxTotalDelayMs }, clock);
      const allowance = new WaitAllowance(retrier.maxTotalDelayMs);
      let waited = 0;
      for (const [index, delayMs] of told.entries()) {
        const details = [retryInfo(delayMs)];
        const metadata = { http_status: "429" };
        const error = connectError(Code.ResourceExhausted, "no", "NO", {
          domain: "things",
          metadata,
          details,
        });
        const attempt = { error, attempts: index + 1, idempotent: true, expiresAt: undefined, allowance };
        waited += retrier.delay(attempt) ?? 0;
      }
      expect(waited).toBeLessThanOrEqual(maxTotalDelayMs);
    }),
  );
});

test("the retried statuses equal the statuses in the table of the documentation", async () => {
  for (const [row, seconds] of RETRIED_STATUSES.flatMap((row) => [
    [row, "0"] as const,
    [row, undefined] as const,
  ])) {
    const headers = seconds === undefined ? undefined : { "retry-after": seconds };
    const tested = restOf((await inTurn(responding(row.status, headers), good)).url);
    const isRetried = row.retried === "always" || (row.retried === "with a delay" && seconds !== undefined);
    await passing(tested.clock, isRetried ? [100] : [], get(tested)).catch(() => undefined);
    expect([row.status, seconds, tested.reports[0]?.attempts]).toEqual([
      row.status,
      seconds,
      isRetried ? 2 : 1,
    ]);
  }
});

test("if a rule sets the code for a status, the code decides whether the response is retried, e.g. for a 403 that is a rate limit", async () => {
  const told = responding(403, { "retry-after": "1" });
  const rule = { status: 403, header: { name: "retry-after" }, code: Code.ResourceExhausted };
  const plain = restOf((await inTurn(told, good)).url);
  expect((await failureOf(get(plain))).code).toBe(Code.PermissionDenied);
  const ruled = restOf((await inTurn(told, good)).url, { variant: { rules: { errors: [rule] } } });
  await passing(ruled.clock, [1_100], get(ruled));
  expect([plain, ruled].map(({ reports }) => reports[0]?.attempts)).toEqual([1, 2]);
});

test("a call whose deadline is too near for a retry fails immediately, and its error states the delay", async () => {
  const tested = restOf((await inTurn(responding(429, { "retry-after": "7" }))).url);
  const error = await failureOf(get(tested, { timeoutMs: 7_000 }));
  expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "TOO_MANY_REQUESTS"]);
  expect(infoOf(error)?.metadata).toEqual({ http_status: "429" });
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});

test("a call reports the number of attempts when all of them have failed", async () => {
  const tested = restOf((await inTurn(responding(503))).url);
  const error = await failureOf(passing(tested.clock, [100, 200], get(tested)));
  expect(error.rawMessage).toBe("upstream things responded with 503 Service Unavailable");
  expect(infoOf(error)?.metadata).toEqual({ http_status: "503", attempts: "3" });
  expect(tested.reports).toMatchObject([{ attempts: 3 }]);
});

test("all attempts of a call share one deadline", async () => {
  const clock = new FakeClock();
  const slow: RequestListener = () => clock.advance(600);
  const late: RequestListener = (_request, response) => {
    clock.advance(400);
    response.writeHead(503).end();
  };
  const tested = restOf((await inTurn(late, slow)).url, { options: { clock } });
  const error = await failureOf(passing(clock, [100], get(tested, { timeoutMs: 1_000 })));
  expect([error.code, reasonOf(error)]).toEqual([Code.DeadlineExceeded, "DEADLINE_EXCEEDED"]);
  expect(infoOf(error)?.metadata).toEqual({ attempts: "2" });
  expect(clock.running).toBe(0);
});

test("a call can be canceled while it waits for a retry", async () => {
  const controller = new AbortController();
  const tested = restOf((await inTurn(responding(503))).url);
  const call = failureOf(get(tested, { signal: controller.signal }));
  await tested.clock.whenRunning(2);
  controller.abort();
  expect((await call).code).toBe(Code.Canceled);
  expect(tested.clock.running).toBe(0);
});

test("a call ends if the upstream is closed while the call waits for a retry", async () => {
  const tested = restOf((await inTurn(responding(503))).url);
  const call = failureOf(get(tested));
  await tested.clock.whenRunning(2);
  await tested.rest.close();
  expect(reasonOf(await call)).toBe("SERVICE_UNAVAILABLE");
});

test("each attempt of a call is signed and counted separately", async () => {
  const seen: Array<string | undefined> = [];
  const keep: RequestListener = (request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(503).end();
  };
  let token = 0;
  const credentials = () => ({ oauth2: { accessToken: `t${++token}` } });
  const variant = { rules: { credentials: ["oauth2"] } } as const;
  const tested = restOf((await inTurn(keep)).url, { variant, upstream: { credentials } });
  await failureOf(passing(tested.clock, [100, 200], get(tested)));
  expect(seen).toEqual(["Bearer t1", "Bearer t2", "Bearer t3"]);
});

const variant = { rules: { idempotent: false } };

test.each([
  ["503", responding(503)],
  ["a closed connection", hangUp],
])("a method that is not idempotent is not retried after %s", async (_what, failing) => {
  const tested = restOf((await inTurn(failing, good)).url, { variant });
  const error = await failureOf(get(tested));
  expect(error.code).toBe(Code.Unavailable);
  expect(infoOf(error)?.metadata.attempts).toBeUndefined();
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});

test("a method that is not idempotent is not retried after an idle connection was closed", async () => {
  const server = await inTurn(good, hangUp, good);
  const tested = restOf(server.url, { variant, upstream: { connections: 1 } });
  await get(tested);
  expect(reasonOf(await failureOf(get(tested)))).toBe("UPSTREAM_RESET");
});

test("a method that is not idempotent is retried once if no connection was established, since nothing was sent", async () => {
  const tested = restOf(await closedPort(), { variant });
  const error = await failureOf(passing(tested.clock, [100], get(tested)));
  expect(error.rawMessage).toBe("upstream things: no connection was established: ECONNREFUSED");
  expect(infoOf(error)?.metadata).toEqual({ attempts: "2" });
});

test("a method that is not idempotent is retried once if the TLS handshake failed, since nothing was sent", async () => {
  const server = await rawUpstream((socket) => socket.destroy());
  SERVERS.push(server);
  const tested = restOf(server.url.replace("http:", "https:"), { variant });
  const error = await failureOf(passing(tested.clock, [100], get(tested)));
  expect(reasonOf(error)).toBe("UPSTREAM_UNREACHABLE");
  expect(infoOf(error)?.metadata).toEqual({ attempts: "2" });
});

test("an upstream that is down gets at most 1.2 requests per call", async () => {
  let requests = 0;
  const server = await inTurn((_request, response) => {
    requests++;
    response.writeHead(503).end();
  });
  const tested = restOf(server.url, { upstream: { breaker: false } });
  for (let call = 0; call < 60; call++) {
    let ended = false;
    const failing = failureOf(get(tested)).finally(() => {
      ended = true;
    });
    const moved = async () => {
      while (!ended) {
        await Promise.race([tested.clock.whenRunning(2), failing]);
        tested.clock.advance(200);
      }
    };
    await Promise.all([failing, moved()]);
  }
  expect(requests / 60).toBeLessThanOrEqual(1.2);
  expect(requests).toBe(70);
});

test("an upstream that is down gets one request per call if retries are disabled", async () => {
  const tested = restOf((await inTurn(responding(503))).url, { upstream: { retry: false } });
  await failureOf(get(tested));
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});

function streamOf(url: string, name: string, adapter: unknown): Tested {
  return restOf(url, { options: { adapters: [streamService(name, adapter as never)] } });
}

test("a stream of items retries a failed page request, and continues at its position", async () => {
  const page =
    (...ids: number[]): RequestListener =>
    (_request, response) =>
      sendJson(response, { posts: ids.map((id) => ({ id })) });
  const server = await inTurn(page(1, 2), responding(503), page(3), page());
  const next = {
    kind: "step",
    by: "items",
    advance: (message: { offset: number }, by: number) => ({ ...message, offset: message.offset + by }),
  } as const;
  const tested = streamOf(server.url, "list", listAdapter(next as never));
  const ids = async () => {
    const found: number[] = [];
    for await (const { id } of createClient(StreamService, tested.rest.transport).list({})) {
      found.push(Number(id));
    }
    return found;
  };
  expect(await passing(tested.clock, [100], ids())).toEqual([1, 2, 3]);
  expect(tested.reports).toMatchObject([{ attempts: 4, error: undefined }]);
});

test("a stream of chunks may be retried before its first chunk, but not afterwards", async () => {
  const half: RequestListener = (_request, response) => {
    response.writeHead(200, { "content-length": "10" }).write("first");
    setImmediate(() => response.destroy());
  };
  const tested = streamOf((await inTurn(responding(503), half)).url, "download", downloadAdapter());
  const chunks: string[] = [];
  const read = async () => {
    for await (const { data } of createClient(StreamService, tested.rest.transport).download({})) {
      chunks.push(Buffer.from(data).toString());
    }
  };
  const error = await failureOf(passing(tested.clock, [100], read()));
  expect(reasonOf(error)).toBe("UPSTREAM_TRUNCATED");
  expect(chunks).toEqual(["first"]);
  expect(tested.reports).toMatchObject([{ attempts: 2 }]);
});

test("a stream of requests is never retried", async () => {
  const adapter = uploadAdapter({ idempotent: true });
  const tested = streamOf((await inTurn(responding(503), good)).url, "upload", adapter);
  async function* messages() {
    yield { chunk: Buffer.from("a") };
  }
  const client = createClient(StreamService, tested.rest.transport);
  expect((await failureOf(client.upload(messages()))).code).toBe(Code.Unavailable);
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});
