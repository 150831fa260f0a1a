import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Run, runCli } from "../testing/child.ts";
import { type CollectedSpan, type Collector, startCollector } from "../testing/collector.ts";

const testing = path.resolve(import.meta.dirname, "../testing");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-otel-"));
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";

let upstream: http.Server;
let status = 200;
let sent: string[] = [];
let collector: Collector;
let run: Run | undefined;
beforeAll(async () => {
  upstream = http.createServer((request, response) => {
    sent = request.rawHeaders.map((text) => text.toLowerCase());
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  writeFileSync(
    path.join(directory, "connect-rest.yaml"),
    `adapters: [${testing}/echo-rest.ts]\nupstreams: { echo: { baseUrl: "http://127.0.0.1:${port}", retry: false } }\n`,
  );
  collector = await startCollector();
});
afterEach(() => {
  run?.process.kill("SIGKILL");
  status = 200;
});
afterAll(() => {
  collector.close();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(directory, { recursive: true });
});

/**
 * Starts a gateway that preloads a module, makes a call, stops the gateway, and returns the spans that the
 * collector received.
 */
async function spansWith(module: string): Promise<readonly CollectedSpan[]> {
  const before = collector.spans.length;
  run = runCli(["serve"], directory, {
    NODE_OPTIONS: `--import ${module}`,
    OTEL_SERVICE_NAME: "gateway",
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_METRICS_EXPORTER: "none",
    OTEL_LOGS_EXPORTER: "none",
    OTEL_NODE_RESOURCE_DETECTORS: "env",
  });
  const url = (await run.line(/^gateway ready on /)).replace("gateway ready on ", "");
  const headers = { "content-type": "application/json", traceparent: `00-${TRACE_ID}-${CALLER}-01` };
  await fetch(`${url}/echo.v1.EchoService/Echo`, { method: "POST", headers, body: '{"text":"s3cret"}' });
  run.process.kill("SIGTERM");
  expect(await run.exit).toBe(0);
  return collector.spans.slice(before);
}

const tracing = pathToFileURL(path.join(testing, "tracing.ts")).href;
const register = import.meta.resolve("@opentelemetry/auto-instrumentations-node/register");

/** Returns the gateway's own spans: one of the call and one of its upstream request. */
function own(spans: readonly CollectedSpan[]) {
  const mine = spans.filter(({ scope }) => scope === "connect-rest-gateway");
  expect(mine.map(({ kind }) => kind).sort()).toEqual([2, 3]);
  const [call, request] = [mine.find(({ kind }) => kind === 2), mine.find(({ kind }) => kind === 3)];
  if (call === undefined || request === undefined) throw new Error("no spans");
  return { call, request };
}

test("the setup in these tests is documented in the README", () => {
  const [, ...lines] = readFileSync(path.join(testing, "tracing.ts"), "utf8").split("\n");
  const readme = readFileSync(path.resolve(testing, "../../README.md"), "utf8");
  expect(readme).toContain(`\n${lines.join("\n")}\`\`\`\n`);
  expect(readme).toContain('NODE_OPTIONS="--import @opentelemetry/auto-instrumentations-node/register"');
});

test("the collector receives spans before the process ends, with conventional attributes and the caller's span as parent", async () => {
  const spans = await spansWith(tracing);
  expect(spans).toHaveLength(2);
  const { call, request } = own(spans);
  expect(call).toMatchObject({
    service: "gateway",
    traceId: TRACE_ID,
    parentSpanId: CALLER,
    name: "echo.v1.EchoService/Echo",
    status: 0,
    attributes: {
      "rpc.system.name": "connectrpc",
      "rpc.method": "echo.v1.EchoService/Echo",
      "server.address": "127.0.0.1",
      "server.port": expect.any(Number),
      "client.address": "127.0.0.1",
    },
  });
  expect(request).toMatchObject({
    traceId: TRACE_ID,
    parentSpanId: call.spanId,
    name: "POST echo",
    status: 0,
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "url.scheme": "http",
      "server.address": "127.0.0.1",
      "server.port": (upstream.address() as AddressInfo).port,
    },
  });
  expect(sent[sent.indexOf("traceparent") + 1]).toBe(`00-${TRACE_ID}-${request.spanId}-01`);
  expect(JSON.stringify(spans)).not.toContain("s3cret");
});

test.each([
  [404, 0, { "error.type": "not_found", "rpc.response.status_code": "not_found" }],
  [503, 2, { "error.type": "unavailable", "rpc.response.status_code": "unavailable" }],
])(
  "a call whose upstream responds with %i has a span with status %i",
  async (upstreamStatus, code, attributes) => {
    status = upstreamStatus;
    const { call, request } = own(await spansWith(tracing));
    expect(call).toMatchObject({ status: code, attributes });
    expect(request).toMatchObject({ status: 2, attributes: { "error.type": String(upstreamStatus) } });
  },
);

test("with auto-instrumentation, the HTTP request's span is the parent of the call's span, and the upstream gets one traceparent", async () => {
  const spans = await spansWith(register);
  const { call, request } = own(spans);
  const server = spans.find(({ scope, attributes }) => {
    return (
      scope === "@opentelemetry/instrumentation-http" &&
      attributes["url.path"] === "/echo.v1.EchoService/Echo"
    );
  });
  expect(server).toMatchObject({ kind: 2, traceId: TRACE_ID, parentSpanId: CALLER });
  expect(call).toMatchObject({ traceId: TRACE_ID, parentSpanId: server?.spanId });
  expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: call.spanId });
  expect(spans.filter(({ scope }) => scope.endsWith("-undici"))).toEqual([]);
  expect(sent.filter((name) => name === "traceparent")).toHaveLength(1);
  expect(sent[sent.indexOf("traceparent") + 1]).toBe(`00-${TRACE_ID}-${request.spanId}-01`);
});

test("the gateway logs that an SDK for an older API version produces no spans", async () => {
  const old = path.join(directory, "old-sdk.mjs");
  writeFileSync(old, 'globalThis[Symbol.for("opentelemetry.js.api.1")] = { version: "1.9.1", trace: {} };\n');
  expect(await spansWith(pathToFileURL(old).href)).toEqual([]);
  expect(run?.output().stderr).toContain("uses version 1.9.1 of @opentelemetry/api");
});

test("an unresponsive collector does not delay the shutdown", async () => {
  const { url } = collector;
  const away = http.createServer(() => undefined);
  await new Promise<void>((resolve) => away.listen(0, "127.0.0.1", resolve));
  collector = { ...collector, url: `http://127.0.0.1:${(away.address() as AddressInfo).port}` };
  expect(await spansWith(tracing)).toEqual([]);
  collector = { ...collector, url };
  away.closeAllConnections();
  away.close();
});
