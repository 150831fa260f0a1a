import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { type Dispatcher, MockAgent } from "undici";
import { afterEach, expect, test } from "vitest";
import type { CallReport } from "./call/options.ts";
import { reasonOf } from "./errors/rest-error.ts";
import type { FetchFunction, FetchInit } from "./http/fetch-function.ts";
import { RequestWriter } from "./request/request-writer.ts";
import { createRest, type Rest } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import {
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
} from "./testing/thing-service.ts";
import type { UpstreamOptions } from "./upstream/options.ts";
import type { ClientOptions } from "./upstream/supplied-client.ts";
import { VERSION } from "./version.ts";

const OPEN: Array<{ close(): Promise<void> }> = [];

afterEach(async () => {
  for (const each of OPEN.splice(0)) await each.close();
});

const ORIGIN = "https://api.example";

interface Setup {
  readonly variant?: ThingVariant;
  readonly upstream?: UpstreamOptions;
  readonly clock?: FakeClock;
}

function restBy(client: ClientOptions, { variant, upstream, clock }: Setup = {}) {
  const reports: CallReport[] = [];
  const rest = createRest({
    adapters: [thingService(variant)],
    upstreams: { things: { baseUrl: `${ORIGIN}/v1`, retry: false, ...upstream } },
    onCall: (report) => reports.push(report),
    ...(clock !== undefined && { clock }),
    ...client,
  });
  OPEN.push(rest);
  return { rest, reports, variant };
}

const get = ({ rest, variant }: { readonly rest: Rest; readonly variant?: ThingVariant | undefined }) =>
  rest.call(thingAdapter(variant), thingRequest({ name: "a" }));

const POST: ThingVariant = {
  rules: { idempotent: false },
  request: ({ name }) => {
    const out = new RequestWriter("POST", "/things");
    out.json({ name });
    return out;
  },
};

function mocked() {
  const agent = new MockAgent();
  agent.disableNetConnect();
  OPEN.push(agent);
  return { agent, pool: agent.get(ORIGIN) };
}

const JSON_TYPE = { headers: { "content-type": "application/json" } };

test("a MockAgent can replace the upstream", async () => {
  const { agent, pool } = mocked();
  pool.intercept({ path: "/v1/things/a" }).reply(200, '{"id":9007199254740993}', JSON_TYPE);
  pool
    .intercept({ path: "/v1/things", method: "POST", body: '{"name":"a"}' })
    .reply(201, { id: 8 }, JSON_TYPE);
  expect(thingOf((await get(restBy({ dispatcher: agent }))).bytes).id).toBe(9_007_199_254_740_993n);
  expect(thingOf((await get(restBy({ dispatcher: agent }, { variant: POST }))).bytes).id).toBe(8n);
  agent.assertNoPendingInterceptors();
});

test("the error for a request without a mock says that there is no mock, and the request is not retried", async () => {
  const { agent } = mocked();
  const tested = restBy({ dispatcher: agent }, { upstream: { retry: {} } });
  const error = await failureOf(get(tested));
  expect([error.code, reasonOf(error)]).toEqual([Code.Internal, "UPSTREAM_CLIENT_FAILED"]);
  expect(error.rawMessage).toBe(
    "upstream things: the dispatcher of the options broke its contract: there is no mock for the request",
  );
  expect(String(error.cause)).toContain("/v1/things/a");
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});

test("a mock that fails is retried like an upstream that fails", async () => {
  const { agent, pool } = mocked();
  const rejected = Object.assign(new Error("rejected"), { code: "ECONNREFUSED" });
  pool.intercept({ path: "/v1/things/a" }).replyWithError(rejected);
  pool.intercept({ path: "/v1/things/a" }).reply(503, "busy");
  pool.intercept({ path: "/v1/things/a" }).reply(200, { id: 3 }, JSON_TYPE);
  const tested = restBy({ dispatcher: agent }, { upstream: { retry: { baseDelayMs: 1, budget: 1 } } });
  expect(thingOf((await get(tested)).bytes).id).toBe(3n);
  expect(tested.reports).toMatchObject([{ attempts: 3 }]);
});

test("the timeouts in the options apply to a slow mock", async () => {
  const { agent, pool } = mocked();
  const clock = new FakeClock();
  pool.intercept({ path: "/v1/things/a" }).reply(200, "{}").delay(60_000);
  const call = failureOf(get(restBy({ dispatcher: agent }, { clock })));
  await clock.whenRunning(2);
  clock.advance(30_000);
  expect((await call).rawMessage).toBe(
    "upstream things: timed out after 30000 ms waiting for the response head",
  );
});

test("the dispatcher of an upstream takes precedence over the dispatcher of the transport", async () => {
  const [own, shared] = [mocked(), mocked()];
  own.pool.intercept({ path: "/v1/things/a" }).reply(200, { id: 1 }, JSON_TYPE);
  const tested = restBy({ dispatcher: shared.agent }, { upstream: { dispatcher: own.agent } });
  expect(thingOf((await get(tested)).bytes).id).toBe(1n);
});

/** Returns a fetch function that records its calls. */
function recording(respond: (init: FetchInit) => Response | Promise<Response>) {
  const calls: Array<{ readonly address: string; readonly init: FetchInit }> = [];
  const fetch: FetchFunction = async (address, init) => {
    calls.push({ address, init });
    return await respond(init);
  };
  return { calls, fetch };
}

test("a fetch function is called once for every request, without following redirects or sending cookies", async () => {
  const { calls, fetch } = recording(() => Response.json({ id: 4 }));
  await get(restBy({ fetch }));
  expect(calls).toHaveLength(1);
  const { address, init } = calls[0] ?? {};
  expect(address).toBe(`${ORIGIN}/v1/things/a`);
  expect(init).toMatchObject({ method: "GET", redirect: "manual", credentials: "omit" });
  expect(init?.body).toBeUndefined();
  expect(init?.signal).toBeInstanceOf(AbortSignal);
  expect(Object.fromEntries(init?.headers ?? [])).toEqual({
    "user-agent": `connect-rest-runtime/${VERSION}`,
    accept: "application/json",
  });
});

test("a fetch function gets a stream that can be read once, unless the request may be retried", async () => {
  const { calls, fetch } = recording(async ({ body }) =>
    Response.json({ name: await new Response(body).text() }),
  );
  for (const idempotent of [false, true]) {
    const variant = { ...POST, rules: { idempotent } };
    expect(thingOf((await get(restBy({ fetch }, { variant }))).bytes).name).toBe('{"name":"a"}');
  }
  const [once, again] = calls.map(({ init }) => init);
  expect(once?.body).toBeInstanceOf(ReadableStream);
  expect([once?.duplex, Object.fromEntries(once?.headers ?? [])["content-length"]]).toEqual(["half", "12"]);
  expect(again?.body).toBeInstanceOf(Uint8Array);
  expect(again?.duplex).toBeUndefined();
});

test("acceptEncoding replaces the encodings that a fetch function requests by default", async () => {
  const { calls, fetch } = recording(() => Response.json({}));
  await get(restBy({ fetch }, { upstream: { acceptEncoding: "identity" } }));
  expect(Object.fromEntries(calls[0]?.init.headers ?? [])["accept-encoding"]).toBe("identity");
});

test.each<[string, () => unknown, string]>([
  ["returns nothing", () => undefined, "it returned no Response"],
  ["returns no Response", () => ({ ok: true }), "it returned no Response"],
  [
    "follows a redirect",
    () => ({ status: 200, redirected: true, headers: [], body: null }),
    'it followed a redirect, in spite of redirect: "manual"',
  ],
  ["hides a redirect", () => Response.error(), "it hides the response, as browsers do with redirects"],
  [
    "responds with text in place of bytes",
    () => ({
      status: 200,
      headers: [],
      body: (async function* () {
        yield "{}";
      })(),
    }),
    "its response has a body that is not bytes",
  ],
  [
    "responds without a stream",
    () => ({ status: 200, headers: [], body: "{}" }),
    "its response has a body that is no stream",
  ],
])("the error for a fetch function that %s names the violation", async (_what, respond, problem) => {
  const fetch = (async () => respond()) as unknown as FetchFunction;
  const tested = restBy({ fetch }, { upstream: { retry: {} } });
  const error = await failureOf(get(tested));
  expect([error.code, reasonOf(error)]).toEqual([Code.Internal, "UPSTREAM_CLIENT_FAILED"]);
  expect(error.rawMessage).toBe(`upstream things: the fetch of the options broke its contract: ${problem}`);
  expect(tested.reports).toMatchObject([{ attempts: 1 }]);
});

test("a fetch function that throws synchronously counts as a failing upstream", async () => {
  const fetch: FetchFunction = () => {
    throw new Error("boom");
  };
  const error = await failureOf(get(restBy({ fetch })));
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_FAILED"]);
  expect(error.rawMessage).toBe("upstream things: the fetch failed before the response: an error");
});

test("a fetch function that ignores its signal does not delay the call", async () => {
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<Response>();
  const canceled = Promise.withResolvers<void>();
  const fetch: FetchFunction = () => {
    asked.resolve();
    return late.promise;
  };
  const caller = new AbortController();
  const { rest } = restBy({ fetch });
  const call = rest.call(thingAdapter(), thingRequest({ name: "a" }), { signal: caller.signal });
  await asked.promise;
  caller.abort();
  expect((await failureOf(call)).code).toBe(Code.Canceled);
  // a result that arrives later is ignored
  late.resolve(new Response(new ReadableStream({ cancel: () => canceled.resolve() })));
  await canceled.promise;
  await rest.close();
});

type Step = (handler: Dispatcher.DispatchHandler, controller: Dispatcher.DispatchController) => void;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>((handler, controller) => handler.onRequestStart?.(controller, {})),
  fc
    .tuple(
      fc.constantFrom(0, 100, 103, 200, 204, 302, 404, 503, 999),
      fc.constantFrom({}, { location: "/x" }),
    )
    .map<Step>(
      ([status, headers]) =>
        (handler, controller) =>
          handler.onResponseStart?.(controller, status, headers),
    ),
  fc
    .constantFrom("", "{", "}", '{"id":1}')
    .map<Step>((text) => (handler, controller) => handler.onResponseData?.(controller, Buffer.from(text))),
  fc.constant<Step>((handler, controller) => handler.onResponseEnd?.(controller, {})),
  fc.constant<Step>((handler, controller) => handler.onResponseError?.(controller, new Error("boom"))),
  fc.constant<Step>(() => {
    throw new Error("thrown");
  }),
);

test("the call and `close` complete, regardless of how a dispatcher calls its handler", async () => {
  const controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => undefined,
    pause: () => undefined,
    resume: () => undefined,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const dispatcher = {
        dispatch: (_options: unknown, handler: Dispatcher.DispatchHandler) => {
          for (const act of steps) act(handler, controller);
        },
      };
      const caller = new AbortController();
      const { rest } = restBy({ dispatcher });
      const call = rest.call(thingAdapter(), thingRequest({ name: "a" }), { signal: caller.signal });
      // a call that still waits for its response ends when its caller aborts
      setImmediate(() => caller.abort());
      const error = await call.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error !== undefined) expect(error).toBeInstanceOf(ConnectError);
      await rest.close();
    }),
    { numRuns: 300, interruptAfterTimeLimit: 10_000 },
  );
});

test("the error for a GET with a body explains that fetch cannot send such a request", async () => {
  const variant: ThingVariant = {
    request: () => {
      const out = new RequestWriter("GET", "/things");
      out.json({});
      return out;
    },
  };
  const error = await failureOf(get(restBy({ fetch }, { variant })));
  expect(reasonOf(error)).toBe("REQUEST_NOT_HTTP");
  expect(error.rawMessage).toContain("fetch sends no body with GET");
});

test.each<[UpstreamOptions, string]>([
  [{ fetch: 1 as never }, "option fetch: expected a function, got number"],
  [{ dispatcher: null as never }, "option dispatcher: expected a Dispatcher of undici, got null"],
  [{ dispatcher: {} as never }, "option dispatcher: expected a Dispatcher of undici, got object"],
  [{ dispatcher: new MockAgent(), fetch }, "option fetch: expected either `fetch` or `dispatcher`, got both"],
  [
    { fetch, tls: { serverName: "a" } },
    "option tls: expected none beside `fetch`, which has its own connections, got one",
  ],
  [
    { dispatcher: new MockAgent(), proxy: { url: "http://proxy.example" } },
    "option proxy: expected none beside `dispatcher`, which has its own connections, got one",
  ],
])("contradictory options are rejected: %#", async (upstream, text) => {
  const error = await failureOf(() => restBy({}, { upstream }));
  expect(error.rawMessage).toBe(`upstream things: ${text}`);
});
