import type { IncomingHttpHeaders } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { Code, type ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { EmptySpelling } from "./adapter/rules.ts";
import type { CallReport, DifferenceReport, RestOptions } from "./call/options.ts";
import { reasonOf } from "./errors/rest-error.ts";
import { ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.ts";
import { RequestWriter } from "./request/request-writer.ts";
import { createRest, createRestTransport, type Rest, restRoutes } from "./rest.ts";
import { failureOf } from "./testing/failure.ts";
import { FakeClock } from "./testing/fake-clock.ts";
import {
  closedPort,
  httpUpstream,
  rawUpstream,
  respondingWith,
  respondingWithJson,
  sendJson,
  type TestServer,
} from "./testing/servers.ts";
import {
  getThing,
  type Thing,
  ThingService,
  type ThingVariant,
  thingAdapter,
  thingOf,
  thingRequest,
  thingService,
  unmapped,
  watchThing,
} from "./testing/thing-service.ts";
import type { UpstreamOptions } from "./upstream/options.ts";
import { VERSION } from "./version.ts";

const OPEN: Array<{ close(): Promise<void> }> = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const rest of OPEN.splice(0)) await rest.close();
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
});

interface Setup extends ThingVariant {
  readonly upstream?: UpstreamOptions;
  readonly options?: Partial<RestOptions>;
}

function restOf(url: string, { upstream, options, ...variant }: Setup = {}): Rest {
  const upstreams = { things: { baseUrl: url, ...upstream } };
  const rest = createRest({ adapters: [thingService(variant)], upstreams, ...options });
  OPEN.push(rest);
  return rest;
}

async function restTo(server: Promise<TestServer>, setup: Setup = {}): Promise<Rest> {
  const started = await server;
  SERVERS.push(started);
  return restOf(started.url, setup);
}

function get(rest: Rest, name = "a", call: Parameters<Rest["call"]>[2] = {}) {
  return rest.call(thingAdapter(), thingRequest({ name, limit: 3 }), call);
}

async function thing(rest: Rest): Promise<Thing> {
  return thingOf((await get(rest)).bytes);
}

function infoOf(error: ConnectError) {
  return error.findDetails(ErrorInfoSchema)[0];
}

test("a call sends the request of the adapter, and returns the message with the headers for the caller", async () => {
  const seen: Array<string | undefined> = [];
  const rest = await restTo(
    httpUpstream((request, response) => {
      seen.push(request.method, request.url, request.headers["user-agent"], request.headers.accept);
      response.setHeader("x-ratelimit-remaining", "7").setHeader("set-cookie", "a=b");
      sendJson(response, { id: 5, name: "Ä" });
    }),
    { upstream: { userAgent: "tests/1" } },
  );
  const { bytes, header } = await get(rest, "t:a/b");
  expect(thingOf(bytes)).toMatchObject({ id: 5n, name: "Ä", status: 200 });
  expect(seen).toEqual(["GET", "/things/t%3Aa%2Fb?limit=3", "tests/1", "application/json"]);
  expect([...header]).toEqual([["x-ratelimit-remaining", "7"]]);
});

test("a call uses the path of the base address, and the base address that the method names", async () => {
  const echo = httpUpstream((request, response) => sendJson(response, { name: request.url }));
  const server = await echo;
  const bases = { api: `${server.url}/v2/`, web: `${server.url}/web` };
  const upstream = { baseUrl: undefined, bases };
  expect((await thing(await restTo(echo, { upstream }))).name).toBe("/v2/things/a?limit=3");
  const web = restOf(server.url, { upstream, rules: { base: "web" } });
  expect((await thing(web)).name).toBe("/web/things/a?limit=3");
  const other = restOf(server.url, { upstream: { bases }, rules: { base: "other" } });
  expect((await thing(other)).name).toBe("/things/a?limit=3");
});

test("ids beyond 2^53 are exact in a response, also in raw JSON", async () => {
  const rest = await restTo(respondingWithJson('{"id":700000000000000001,"raw":{"id":700000000000000003}}'));
  expect(await thing(rest)).toMatchObject({ id: 700000000000000001n, raw: '{"id":700000000000000003}' });
});

test("a call removes the envelope, and uses the status that it contains", async () => {
  const envelope = { payload: ["response.thing", "response"], status: "meta.status", message: "meta.msg" };
  const good = await restTo(respondingWithJson({ meta: { status: 200 }, response: { name: "in" } }), {
    rules: { envelope },
  });
  expect((await thing(good)).name).toBe("in");
  const bad = await restTo(
    respondingWithJson({ meta: { status: 404, msg: "No such thing" }, response: [] }),
    {
      rules: { envelope },
    },
  );
  const error = await failureOf(get(bad));
  expect(error.rawMessage).toBe("upstream things responded with 404 Not Found: No such thing");
  expect(error.code).toBe(Code.NotFound);
});

test.each([[{ error: "maintenance" }], [5], [{}]])(
  "a call fails if the envelope of a response has no payload: %j",
  async (body) => {
    const envelope = { payload: ["response.thing", "response"] };
    const error = await failureOf(get(await restTo(respondingWithJson(body), { rules: { envelope } })));
    expect([reasonOf(error), error.code]).toEqual(["RESPONSE_SHAPE", Code.Internal]);
    expect(error.rawMessage).toBe(
      "upstream things: test.v1.ThingService.GetThing: response.thing: expected a payload, got nothing",
    );
  },
);

test.each([[[{ name: "a" }]], [[{ name: "a" }, {}]], ["text"], [5], [true], [""], [false]])(
  "a call fails if the payload has the wrong type, instead of reading a part of it as the payload: %j",
  async (response) => {
    const bare = await failureOf(get(await restTo(respondingWithJson(JSON.stringify(response)))));
    expect(reasonOf(bare)).toBe("RESPONSE_SHAPE");
    expect(bare.rawMessage).toContain("(root): expected object, got ");
    const rules = { envelope: { payload: ["response"] } };
    const error = await failureOf(get(await restTo(respondingWithJson({ response }), { rules })));
    expect(error.rawMessage).toContain("response: expected object, got ");
  },
);

test.each<[EmptySpelling, string]>([
  ["absent", "{}"],
  ["null", '{"response":null}'],
  ["false", '{"response":false}'],
  ["empty_array", '{"response":[]}'],
  ["empty_object", '{"response":{}}'],
  ["empty_string", '{"response":""}'],
  ["empty_body", ""],
])(
  "an empty payload that a rule allows becomes an empty message, and no difference is reported: %s",
  async (spelling, body) => {
    const reports: DifferenceReport[] = [];
    const options = { onDifference: (report: DifferenceReport) => void reports.push(report) };
    const envelope = { payload: ["response"], empty: [spelling] };
    const served = respondingWith(200, { "content-type": "application/json" }, body);
    expect((await thing(await restTo(served, { rules: { envelope }, options }))).name).toBe("");
    expect(reports).toEqual([]);
    // an empty container of the wrong type contains nothing that could be lost
    if (spelling === "empty_object" || spelling === "empty_array") return;
    const other = { payload: ["response"], empty: ["empty_object" as const] };
    const error = await failureOf(get(await restTo(served, { rules: { envelope: other } })));
    expect(reasonOf(error)).toBe("RESPONSE_SHAPE");
  },
);

test("a payload of null is an empty message", async () => {
  const envelope = { payload: ["response"] };
  const strict = await restTo(respondingWithJson({ response: null }), {
    rules: { envelope },
    options: { strict: true },
  });
  expect((await thing(strict)).name).toBe("");
});

test("a missing body is an empty message if the status or a rule allows it", async () => {
  expect(reasonOf(await failureOf(get(await restTo(respondingWith(200, {})))))).toBe("RESPONSE_SHAPE");
  const rules = { envelope: { payload: [], empty: ["empty_body" as const] } };
  expect(await thing(await restTo(respondingWith(200, {}), { rules }))).toMatchObject({
    id: 0n,
    name: "",
    status: 200,
  });
  expect((await thing(await restTo(respondingWith(204, {})))).status).toBe(204);
});

test("a byte order mark is skipped", async () => {
  expect((await thing(await restTo(respondingWithJson('\ufeff{"name":"x"}')))).name).toBe("x");
});

test("a response encoding may be bytes, a form, or determined by the Content-Type", async () => {
  const png = Uint8Array.of(137, 80, 78, 71);
  const bytes = await restTo(respondingWith(200, { "content-type": "image/png" }, png), {
    rules: { responseEncoding: "by_content_type" },
  });
  expect([...(await thing(bytes)).data]).toEqual([...png]);
  const form = await restTo(respondingWith(200, { "content-type": "text/html" }, "name=a%20b&id=7"), {
    rules: { responseEncoding: "form" },
  });
  expect(await thing(form)).toMatchObject({ name: "a b", id: 7n });
  const twice = await restTo(respondingWith(200, {}, "raw=a&raw=b&id=700000000000000001"), {
    rules: { responseEncoding: "form" },
    options: { strict: true },
  });
  expect(await thing(twice)).toMatchObject({ raw: '["a","b"]', id: 700000000000000001n });
  const json = await restTo(
    respondingWith(200, { "content-type": "text/json; charset=utf-8" }, '{"name":"j"}'),
    {
      rules: { responseEncoding: "by_content_type" },
    },
  );
  expect((await thing(json)).name).toBe("j");
});

test("a redirect is read as a response if the rules say so, with or without a body", async () => {
  const headers = { location: "http://elsewhere.test/a", "content-type": "text/html" };
  const rest = await restTo(respondingWith(302, headers, "<html>moved</html>"), {
    rules: { success: [302] },
  });
  expect((await thing(rest)).status).toBe(302);
});

const CASES: ReadonlyArray<
  readonly [what: string, server: () => Promise<TestServer>, text: string, reason: string, code: Code]
> = [
  [
    "responds with HTML",
    () => respondingWith(200, { "content-type": "text/html" }, "<html>hi</html>"),
    "upstream things: expected JSON with status 200, got text/html (15 bytes)",
    "UPSTREAM_BODY_NOT_JSON",
    Code.Internal,
  ],
  [
    "responds with a truncated document",
    () => respondingWithJson('{"id":'),
    "upstream things: expected JSON with status 200, got application/json that does not parse (6 bytes)",
    "UPSTREAM_BODY_NOT_JSON",
    Code.Internal,
  ],
  [
    "does not speak HTTP",
    () => rawUpstream((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n")),
    "upstream things: the response is not HTTP",
    "UPSTREAM_NOT_HTTP",
    Code.Unavailable,
  ],
  [
    "closes without a response",
    () => rawUpstream((socket) => socket.end()),
    "upstream things: the connection was closed before the response",
    "UPSTREAM_RESET",
    Code.Unavailable,
  ],
  [
    "resets the connection",
    () => rawUpstream((socket) => socket.resetAndDestroy()),
    "upstream things: the connection was closed before the response",
    "UPSTREAM_RESET",
    Code.Unavailable,
  ],
  [
    "closes the connection within the body",
    () => rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")),
    "upstream things: the response body is incomplete",
    "UPSTREAM_TRUNCATED",
    Code.Unavailable,
  ],
  [
    "closes the connection within a chunk",
    () => rawUpstream((socket) => socket.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{")),
    "upstream things: the response body is incomplete",
    "UPSTREAM_TRUNCATED",
    Code.Unavailable,
  ],
  [
    "truncates its compressed body",
    () => respondingWith(200, { "content-encoding": "gzip" }, gzipSync("{}").subarray(0, 12)),
    "upstream things: the response body is incomplete",
    "UPSTREAM_TRUNCATED",
    Code.Unavailable,
  ],
  [
    "declares gzip for another format",
    () => respondingWith(200, { "content-encoding": "gzip" }, "{}"),
    "upstream things: expected a body in gzip, deflate, br or zstd, got gzip that is corrupt",
    "UPSTREAM_BODY_ENCODING",
    Code.Internal,
  ],
  [
    "sends a part that was not requested",
    () => respondingWith(206, { "content-range": "bytes 0-1/2" }, "{}"),
    "upstream things: partial content (206) in response to a request without a range",
    "UPSTREAM_BODY_PARTIAL",
    Code.Internal,
  ],
  [
    "responds with 304 to an unconditional request",
    () => respondingWith(304, { etag: '"a"' }),
    "upstream things responded with 304 Not Modified",
    "NOT_MODIFIED",
    Code.FailedPrecondition,
  ],
  [
    "redirects",
    () => respondingWith(301, { location: "http://169.254.169.254/secret" }),
    "upstream things: unexpected redirect (301); redirects are not followed",
    "MOVED",
    Code.FailedPrecondition,
  ],
  [
    "sends too many headers",
    () => respondingWith(200, { "x-long": "x".repeat(20_000) }, "{}"),
    "upstream things: the response headers exceed 16384 bytes",
    "UPSTREAM_HEADERS_TOO_LARGE",
    Code.ResourceExhausted,
  ],
  [
    "nests too deeply",
    () => respondingWithJson(`${'{"self":'.repeat(5000)}{}${"}".repeat(5000)}`),
    `upstream things: the response body is nested too deeply: more than 100 levels at ${"self.".repeat(95)}`,
    "UPSTREAM_BODY_TOO_DEEP",
    Code.Internal,
  ],
];

test.each(CASES)(
  "the error for an upstream that misbehaves names the problem: %s",
  async (_what, server, text, reason, code) => {
    const error = await failureOf(get(await restTo(server())));
    expect(error.rawMessage.slice(0, 400)).toBe(text.slice(0, 400));
    expect(infoOf(error)).toMatchObject({ reason, domain: "things" });
    expect(error.code).toBe(code);
  },
);

test("an unreachable upstream is reported as UNAVAILABLE", async () => {
  const error = await failureOf(get(restOf(await closedPort())));
  expect(error.rawMessage).toBe("upstream things: no connection was established: ECONNREFUSED");
  expect(error.code).toBe(Code.Unavailable);
});

test("a redirect is reported and not followed", async () => {
  let visits = 0;
  const target = await httpUpstream((_request, response) => {
    visits++;
    response.end("{}");
  });
  SERVERS.push(target);
  const error = await failureOf(get(await restTo(respondingWith(302, { location: target.url }))));
  expect(infoOf(error)?.metadata).toEqual({ http_status: "302", location: target.url });
  expect(visits).toBe(0);
});

test("a response that exceeds the size limit is rejected, with and without Content-Length", async () => {
  const body = `"${"x".repeat(2000)}"`;
  const upstream = { maxResponseBytes: 1000 };
  const text = "upstream things: the response body exceeds 1000 bytes";
  for (const server of [
    respondingWithJson(body),
    httpUpstream((_request, response) => {
      response.write(body);
      response.end();
    }),
    respondingWith(200, { "content-encoding": "gzip" }, gzipSync(body)),
  ]) {
    const error = await failureOf(get(await restTo(server, { upstream })));
    expect(error.rawMessage).toBe(text);
    expect(error.code).toBe(Code.ResourceExhausted);
  }
});

test("a compression bomb, a kilobyte that would become 128 MiB, is rejected", async () => {
  const bomb = brotliCompressSync(Buffer.alloc(128 << 20));
  const rest = await restTo(respondingWith(200, { "content-encoding": "br" }, bomb));
  const before = process.memoryUsage().rss;
  const error = await failureOf(get(rest));
  expect(process.memoryUsage().rss - before).toBeLessThan(64 << 20);
  expect(error.rawMessage).toBe("upstream things: the response body exceeds 16777216 bytes");
});

test("a call fails if the upstream does not respond in time", async () => {
  const never = httpUpstream(() => undefined);
  const error = await failureOf(get(await restTo(never, { upstream: { headersTimeoutMs: 50 } })));
  expect(error.rawMessage).toBe("upstream things: timed out after 50 ms waiting for the response head");
  expect(error.code).toBe(Code.DeadlineExceeded);
  expect(reasonOf(error)).toBe("UPSTREAM_TIMEOUT");
});

test("a call fails if the upstream does not accept a connection in time", async () => {
  // this server accepts the TCP connection, and never completes the TLS handshake
  const silent = await rawUpstream(() => undefined);
  SERVERS.push(silent);
  const url = silent.url.replace("http:", "https:");
  const error = await failureOf(get(restOf(url, { upstream: { connectTimeoutMs: 50 } })));
  expect(error.rawMessage).toBe("upstream things: timed out after 50 ms waiting for a connection");
  expect(error.code).toBe(Code.DeadlineExceeded);
  expect(reasonOf(error)).toBe("UPSTREAM_TIMEOUT");
});

test("a call fails if the upstream pauses too long within the body", async () => {
  const pausing = httpUpstream((_request, response) => {
    response.writeHead(200, { "content-length": "10" }).write("{");
  });
  const error = await failureOf(get(await restTo(pausing, { upstream: { bodyTimeoutMs: 50 } })));
  expect(error.rawMessage).toBe("upstream things: timed out after 50 ms waiting for more of the body");
  expect(error.code).toBe(Code.DeadlineExceeded);
});

test("arbitrary JSON never crashes the decoder", async () => {
  let body = "";
  const rest = await restTo(
    httpUpstream((_request, response) => response.end(body)),
    { rules: { envelope: { payload: ["response", ""], status: "status" } } },
  );
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
      body = JSON.stringify(value);
      await get(rest).catch((error: ConnectError) => expect(reasonOf(error)).not.toBe("ADAPTER_FAILED"));
    }),
    { numRuns: 200 },
  );
});

test("arbitrary error bodies never crash the reader", async () => {
  let body = Buffer.alloc(0);
  const rest = await restTo(httpUpstream((_request, response) => response.writeHead(404).end(body)));
  const anything = fc.oneof(
    fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
    fc.jsonValue().map((errors) => Buffer.from(JSON.stringify({ errors, error: errors, message: errors }))),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  await fc.assert(
    fc.asyncProperty(anything, async (bytes) => {
      body = bytes;
      expect(reasonOf(await failureOf(get(rest)))).toMatch(/^[A-Z][A-Z0-9_]+$/);
    }),
    { numRuns: 300 },
  );
});

test("an error response with a truncated, huge or corrupt body is reported with its status", async () => {
  const json = { "content-type": "application/json" };
  for (const server of [
    rawUpstream((socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 100\r\n\r\n{")),
    respondingWith(404, json, `{"message":"${"x".repeat(2 << 20)}"}`),
    respondingWith(404, { ...json, "content-encoding": "gzip" }, "nonsense"),
    httpUpstream((_request, response) => {
      const more = () => response.write("x".repeat(65_536), more);
      response.writeHead(404).on("close", () => response.destroy());
      more();
    }),
  ]) {
    const error = await failureOf(get(await restTo(server)));
    expect(error.rawMessage).toBe("upstream things responded with 404 Not Found");
    expect(error.code).toBe(Code.NotFound);
  }
});

test("the text of an error response is read even if the body is compressed", async () => {
  const body = gzipSync(JSON.stringify({ message: "gone fishing" }));
  const rest = await restTo(respondingWith(503, { "content-encoding": "gzip" }, body));
  expect((await failureOf(get(rest))).rawMessage).toBe(
    "upstream things responded with 503 Service Unavailable: gone fishing",
  );
});

test("rejected configured credentials are reported as the operator's error, and rejected credentials of the caller as the caller's error", async () => {
  const rules = { credentials: ["oauth2"] } as const;
  const fixed = { oauth2: { accessToken: "t" } };
  const configured = await restTo(respondingWithJson({}, 401), { rules, upstream: { credentials: fixed } });
  expect(reasonOf(await failureOf(get(configured)))).toBe("UPSTREAM_CREDENTIALS");
  const own = await restTo(respondingWithJson({}, 401), { rules, upstream: { credentials: () => fixed } });
  expect((await failureOf(get(own))).code).toBe(Code.Unauthenticated);
  const unsigned = await restTo(respondingWithJson({}, 401), { upstream: { credentials: fixed } });
  expect((await failureOf(get(unsigned))).code).toBe(Code.Unauthenticated);
});

test("a response with a success status is an error if a rule says so", async () => {
  const errors = [{ status: 200, subcode: 5, code: Code.Aborted, reason: "NOT_YET" }];
  const rest = await restTo(respondingWithJson({ errors: [{ title: "Wait", code: 5 }] }), {
    rules: { errors },
  });
  expect(reasonOf(await failureOf(get(rest)))).toBe("NOT_YET");
});

async function headersOf(request: RequestWriter, upstream: UpstreamOptions = {}) {
  let seen: IncomingHttpHeaders = {};
  const server = httpUpstream((incoming, response) => {
    seen = incoming.headers;
    response.end("{}");
  });
  await get(await restTo(server, { request: () => request, upstream }));
  return seen;
}

test("a request has the headers of the method, and always the fixed headers of the upstream", async () => {
  const request = new RequestWriter("POST", "/things");
  request.json({ id: 700000000000000001n });
  request.header("content-type", "application/vnd.things+json");
  request.header("accept", "application/vnd.things+json");
  request.header("user-agent", "another");
  expect(await headersOf(request, { acceptEncoding: "identity" })).toMatchObject({
    "content-type": "application/vnd.things+json",
    accept: "application/vnd.things+json",
    "user-agent": `connect-rest-runtime/${VERSION}`,
    "accept-encoding": "identity",
    "content-length": "25",
  });
});

test("a POST request without a body has Content-Length 0", async () => {
  const headers = await headersOf(new RequestWriter("POST", "/things"));
  expect(headers["content-length"]).toBe("0");
  expect(headers).not.toHaveProperty("content-type");
});

test("a request that is not valid HTTP is an error of the rules", async () => {
  const request = new RequestWriter("POST", "/things");
  request.header("transfer-encoding", "gzip");
  const error = await failureOf(headersOf(request));
  expect(error.rawMessage).toBe(
    "upstream things: the request is not valid HTTP: invalid transfer-encoding header",
  );
  expect(reasonOf(error)).toBe("REQUEST_NOT_HTTP");
});

test("an adapter that fails to build the request causes an internal error, which does not show the adapter's message", async () => {
  const rest = restOf("http://127.0.0.1:9", {
    request: () => {
      throw new TypeError("x is undefined");
    },
  });
  const error = await failureOf(get(rest));
  expect(error.rawMessage).toBe(
    "upstream things: the adapter of test.v1.ThingService.GetThing failed while writing the request",
  );
});

test("a deadline ends the call and the upstream request immediately", async () => {
  const clock = new FakeClock();
  const server = await httpUpstream(() => clock.advance(1000));
  SERVERS.push(server);
  const rest = restOf(server.url, { options: { clock } });
  const closed = server.socketClosed();
  const error = await failureOf(get(rest, "a", { timeoutMs: 1000 }));
  expect(error.rawMessage).toBe("test.v1.ThingService.GetThing: no response within 1000 ms");
  expect(error.code).toBe(Code.DeadlineExceeded);
  expect(reasonOf(error)).toBe("DEADLINE_EXCEEDED");
  await closed;
  expect(clock.running).toBe(0);
});

test.each([
  ["the method's", { timeoutMs: 200 }, { timeoutMs: 900 }, 200],
  ["the caller's", { timeoutMs: 900 }, { timeoutMs: 300 }, 300],
  ["the default", {}, {}, 60_000],
])("the shortest timeout applies: %s", async (_whose, rules, call, limit) => {
  const clock = new FakeClock();
  const rest = await restTo(
    httpUpstream(() => clock.advance(limit)),
    { rules, options: { clock } },
  );
  const adapter = thingAdapter({ rules });
  const error = await failureOf(rest.call(adapter, thingRequest({ name: "a" }), call));
  expect(error.rawMessage).toContain(`within ${limit} ms`);
});

test("a deadline ends a call whose credentials function never returns", async () => {
  const clock = new FakeClock();
  const credentials = () => {
    clock.advance(500);
    return new Promise<never>(() => undefined);
  };
  const rest = restOf(await closedPort(), { upstream: { credentials }, options: { clock } });
  expect((await failureOf(get(rest, "a", { timeoutMs: 500 }))).code).toBe(Code.DeadlineExceeded);
});

test("the caller may cancel a call before, during and after the head of the response", async () => {
  for (const listener of [
    (abort: () => void) => httpUpstream(() => abort()),
    (abort: () => void) =>
      httpUpstream((_request, response) => {
        response.writeHead(200, { "content-length": "10" }).write("{");
        setImmediate(abort);
      }),
  ]) {
    const controller = new AbortController();
    const server = await listener(() => controller.abort());
    SERVERS.push(server);
    const closed = server.socketClosed();
    const error = await failureOf(get(restOf(server.url), "a", { signal: controller.signal }));
    expect(error.code).toBe(Code.Canceled);
    expect(error.rawMessage).toBe("test.v1.ThingService.GetThing: canceled by the caller");
    await closed;
  }
  const rest = restOf(await closedPort());
  const error = await failureOf(get(rest, "a", { signal: AbortSignal.abort() }));
  expect(error.code).toBe(Code.Canceled);
});

test("a timeout signal counts as a deadline, not as a cancellation", async () => {
  const rest = restOf(await closedPort());
  const signal = AbortSignal.abort(new DOMException("timed out", "TimeoutError"));
  expect((await failureOf(get(rest, "a", { signal }))).code).toBe(Code.DeadlineExceeded);
});

test("a cancellation ends a call that waits for a connection", async () => {
  const controller = new AbortController();
  const server = await httpUpstream(() => controller.abort());
  SERVERS.push(server);
  const rest = restOf(server.url, { upstream: { connections: 1 } });
  const first = new AbortController();
  const running = failureOf(get(rest, "a", { signal: first.signal }));
  const waiting = await failureOf(get(rest, "b", { signal: controller.signal }));
  expect(waiting.code).toBe(Code.Canceled);
  first.abort();
  expect((await running).code).toBe(Code.Canceled);
});

test("an unknown key is reported as a difference, and does not fail the call", async () => {
  const reports: DifferenceReport[] = [];
  const rest = await restTo(respondingWithJson({ id: "7", name: ["x"] }), {
    options: { onDifference: (report) => reports.push(report) },
  });
  expect((await thing(rest)).id).toBe(7n);
  expect(reports).toMatchObject([{ method: getThing, upstream: "things" }]);
  expect(reports[0]?.differences.map((each) => [each.path, each.class])).toContainEqual(["name", "lost"]);
});

test("in strict mode, only lost values fail the call", async () => {
  const rest = await restTo(respondingWithJson({ name: ["x"] }), { options: { strict: true } });
  const error = await failureOf(get(rest));
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.ThingService.GetThing: name: expected string, got array (differences: fail)",
  );
  expect(reasonOf(error)).toBe("RESPONSE_DRIFT");
  expect(error.code).toBe(Code.Internal);
  const others = await restTo(respondingWithJson({ id: "7", name: 8, more: [1] }), {
    options: { strict: true },
  });
  expect(await thing(others)).toMatchObject({ id: 7n, name: "8" });
});

/** A body with one difference of each class, and a hundred additional keys. */
const ONE_EACH = {
  ...Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`more${index}`, index])),
  name: 8,
  id: ["x"],
};

test("all differences are counted, even if not all are listed, so that no class hides another", async () => {
  const reports: DifferenceReport[] = [];
  const calls: CallReport[] = [];
  const rest = await restTo(respondingWithJson(ONE_EACH), {
    options: { onDifference: (report) => reports.push(report), onCall: (report) => calls.push(report) },
  });
  await thing(rest);
  expect(reports[0]?.counts).toEqual({ additional: 150, converted: 1, lost: 1 });
  expect(reports[0]?.differences).toHaveLength(102);
  expect(calls[0]?.differences).toEqual({ additional: 150, converted: 1, lost: 1 });
});

test.each<
  [string, Pick<RestOptions, "strict" | "differences">, UpstreamOptions["differences"], string | undefined]
>([
  ["nothing", {}, undefined, undefined],
  ["strict", { strict: true }, undefined, "id"],
  ["lost", { differences: { lost: "fail" } }, undefined, "id"],
  ["converted", { differences: { converted: "fail" } }, undefined, "name"],
  ["additional", { differences: { additional: "fail" } }, undefined, "more0"],
  ["strict, with an equal level of lost", { strict: true, differences: { lost: "fail" } }, undefined, "id"],
  [
    "the method's level takes precedence over strict",
    { strict: true, differences: { methods: { "test.v1.ThingService/GetThing": { lost: "log" } } } },
    undefined,
    undefined,
  ],
  ["the upstream's level", { strict: true }, { lost: "ignore" }, undefined],
  [
    "the service's level",
    { differences: { methods: { "test.v1.ThingService": { converted: "fail" } } } },
    {},
    "name",
  ],
  [
    "the method's level takes precedence over its service's level",
    {
      differences: {
        lost: "fail",
        methods: {
          "test.*": { lost: "fail" },
          "test.v1.ThingService": { lost: "fail" },
          "test.v1.ThingService/GetThing": { lost: "log" },
        },
      },
    },
    { lost: "fail" },
    undefined,
  ],
])(
  "a difference fails a call if the level of its class is `fail`: %s",
  async (_name, options, differences, path) => {
    const rest = await restTo(respondingWithJson(ONE_EACH), { options, upstream: { differences } });
    if (path === undefined) {
      expect((await thing(rest)).name).toBe("8");
      return;
    }
    const error = await failureOf(get(rest));
    expect(reasonOf(error)).toBe("RESPONSE_DRIFT");
    expect(error.rawMessage).toContain(`GetThing: ${path}: expected`);
  },
);

test("an ignored class of differences is neither reported nor counted", async () => {
  const reports: DifferenceReport[] = [];
  const calls: CallReport[] = [];
  const rest = await restTo(respondingWithJson(ONE_EACH), {
    options: {
      differences: { additional: "ignore", converted: "ignore" },
      onDifference: (report) => reports.push(report),
      onCall: (report) => calls.push(report),
    },
  });
  await thing(rest);
  expect(reports[0]?.differences.map((each) => each.path)).toEqual(["id"]);
  expect(calls[0]?.differences).toEqual({ additional: 0, converted: 0, lost: 1 });
});

test("an unknown class or level of differences is rejected", async () => {
  const options = (differences: unknown) => ({ options: { differences } }) as Parameters<typeof restTo>[1];
  for (const wrong of [{ lots: "log" }, { lost: "warn" }, { methods: { "a.B": { lost: 1 } } }]) {
    await expect(restTo(respondingWithJson({}), options(wrong))).rejects.toThrow("differences");
  }
});

test("invalid UTF-8 is reported as a difference", async () => {
  const reports: DifferenceReport[] = [];
  const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0xe9), Buffer.from('"}')]);
  const rest = await restTo(respondingWith(200, {}, body), {
    options: { onDifference: (report) => reports.push(report) },
  });
  expect((await thing(rest)).name).toBe("\ufffd");
  expect(reports[0]?.differences).toMatchObject([{ path: "(root)", expected: "UTF-8" }]);
});

test("text in the charset of the Content-Type is decoded without a difference", async () => {
  const reports: DifferenceReport[] = [];
  const body = Buffer.from('{"name":"d\xe9"}', "latin1");
  const headers = { "content-type": "application/json; charset=ISO-8859-1" };
  const rest = await restTo(respondingWith(200, headers, body), {
    options: { onDifference: (report) => reports.push(report) },
  });
  expect((await thing(rest)).name).toBe("d\u00e9");
  expect(reports).toEqual([]);
});

test("a call report describes the call, and a listener that throws has no effect", async () => {
  const reports: CallReport[] = [];
  const onCall = (report: CallReport) => {
    reports.push(report);
    throw new Error("listener");
  };
  const rest = await restTo(respondingWithJson({ name: "x" }), { options: { onCall } });
  await get(rest);
  await failureOf(get(rest, ".."));
  expect(reports).toMatchObject([
    { method: getThing, upstream: "things", verb: "GET", upstreamStatus: 200, bytes: 12, error: undefined },
    { verb: undefined, upstreamStatus: undefined, bytes: 0, error: { code: Code.InvalidArgument } },
  ]);
  expect(reports[0]?.durationMs).toBeGreaterThan(0);
});

test("a call report contains the error and its status", async () => {
  const reports: CallReport[] = [];
  const rest = await restTo(respondingWithJson({}, 503), {
    options: { onCall: (report) => reports.push(report) },
  });
  await failureOf(get(rest));
  expect(reports).toMatchObject([{ upstreamStatus: 503, error: { code: Code.Unavailable } }]);
});

test("the transport serves a client", async () => {
  const rest = await restTo(respondingWithJson({ id: 7 }));
  const client = createClient(ThingService, rest.transport);
  expect(await client.getThing({ name: "a" })).toMatchObject({ id: 7n });
});

test("the transport runs interceptors, which see the headers of the request and the response", async () => {
  const seen: unknown[] = [];
  const rest = await restTo(respondingWith(200, { "retry-after": "5" }, "{}"), {
    upstream: {
      credentials: ({ header }) => {
        seen.push(header.get("x-user"));
        return {};
      },
    },
    options: {
      interceptors: [
        (next) => async (request) => {
          seen.push(request.url);
          request.header.set("x-user", "u1");
          const response = await next(request);
          seen.push(response.header.get("retry-after"));
          return response;
        },
      ],
    },
  });
  await rest.transport.unary(getThing, undefined, undefined, undefined, thingRequest({ name: "a" }) as never);
  expect(seen).toEqual(["connect-rest:///test.v1.ThingService/GetThing", "u1", "5"]);
});

test("the transport applies the deadline and the cancellation of its caller", async () => {
  const clock = new FakeClock();
  const rest = await restTo(
    httpUpstream(() => clock.advance(100)),
    { options: { clock } },
  );
  const message = thingRequest({ name: "a" }) as never;
  const late = await failureOf(rest.transport.unary(getThing, undefined, 100, undefined, message));
  expect([late.code, reasonOf(late)]).toEqual([Code.DeadlineExceeded, "DEADLINE_EXCEEDED"]);
  const canceled = await failureOf(
    rest.transport.unary(getThing, AbortSignal.abort(), undefined, undefined, message),
  );
  expect([canceled.code, reasonOf(canceled)]).toEqual([Code.Canceled, "CANCELED"]);
  expect(clock.running).toBe(0);
});

test("the transport responds with UNIMPLEMENTED to methods without an adapter", async () => {
  const rest = restOf("http://127.0.0.1:9");
  const unary = await failureOf(
    rest.transport.unary(unmapped, undefined, undefined, undefined, thingRequest({})),
  );
  expect(unary.code).toBe(Code.Unimplemented);
  expect(unary.rawMessage).toBe(
    "test.v1.ThingService.Unmapped: no configured adapter has a REST rule for this method",
  );
  const stream = await failureOf(
    rest.transport.stream(watchThing, undefined, undefined, undefined, (async function* () {})()),
  );
  expect(stream.code).toBe(Code.Unimplemented);
});

test("the transport closes its connections", async () => {
  const server = await respondingWithJson({});
  SERVERS.push(server);
  const upstreams = { things: { baseUrl: server.url } };
  const transport = createRestTransport({ adapters: [thingService()], upstreams });
  const call = () => transport.unary(getThing, undefined, undefined, undefined, thingRequest({ name: "a" }));
  await call();
  expect(server.sockets.size).toBe(1);
  const closed = server.socketClosed();
  await transport.close();
  await closed;
  expect(server.sockets.size).toBe(0);
  const error = await failureOf(call());
  expect(error.rawMessage).toBe("upstream things: the connection pool is closed");
  await transport.close();
});

test("restRoutes adds handlers to a router, with headers and errors, and leaves other methods unimplemented", async () => {
  const rest = await restTo(
    httpUpstream((request, response) => {
      if (request.url?.startsWith("/things/no")) {
        response.writeHead(404).end();
      } else {
        response.setHeader("x-ratelimit-remaining", "1").end('{"name":"x"}');
      }
    }),
  );
  const client = createClient(ThingService, createRouterTransport(restRoutes(rest)));
  const headers: Headers[] = [];
  const onHeader = (header: Headers) => headers.push(header);
  expect(await client.getThing({ name: "a" } as never, { onHeader })).toMatchObject({ name: "x" });
  expect(headers[0]?.get("x-ratelimit-remaining")).toBe("1");
  const missing = await failureOf(client.getThing({ name: "no" }));
  expect([missing.code, reasonOf(missing)]).toEqual([Code.NotFound, "NOT_FOUND"]);
  const unimplemented = await failureOf(client.unmapped({}));
  expect(unimplemented.code).toBe(Code.Unimplemented);
});

const upstreams = { things: { baseUrl: "http://127.0.0.1:9" } };
const ADAPTERS = [thingService()];

test.each<[RestOptions, string]>([
  [
    { adapters: ADAPTERS, upstreams: { other: { baseUrl: "http://a" } } },
    'service test.v1.ThingService: upstream "things" is not configured; configured upstreams: other',
  ],
  [
    { adapters: ADAPTERS, upstreams: {} },
    'service test.v1.ThingService: upstream "things" is not configured; configured upstreams: none',
  ],
  [
    { adapters: [...ADAPTERS, ...ADAPTERS], upstreams },
    "service test.v1.ThingService: more than one adapter",
  ],
  [
    {
      adapters: [thingService({ rules: { base: "web" } })],
      upstreams: { things: { bases: { api: "http://127.0.0.1:9" } } },
    },
    'method test.v1.ThingService.GetThing: upstream things has no base "web"; configured bases: api',
  ],
  [
    { adapters: [thingService({ rules: { credentials: ["api_key"] } })], upstreams },
    "method test.v1.ThingService.GetThing: expected a place for its API key, got none",
  ],
  [
    { adapters: ADAPTERS, upstreams, timeoutMs: 0 },
    "option timeoutMs: expected milliseconds from 1 to 2147483647, got 0",
  ],
])("invalid configuration fails immediately: %#: %o", async (options, text) => {
  expect((await failureOf(() => createRest(options))).rawMessage).toBe(text);
  expect((await failureOf(() => restRoutes(options))).rawMessage).toBe(text);
});

test("close waits for running calls", async () => {
  const server = (await httpUpstream((_request, response) => {
    server.closeNow = () => response.end('{"name":"late"}');
    arrived.resolve(undefined);
  })) as TestServer & { closeNow?: () => void };
  SERVERS.push(server);
  const arrived = Promise.withResolvers();
  const rest = restOf(server.url);
  const running = thing(rest);
  await arrived.promise;
  const closing = rest.close();
  server.closeNow?.();
  expect((await running).name).toBe("late");
  await closing;
});
