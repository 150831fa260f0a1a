import http2 from "node:http2";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "vitest";
import { type Gateway, type GatewayOptions, startGateway } from "../../gateway/src/gateway.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { type RawCall, rawClient } from "../../gateway/src/testing/raw-call.ts";
import { FeedService, feedService } from "../../runtime/src/testing/feed-service.ts";
import { Timeline } from "../../runtime/src/testing/timeline.ts";

const POLL = { timeout: 60_000 };
const eventually = (read: () => unknown) => expect.poll(read, POLL);
const KEY = "0123456789abcdef0123456789abcdef";
const { watch } = FeedService.method;

let gateways: Gateway[] = [];
afterEach(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  gateways = [];
});

async function start(timeline: Timeline, options: Partial<GatewayOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const gateway = await startGateway({
    adapters: [feedService()],
    upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } },
    fetch: timeline.fetch,
    watch: { resumeKey: KEY },
    metrics: { host: "127.0.0.1", port: 0 },
    limits: { drainNoticeMs: 1, drainStreamsMs: 60_000 },
    log: createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) }),
    ...options,
  });
  gateways.push(gateway);
  const watchers = async () => {
    const text = await (await fetch(gateway.metricsUrl ?? "")).text();
    return Number(/^connect_rest_watchers (\d+)$/m.exec(text)?.[1]);
  };
  return { gateway, lines, watchers };
}

function timelineOf(count: number): Timeline {
  const timeline = new Timeline(50, 1);
  timeline.interval = 1;
  for (let id = 1; id <= count; id++) timeline.add(id);
  return timeline;
}

/** Each protocol and codec over HTTP/2, with and without compression. */
const WAYS = [
  "connect+proto",
  "connect+json",
  "grpc",
  "grpc+json",
  "grpc-web+proto",
  "grpc-web+json",
].flatMap((type) => [undefined, "gzip", "br"].map((accepts) => ({ type, accepts })));

/** Requests that watch, and two requests that are rejected. */
const REQUESTS = [
  {},
  { backlog: true },
  { afterId: "3" },
  { resumeToken: "no token" },
  { backlog: true, afterId: "3" },
];

function callOf({ type, accepts }: (typeof WAYS)[number], request: object): RawCall {
  const message = create(watch.input, { owner: "ada", ...request });
  const bytes = type.endsWith("json")
    ? Buffer.from(toJsonString(watch.input, message))
    : toBinary(watch.input, message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  const accept = type.startsWith("connect") ? "connect-accept-encoding" : "grpc-accept-encoding";
  const headers = {
    "content-type": `application/${type}`,
    "x-request-id": "one",
    te: "trailers",
    origin: "https://page.example",
    ...(accepts !== undefined && { [accept]: accepts }),
  };
  return {
    version: "2",
    method: "POST",
    path: "/test.v1.FeedService/Watch",
    headers,
    body: Buffer.concat([head, bytes]),
  };
}

test("a watch over HTTP/2 receives the same bytes on both paths", async () => {
  const seen = await Promise.all(
    [true, false].map(async (fastPath) => {
      const timeline = timelineOf(40);
      const { gateway, lines, watchers } = await start(timeline, {
        fastPath,
        origins: ["https://page.example"],
      });
      const client = rawClient(gateway.port);
      const calls = WAYS.flatMap((way) => REQUESTS.map((request) => callOf(way, request)));
      const responses = calls.map((call) => client.send(call));
      // The rejected requests have ended, and all others have their first message.
      const watching = 3 * WAYS.length;
      await eventually(() => lines.filter(({ msg }) => msg === "call").length).toBe(calls.length - watching);
      await eventually(watchers).toBe(watching);
      // The feed has its initial state before an event arrives.
      await eventually(() => timeline.requests.length).toBeGreaterThan(0);
      const polls = timeline.requests.length;
      timeline.add(100);
      // The next poll finds the event.
      await eventually(() => timeline.requests.length - polls).toBeGreaterThan(2);
      gateways = gateways.filter((other) => other !== gateway);
      await gateway.close();
      const all = await Promise.all(responses);
      client.close();
      const logged = lines
        .filter(({ msg }) => msg === "call")
        .map(({ protocol, code, bytesIn, bytesOut }) => JSON.stringify([protocol, code, bytesIn, bytesOut]));
      const comparable = all.map(({ status, headers: { date: _, ...headers }, body, trailers }) => {
        return { status, headers, body: body.toString("latin1"), trailers };
      });
      return { comparable, logged: logged.toSorted() };
    }),
  );
  const [fast, connect] = seen;
  expect(fast?.comparable).toEqual(connect?.comparable);
  expect(fast?.logged).toEqual(connect?.logged);
});

test("a detached watch ends at its deadline, and when its client disconnects", async () => {
  const { gateway, lines, watchers } = await start(timelineOf(3));
  const client = createClient(FeedService, createGrpcTransport({ baseUrl: gateway.url }));
  const timed = (async () => {
    for await (const _ of client.watch({ owner: "ada" }, { timeoutMs: 2000 }));
  })();
  await expect(timed).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  const abort = new AbortController();
  const left = (async () => {
    for await (const _ of client.watch({ owner: "ada" }, { signal: abort.signal })) abort.abort();
  })();
  await expect(left).rejects.toMatchObject({ code: Code.Canceled });
  await eventually(() => lines.filter(({ msg }) => msg === "call").map(({ code }) => code)).toEqual([
    "deadline_exceeded",
    "canceled",
  ]);
  await eventually(watchers).toBe(0);
});

test("a watcher that does not read is disconnected above the buffer limit", async () => {
  const timeline = timelineOf(0);
  timeline.pageSize = 6000;
  timeline.depth = 6000;
  const { gateway, lines } = await start(timeline, { watch: { resumeKey: KEY, bufferBytes: 64 * 1024 } });
  const session = http2.connect(gateway.url, { settings: { initialWindowSize: 0 } });
  const { path, headers, body } = callOf({ type: "grpc", accepts: undefined }, {});
  const slow = session.request({ ":method": "POST", ":path": path, ...headers });
  slow.on("error", () => undefined).end(body);
  let next = 1;
  // Each poll returns enough events to fill the connection and then the buffer.
  timeline.onRequest = () => {
    for (let i = 0; i < 2000; i++) timeline.add(next++);
  };
  await eventually(() => lines.filter(({ msg }) => msg === "call").map(({ code }) => code)).toEqual([
    "resource_exhausted",
  ]);
  session.destroy();
});

test("a detached stream is reset if its client does not read for stalledWriteMs", async () => {
  const timeline = timelineOf(3);
  const { gateway, lines } = await start(timeline, { limits: { stalledWriteMs: 200, drainNoticeMs: 1 } });
  const session = http2.connect(gateway.url, { settings: { initialWindowSize: 0 } });
  const { path, headers, body } = callOf({ type: "grpc", accepts: undefined }, { backlog: true });
  const stream = session.request({ ":method": "POST", ":path": path, ...headers });
  stream.on("error", () => undefined).end(body);
  await eventually(() => lines.filter(({ msg }) => msg === "call").map(({ code }) => code)).toEqual([
    "canceled",
  ]);
  session.destroy();
});
