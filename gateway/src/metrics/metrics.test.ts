import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Gateway, startGateway } from "../index.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { exchange } from "../testing/raw.ts";
import { Metrics } from "./metrics.ts";

let status = 200;
let upstream: http.Server;
let gateway: Gateway;
beforeAll(async () => {
  upstream = http.createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end('{"text":7}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: { echo: { baseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` } },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1 },
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

async function scrape(): Promise<string[]> {
  const answer = await fetch(gateway.metricsUrl ?? "");
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  return (await answer.text()).split("\n");
}

test("calls, requests to upstreams, differences and refusals are counted and timed", async () => {
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url }));
  await client.echo({ text: "a" });
  await client.echo({ text: "a" });
  status = 404;
  await client.echo({ text: "a" }).catch(() => undefined);
  await client.echo({ count: -1 }).catch(() => undefined);
  await fetch(`${gateway.url}/${"x".repeat(9000)}`);
  const lines = await scrape();
  const method = 'method="echo.v1.EchoService/Echo"';
  for (const line of [
    `connect_rest_calls_total{${method},code="ok",protocol="grpc"} 2`,
    `connect_rest_calls_total{${method},code="not_found",protocol="grpc"} 1`,
    `connect_rest_calls_total{${method},code="invalid_argument",protocol="grpc"} 1`,
    `connect_rest_call_duration_seconds_count{${method},protocol="grpc"} 4`,
    'connect_rest_upstream_requests_total{upstream="echo",status="200"} 2',
    'connect_rest_upstream_requests_total{upstream="echo",status="404"} 1',
    'connect_rest_upstream_request_duration_seconds_count{upstream="echo"} 3',
    `connect_rest_differences_total{${method},path="text",class="converted"} 2`,
    'connect_rest_refusals_total{limit="urlBytes"} 1',
    "connect_rest_calls_in_flight 0",
    "connect_rest_calls_queued 0",
  ]) {
    expect(lines).toContain(line);
  }
  for (const name of [
    "connect_rest_connections ",
    "nodejs_eventloop_lag_p99_seconds ",
    "nodejs_heap_size_used_bytes ",
  ]) {
    expect(lines.some((line) => line.startsWith(name))).toBe(true);
  }
});

test("an upstream that does not answer is counted as none", async () => {
  const dead = net.createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => dead.listen(0, "127.0.0.1", resolve));
  const other = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: { baseUrl: `http://127.0.0.1:${(dead.address() as AddressInfo).port}`, retry: false },
    },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1 },
  });
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: other.url }));
  await client.echo({ text: "a" }).catch(() => undefined);
  expect(await (await fetch(other.metricsUrl ?? "")).text()).toContain(
    'connect_rest_upstream_requests_total{upstream="echo",status="none"} 1',
  );
  await other.close();
  dead.close();
});

test("the port of the metrics has nothing else, and survives what is no HTTP", async () => {
  const { origin, port } = new URL(gateway.metricsUrl ?? "");
  expect((await fetch(`${origin}/`)).status).toBe(404);
  expect((await fetch(`${origin}/metrics`, { method: "POST" })).status).toBe(404);
  for (const host of ["[", "evil.example", "localhost.evil.example:80"]) {
    const request = `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    expect(await exchange(Number(port), request)).toContain("421 Misdirected Request");
  }
  expect(await exchange(Number(port), "GET /metrics HTTP/1.0\r\n\r\n")).toContain("200 OK");
  expect(await exchange(Number(port), "\x00\x01\r\n\r\n")).toContain("400 Bad Request");
  await scrape();
});

test("the port of the metrics is another one than that of the calls", async () => {
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

test("the port of the metrics that is taken fails the start, and leaves nothing behind", async () => {
  const { port } = new URL(gateway.metricsUrl ?? "");
  const options = { adapters: [EchoServiceRest], upstreams: { echo: { baseUrl: "http://127.0.0.1:1" } } };
  await expect(startGateway({ ...options, metrics: { port: Number(port) } })).rejects.toThrow("EADDRINUSE");
});

test("places of differences are at most a thousand, whatever an upstream sends", async () => {
  const metrics = new Metrics();
  for (let i = 0; i < 3000; i++) {
    const differences = [
      { path: `items[${i}].key${i}`, expected: "string", got: "number 5", class: "converted" as const },
    ];
    const counts = { additional: 0, converted: 1, lost: 0 };
    metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  }
  const lines = (await metrics.render()).body
    .split("\n")
    .filter((line) => line.startsWith("connect_rest_differences_total{"));
  expect(lines).toHaveLength(1001);
  expect(lines[0]).toContain('path="items[].key0"');
  expect(lines.at(-1)).toBe(
    'connect_rest_differences_total{method="echo.v1.EchoService/Echo",path="other",class="converted"} 2000',
  );
});

test("differences beyond those that are listed are counted all the same", async () => {
  const metrics = new Metrics();
  const differences = [{ path: "a", expected: "no such key", got: "number 5", class: "additional" as const }];
  const counts = { additional: 41, converted: 0, lost: 0 };
  metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  const { body } = await metrics.render();
  expect(body).toContain('method="echo.v1.EchoService/Echo",path="a",class="additional"} 1\n');
  expect(body).toContain('method="echo.v1.EchoService/Echo",path="other",class="additional"} 40\n');
});
