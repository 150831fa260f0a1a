import http2 from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoRequestSchema, EchoResponseSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import type { LimitOptions } from "../limits.ts";
import { createLogger } from "../log/logger.ts";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, startServer } from "../server.ts";
import { echoRoutes } from "../testing/echo.ts";
import type { UnaryContext } from "./call-unary.ts";

/** A stream whose messages come from the test. */
class Source {
  readonly header = new Headers();
  readonly context: UnaryContext;
  asked = 0;
  isLeft = false;
  private readonly ready: Array<Uint8Array | Error | undefined> = [];
  private wake: (() => void) | undefined;

  constructor(context: UnaryContext) {
    this.context = context;
  }

  push(item: string | Error | undefined): void {
    const bytes =
      typeof item === "string"
        ? toBinary(EchoResponseSchema, create(EchoResponseSchema, { text: item }))
        : item;
    this.ready.push(bytes);
    this.wake?.();
  }

  /** Ignores its signal, so the caller has to stop waiting by itself. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.asked += 1;
    while (this.ready.length === 0) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const item = this.ready.shift();
    if (item === undefined) return { done: true, value: undefined };
    if (item instanceof Error) throw item;
    return { done: false, value: item };
  }

  async return(): Promise<void> {
    this.isLeft = true;
  }
}

/** A generous timeout for busy machines. */
const POLL = { timeout: 60_000 };

let server: Server;
let metrics: Metrics;
let sources: Source[] = [];
let opened: PromiseWithResolvers<Source>;
const LINES: Record<string, unknown>[] = [];

const LIMITS: LimitOptions = { drainNoticeMs: 1, drainStreamsMs: 1, watchers: 3, watchersPerClient: 1 };

beforeEach(async () => {
  LINES.length = 0;
  sources = [];
  opened = Promise.withResolvers();
  metrics = new Metrics();
  server = await startServer({
    routes: echoRoutes,
    streamOf: () => ({
      call: (_message, context) => {
        const source = new Source(context);
        sources.push(source);
        opened.resolve(source);
        return source;
      },
      isShared: true,
    }),
    isWatch: ({ name }) => name === "Repeat",
    limits: LIMITS,
    metrics,
    log: createLogger("info", { write: (line: string) => LINES.push(JSON.parse(line)) }),
  });
});
afterEach(() => server.close());

/** Returns the source of the next stream that a client opens. */
async function nextSource(): Promise<Source> {
  const source = await opened.promise;
  opened = Promise.withResolvers();
  return source;
}

const transports = {
  Connect: () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  "Connect over HTTP/2": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
  gRPC: () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
};

async function allOf(stream: AsyncIterable<{ readonly text: string }>): Promise<string[]> {
  const texts: string[] = [];
  try {
    for await (const { text } of stream) texts.push(text);
    return texts;
  } catch (error) {
    return [...texts, String(error)];
  }
}

describe.each(Object.entries(transports))("over %s", (_, transport) => {
  const repeat = (options = {}) =>
    allOf(createClient(EchoService, transport()).repeat({ text: "a" }, options));

  test("messages arrive as the method yields them, followed by the end of the stream", async () => {
    const texts = repeat();
    const source = await nextSource();
    for (const item of ["a", "b", undefined]) source.push(item);
    expect(await texts).toEqual(["a", "b"]);
    await expect.poll(() => LINES, POLL).toMatchObject([{ code: "ok" }]);
  });

  test("a stream ends at its deadline, even if the method continues", async () => {
    // sent as headers, so that only the server has a timer
    const texts = repeat({ headers: { "connect-timeout-ms": "1000", "grpc-timeout": "1000m" } });
    const source = await nextSource();
    source.push("a");
    const [, error] = await texts;
    expect(error).toMatch(/^ConnectError: \[deadline_exceeded\]/);
    await expect.poll(() => source.isLeft, POLL).toBe(true);
    await expect.poll(() => LINES, POLL).toMatchObject([{ code: "deadline_exceeded" }]);
  });

  test("a stream ends when its client disconnects", async () => {
    const abort = new AbortController();
    const texts = repeat({ signal: abort.signal });
    const source = await nextSource();
    source.push("a");
    abort.abort();
    await texts;
    await expect.poll(() => source.isLeft, POLL).toBe(true);
    expect(source.context.signal.reason).toMatchObject({
      code: Code.Canceled,
      rawMessage: "the client hung up",
    });
    await expect.poll(() => LINES, POLL).toMatchObject([{ code: "canceled" }]);
  });

  test("a defect becomes an internal error for the caller, and the log contains the defect's cause", async () => {
    const texts = repeat();
    (await nextSource()).push(new TypeError("s3cret"));
    expect(await texts).toEqual(["ConnectError: [internal] internal error"]);
    await expect
      .poll(() => LINES)
      .toMatchObject([{ code: "internal", cause: expect.stringContaining("s3cret") }]);
  });

  test("a method that throws after it has yielded messages ends the stream with its error", async () => {
    const texts = repeat();
    const source = await nextSource();
    source.push("a");
    source.push(new ConnectError("no more", Code.Aborted));
    expect(await texts).toEqual(["a", "ConnectError: [aborted] no more"]);
  });

  test("a stream ends when the gateway shuts down", async () => {
    const texts = repeat();
    const source = await nextSource();
    source.push("a");
    await server.close();
    expect((await texts).at(-1)).toMatch(/^ConnectError: \[unavailable\]/);
    expect(source.isLeft).toBe(true);
  });
});

function openStream(session: http2.ClientHttp2Session): http2.ClientHttp2Stream {
  const message = toBinary(EchoRequestSchema, create(EchoRequestSchema, { text: "a" }));
  const stream = session.request({
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Repeat",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => undefined);
  stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
  return stream;
}

test("the method is not asked for more messages while the client does not read", async () => {
  const session = http2.connect(server.url, { settings: { initialWindowSize: 1000 } });
  const stream = openStream(session);
  const source = await nextSource();
  for (let i = 0; i < 100; i++) source.push("x".repeat(50_000));
  await expect.poll(() => source.asked, POLL).toBeGreaterThan(0);
  // only a few messages are buffered between the method and the socket
  expect(source.asked).toBeLessThan(20);
  source.push(undefined);
  stream.resume();
  await expect.poll(() => source.asked, POLL).toBe(101);
  session.destroy();
});

test("watchers over the limit are rejected, and watchers do not count as calls in flight", async () => {
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: server.url }));
  const running = [];
  for (let i = 0; i < 3; i++) {
    running.push(allOf(client.repeat({ text: "a" })));
    await nextSource();
  }
  const [error] = await allOf(client.repeat({ text: "a" }));
  expect(error).toBe(
    "ConnectError: [resource_exhausted] this client has 3 of the 3 streams that watch feeds, and there is no room for more (watchersPerClient); try again later",
  );
  const { body } = await metrics.render();
  expect(body).toContain("connect_rest_watchers 3\n");
  expect(body).toContain("connect_rest_calls_in_flight 0\n");
  expect(body).toContain('connect_rest_refusals_total{limit="watchersPerClient"} 1\n');
  for (const source of sources) source.push(undefined);
  expect(await Promise.all(running)).toEqual([[], [], []]);
  await expect.poll(async () => (await metrics.render()).body, POLL).toContain("connect_rest_watchers 0\n");
});
