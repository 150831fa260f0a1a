import http from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Gateway, startGateway } from "../index.ts";
import { createLogger } from "../log/logger.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });

let status = 200;
let body = '{"text":"yes"}';
let received: http.IncomingHttpHeaders = {};
let active: string | undefined;
let upstream: http.Server;
let gateway: Gateway;
const LINES: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    received = request.headers;
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: {
        baseUrl,
        credentials: () => {
          active = trace.getActiveSpan()?.spanContext().traceId;
          return { apiKey: "s3cret-key" };
        },
      },
    },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write: (line: string) => LINES.push(JSON.parse(line)) }),
  });
});
afterEach(() => {
  status = 200;
  body = '{"text":"yes"}';
  exporter.reset();
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

const echo = (headers: Record<string, string> = {}) =>
  createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url })).echo(
    { text: "s3cret-text" },
    { headers },
  );

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE_ID}-00f067aa0ba902b7-01`;

test("without an SDK, the caller's trace context is sent to the upstream, and the trace ID is logged", async () => {
  await echo({ traceparent: TRACEPARENT, tracestate: "vendor=1", baggage: "user=alice" });
  expect(received).toMatchObject({ traceparent: TRACEPARENT, tracestate: "vendor=1" });
  expect(received.baggage).toBeUndefined();
  expect(LINES.at(-1)).toMatchObject({ traceId: TRACE_ID, attempts: 1, upstreamStatus: 200 });
});

test.each([
  undefined,
  "",
  "garbage",
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `${TRACEPARENT}-x`.repeat(9),
])("without an SDK, the traceparent %j is ignored", async (given) => {
  await echo(given === undefined ? {} : { traceparent: given });
  expect(received.traceparent).toBeUndefined();
  expect(LINES.at(-1)).not.toHaveProperty("traceId");
});

/** Registers the SDK; further calls have no effect. */
function registerSdk(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
}

test("with an SDK, a call and its request have readable spans below the caller's span", async () => {
  registerSdk();
  await echo({ traceparent: TRACEPARENT });
  const [request, call] = exporter.getFinishedSpans();
  expect(call).toMatchObject({
    name: "echo.v1.EchoService/Echo",
    kind: SpanKind.SERVER,
    parentSpanContext: { traceId: TRACE_ID, spanId: "00f067aa0ba902b7" },
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      "rpc.system.name": "grpc",
      "rpc.method": "echo.v1.EchoService/Echo",
      "rpc.response.status_code": "OK",
      "server.address": "127.0.0.1",
      "server.port": gateway.port,
      "client.address": "127.0.0.1",
      "connect_rest.protocol": "grpc",
      "connect_rest.request_id": LINES.at(-1)?.requestId,
    },
  });
  expect(request).toMatchObject({
    name: "POST echo",
    kind: SpanKind.CLIENT,
    parentSpanContext: { traceId: TRACE_ID, spanId: call?.spanContext().spanId },
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "server.address": "127.0.0.1",
      "connect_rest.upstream": "echo",
    },
  });
  expect(received.traceparent).toBe(`00-${TRACE_ID}-${request?.spanContext().spanId}-01`);
  expect(active).toBe(TRACE_ID);
});

test("with an SDK, the first sighting of a difference is an event of the call's span, without its value", async () => {
  registerSdk();
  body = '{"text":735197}';
  for (let call = 0; call < 2; call++) await echo();
  const events = exporter.getFinishedSpans().flatMap((span) => span.events);
  expect(events.map(({ name, attributes }) => ({ name, attributes }))).toEqual([
    {
      name: "connect_rest.difference",
      attributes: {
        method: "echo.v1.EchoService/Echo",
        upstream: "echo",
        path: "text",
        class: "converted",
        expected: "string",
        got: "number",
        length: "6",
      },
    },
  ]);
});

test("with an SDK, a call without a trace context starts a trace", async () => {
  registerSdk();
  await echo();
  const call = exporter.getFinishedSpans().at(-1);
  expect(call?.parentSpanContext).toBeUndefined();
  expect(LINES.at(-1)).toMatchObject({ traceId: call?.spanContext().traceId });
  expect(received.traceparent).toContain(call?.spanContext().traceId);
});

test("with an SDK, failed calls and attempts have spans with an error, and no span contains a message or a key", async () => {
  registerSdk();
  status = 503;
  await echo().catch(() => undefined);
  const spans = exporter.getFinishedSpans();
  const failed = { code: SpanStatusCode.ERROR, message: "503" };
  expect(spans.map((span) => span.status)).toEqual([
    failed,
    failed,
    failed,
    { code: SpanStatusCode.ERROR, message: "unavailable" },
  ]);
  expect(LINES.at(-1)).toMatchObject({ attempts: 3, upstreamStatus: 503, code: "unavailable" });
  const texts = spans.map(({ name, attributes, events, status: end }) =>
    JSON.stringify({ name, attributes, events, end }),
  );
  expect(texts.join("")).not.toContain("s3cret");
});
