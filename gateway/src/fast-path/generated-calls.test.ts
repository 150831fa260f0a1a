import { brotliCompressSync, gzipSync } from "node:zlib";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { comparable } from "../testing/comparable.ts";
import { type ObservedWay, type Respond, startObservedWay, WAY_SETUPS } from "../testing/observed-ways.ts";
import type { RawCall } from "../testing/raw-call.ts";

const exporter = new InMemorySpanExporter();
let ways: readonly ObservedWay[];

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  ways = await Promise.all(
    WAY_SETUPS.map((setup) =>
      startObservedWay(setup, {
        upstream: {
          retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 1, budget: 1 },
          credentials: { apiKey: "s3cret" },
          maxResponseBytes: 100_000,
        },
        limits: { readMaxBytes: 64 * 1024, writeMaxBytes: 60_000, messageDepth: 20, drainNoticeMs: 1 },
      }),
    ),
  );
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await Promise.all(ways.map((way) => way[Symbol.asyncDispose]()));
});

/** The behavior of an upstream for one request. */
interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly packing: "none" | "gzip" | "br" | "gzip that is none";
  /**
   * How the body is sent. `pieces`: single bytes over turns of the event loop; `cut`: the first half;
   * `reset`: nothing at all.
   */
  readonly how: "whole" | "pieces" | "cut" | "reset" | "after early hints" | "chunks";
}

const JSON_TYPE = { "content-type": "application/json" };

const bodies = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ text: fc.string({ unit: "binary" }) }).map((each) => JSON.stringify(each)),
  },
  fc.constantFrom(
    '{"text":7}',
    '{"text":12345678901234567890}',
    '{"text":null}',
    '{"text":"a","text":"b"}',
    '{"more":[{"deep":1}],"text":"a"}',
    '{"\\u0074ext":"escaped"}',
    '{"text":{}}',
    '{"message":"an error says so"}',
    '[{"text":"a"}]',
    "[]",
    "{}",
    "",
    "null",
    "{",
    '{"text":"\ud800"}',
    "\ufeff{}",
    "<html>",
    JSON.stringify({ text: "x".repeat(50_000) }),
    JSON.stringify({ text: "\u00e9".repeat(40_000) }),
    JSON.stringify({ text: "x".repeat(120_000) }),
  ),
);

const headerSets = fc.constantFrom<Readonly<Record<string, string>>>(
  JSON_TYPE,
  JSON_TYPE,
  {},
  { "content-type": "application/json; charset=utf-8", "x-ratelimit-remaining": "4" },
  { "content-type": "application/json; charset=iso-8859-1" },
  { "content-type": "text/html" },
  { ...JSON_TYPE, "retry-after": "0" },
  { ...JSON_TYPE, "set-cookie": "a=b", "x-request-id": "theirs" },
  { ...JSON_TYPE, connection: "close" },
);

const outcome: fc.Arbitrary<Outcome> = fc.record({
  status: fc.oneof(
    { weight: 6, arbitrary: fc.constant(200) },
    fc.constantFrom(201, 204, 206, 302, 304, 400, 401, 403, 404, 408, 409, 418, 429, 500, 502, 503, 504),
  ),
  headers: headerSets,
  body: bodies,
  packing: fc.oneof(
    { weight: 5, arbitrary: fc.constant("none" as const) },
    fc.constantFrom("gzip", "br", "gzip that is none"),
  ),
  how: fc.oneof(
    { weight: 5, arbitrary: fc.constant("whole" as const) },
    fc.constantFrom("pieces", "cut", "reset", "after early hints", "chunks"),
  ),
});

function responding(outcomes: readonly Outcome[]): Respond {
  let count = 0;
  return (_request, _body, response) => {
    const each = outcomes[Math.min(count++, outcomes.length - 1)];
    if (each !== undefined) void respond(each, response);
  };
}

async function respond(
  { status, headers, body, packing, how }: Outcome,
  response: Parameters<Respond>[2],
): Promise<void> {
  if (how === "reset") {
    response.socket?.destroy();
    return;
  }
  const bytes = packed(Buffer.from(body), packing);
  const isBodiless = status === 204 || status === 304;
  const encoding =
    packing === "none" || isBodiless ? {} : { "content-encoding": packing.split(" ", 1)[0] ?? "" };
  const length = how === "chunks" || isBodiless ? {} : { "content-length": String(bytes.length) };
  if (how === "after early hints") response.writeEarlyHints({ link: "</a>; rel=preload" });
  response.writeHead(status, { ...headers, ...encoding, ...length });
  if (isBodiless) {
    response.end();
  } else if (how === "cut") {
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.socket?.destroySoon());
  } else if (how === "pieces") {
    const size = Math.max(1, Math.ceil(bytes.length / 7));
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await new Promise(setImmediate);
    }
    response.end();
  } else {
    response.end(bytes);
  }
}

function packed(bytes: Buffer, packing: Outcome["packing"]): Buffer {
  if (packing === "gzip") return gzipSync(bytes);
  return packing === "br" ? brotliCompressSync(bytes) : bytes;
}

const messages = fc.oneof(
  { weight: 4, arbitrary: fc.record({ text: fc.string({ unit: "grapheme" }), count: fc.nat({ max: 3 }) }) },
  fc.constantFrom<object>({}, { count: -1 }, { text: 1 }, { unknown: [] }, { text: "x".repeat(3000) }),
);

interface Protocol {
  readonly type: string;
  readonly version: RawCall["version"];
  readonly isStream: boolean;
}

const protocols = fc.constantFrom<Protocol>(
  { type: "application/json", version: "1.1", isStream: false },
  { type: "application/json", version: "2", isStream: false },
  { type: "application/grpc+json", version: "2", isStream: false },
  { type: "application/grpc-web+json", version: "1.1", isStream: false },
  { type: "application/grpc-web+json", version: "2", isStream: false },
  { type: "application/connect+json", version: "1.1", isStream: true },
  { type: "application/connect+json", version: "2", isStream: true },
  { type: "application/grpc+json", version: "2", isStream: true },
  { type: "application/grpc-web+json", version: "1.1", isStream: true },
);

const callerHeaders = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
  { origin: "https://page.example" },
  { "x-custom": "a", "x-custom-bin": "AAEC", "user-agent": "me/1" },
  { authorization: "Bearer of-the-caller" },
);

const timeouts = fc.constantFrom(undefined, undefined, "0", "60000", "99999999", "-1", "x");

const calls: fc.Arbitrary<RawCall> = fc
  .record({
    protocol: protocols,
    isGet: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    message: messages,
    used: fc.constantFrom(undefined, undefined, "identity", "gzip", "br", "zstd"),
    accepted: fc.constantFrom(undefined, "gzip", "br, gzip", "identity", "zstd"),
    timeout: timeouts,
    headers: callerHeaders,
    cut: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 })),
  })
  .map(({ protocol, isGet, message, used, accepted, timeout, headers, cut }) => {
    const { type, version, isStream } = protocol;
    const isGrpc = type.includes("grpc");
    const isEnveloped = isGrpc || isStream;
    const path = `/echo.v1.EchoService/${isStream ? "Repeat" : "Echo"}`;
    const prefix = isGrpc ? "grpc-" : isStream ? "connect-" : "";
    const timed = timeout === undefined ? {} : timeoutHeader(isGrpc, timeout);
    const common = { "x-request-id": "one", ...headers, ...timed };
    const accept = accepted === undefined ? {} : { [`${prefix}accept-encoding`]: accepted };
    const json = JSON.stringify(message);
    if (isGet && !isEnveloped) {
      const query = `connect=v1&encoding=json&message=${encodeURIComponent(json)}`;
      return { version, method: "GET", path: `${path}?${query}`, headers: { ...common, ...accept } };
    }
    const isPacked = used === "gzip" || used === "br";
    const bytes = isPacked ? packed(Buffer.from(json), used) : Buffer.from(json);
    const whole = isEnveloped ? envelope(isPacked ? 1 : 0, bytes) : bytes;
    const encoding = used === undefined ? {} : { [`${prefix}${isGrpc ? "" : "content-"}encoding`]: used };
    return {
      version,
      method: "POST",
      path,
      headers: { ...common, ...accept, ...encoding, "content-type": type, te: "trailers" },
      body: whole.subarray(0, Math.max(0, whole.length - cut)),
    };
  });

function timeoutHeader(isGrpc: boolean, timeout: string): Record<string, string> {
  return isGrpc ? { "grpc-timeout": `${timeout}m` } : { "connect-timeout-ms": timeout };
}

function envelope(flags: number, bytes: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags);
  prefix.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([prefix, bytes]);
}

/** Returns the spans of the only call that a gateway has served, including the spans of its requests. */
function spansOf({ gateway, upstreamPort }: ObservedWay): unknown {
  const spans = exporter.getFinishedSpans();
  const own = spans.filter(({ attributes }) => attributes["server.port"] === gateway.port);
  const ids = new Set(own.map((span) => span.spanContext().spanId));
  const inner = spans.filter(
    ({ parentSpanContext: parent }) => parent !== undefined && ids.has(parent.spanId),
  );
  return [...own, ...inner].map(({ name, kind, status, attributes, events, parentSpanContext }) => ({
    name,
    kind,
    status,
    events: events.map((event) => event.name),
    attributes: {
      ...attributes,
      "server.port": attributes["server.port"] === upstreamPort ? "upstream" : "gateway",
    },
    isBelow: parentSpanContext !== undefined,
  }));
}

/** Makes a call in every setup, and compares the responses, logs, metrics and spans. */
async function compare(
  call: Parameters<ObservedWay["send"]>[0],
  outcomes: readonly Outcome[],
): Promise<void> {
  exporter.reset();
  const all = await Promise.all(ways.map((way) => way.send(call, responding(outcomes))));
  const seen = all.map((each, index) => ({
    ...(comparable({ ...each, lines: each.lines.map(withoutIds) }) as object),
    spans: spansOf(ways[index] as ObservedWay),
  }));
  for (const [index, { lines, metrics, requests }] of all.entries()) {
    const made = lines.filter(({ msg }) => msg === "call").length;
    const rejected = counted(metrics, "connect_rest_rejected_requests_total");
    // there is one log line per call, and each request that reached the upstream was counted once
    expect([made + rejected, counted(metrics, "connect_rest_upstream_requests_total")]).toEqual([
      1,
      requests.length,
    ]);
    expect({ way: ways[index]?.name, seen: seen[index] }).toEqual({
      way: ways[index]?.name,
      seen: seen[0],
    });
  }
}

test("any call with any upstream behavior has the same response and side effects in all setups", async () => {
  const scripts = fc.array(outcome, { minLength: 1, maxLength: 4 });
  await fc.assert(fc.asyncProperty(calls, scripts, compare), { numRuns: 120 });
});

test("a call whose upstream sends oversized headers has the same response and side effects in all setups", async () => {
  const large = fc.record({
    status: fc.constant(200),
    headers: headerSets,
    body: fc.constant(JSON.stringify({ text: "x".repeat(80_000) })),
    packing: fc.constant("none" as const),
    how: fc.constant("whole" as const),
  });
  await fc.assert(
    fc.asyncProperty(calls, large, (call, response) => compare(call, [response])),
    { numRuns: 40 },
  );
});

/** Returns the increase of a counter, summed over all labels. */
function counted(metrics: Readonly<Record<string, number>>, name: string): number {
  let sum = 0;
  for (const [key, count] of Object.entries(metrics)) if (key.startsWith(`${name}{`)) sum += count;
  return sum;
}

/** Removes trace IDs, which differ between runs if the gateway starts the trace. */
function withoutIds({ traceId, ...line }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...line, isTraced: traceId !== undefined };
}
