import { spawnSync } from "node:child_process";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RequestWriter, unary } from "connect-rest-runtime/adapter";
import { DIFFERENCE_CLASSES } from "connect-rest-runtime/internal";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Gateway, startGateway } from "../index.ts";
import { EchoServiceRest, echoRules } from "../testing/echo-rest.ts";
import { exchange } from "../testing/raw.ts";
import { VERSION } from "../version.ts";
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

test("calls, upstream requests, differences and rejections are counted, and calls and requests are timed", async () => {
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
    'connect_rest_rejected_requests_total{status="414"} 1',
    `connect_rest_build_info{version="${VERSION}",node_version="${process.versions.node}"} 1`,
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

test("a request without a response counts with the status none", async () => {
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

test("the metrics port serves only /metrics, and survives input that is not HTTP", async () => {
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

test("the port for calls does not serve metrics", async () => {
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

test("a gateway whose metrics port is in use does not start, and closes its other listeners", async () => {
  const { port } = new URL(gateway.metricsUrl ?? "");
  const options = { adapters: [EchoServiceRest], upstreams: { echo: { baseUrl: "http://127.0.0.1:1" } } };
  await expect(startGateway({ ...options, metrics: { port: Number(port) } })).rejects.toThrow("EADDRINUSE");
});

test("the path label of differences contains only declared field names, whatever keys an upstream sends", async () => {
  const metrics = new Metrics({}, [EchoServiceRest]);
  const keys = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom("text", "[3]", "[]", ".", " or ", "x or text"),
  );
  const paths = fc.array(keys, { minLength: 1, maxLength: 6 }).map((steps) => steps.join("."));
  fc.assert(
    fc.property(paths, fc.constantFrom(...DIFFERENCE_CLASSES), (path, as) => {
      const counts = { additional: 0, converted: 0, lost: 0, [as]: 1 };
      const differences = [{ path, expected: "string", got: "number 5", class: as }];
      metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
    }),
  );
  const { body } = await metrics.render();
  const labels = Array.from(body.matchAll(/differences_total\{.*path="([^"]*)"/g), ([, path = ""]) => path);
  expect(labels).toContain("*");
  for (const label of labels) {
    for (const name of label.split(/\.|\[\]| or /)) expect(["", "text", "*"]).toContain(name);
  }
});

test("the path label of differences omits indexes and ends at the first undeclared key", async () => {
  const metrics = new Metrics({}, [EchoServiceRest]);
  for (const path of ["text", "text[3]", "text[4].surprise", "surprise[1].text", "(root)"]) {
    const differences = [{ path, expected: "string", got: "number 5", class: "lost" as const }];
    const counts = { additional: 0, converted: 0, lost: 1 };
    metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  }
  const { body } = await metrics.render();
  const labels = Array.from(body.matchAll(/differences_total\{.*path="([^"]*)"/g), ([, path = ""]) => path);
  expect(labels).toEqual(["text", "text[]", "text[].*", "*", "(root)"]);
});

test("the path label of differences does not count an upstream's key as declared if only its parts are declared", async () => {
  const echo = unary(EchoService.method.echo, {
    rules: { ...echoRules, envelope: { payload: ["posts.title", "page.'@odata.next'"] } },
    request: () => new RequestWriter("POST", "/echo"),
    response: ({ payload }, out) => out.root(payload, () => {}),
  });
  const metrics = new Metrics({}, [{ ...EchoServiceRest, methods: { echo } }]);
  const labels = {
    "posts.title": "posts.title",
    'posts["posts.title"]': "posts.*",
    '["posts.title"].text': "*",
    '["posts or title"]': "*",
    '["(root)"]': "*",
    '[""]': "*",
    '["text"…]': "*",
    'page["@odata.next"]': 'page["@odata.next"]',
    "page.@odata": "page.*",
  };
  for (const path of Object.keys(labels)) {
    const differences = [{ path, expected: "no such key", got: "number 5", class: "lost" as const }];
    const counts = { additional: 0, converted: 0, lost: 1 };
    metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  }
  const { body } = await metrics.render();
  const found = Array.from(body.matchAll(/differences_total\{.*path=("(?:[^"\\]|\\.)*")/g), ([, path = ""]) =>
    JSON.parse(path),
  );
  expect(found).toEqual([...new Set(Object.values(labels))]);
});

test("differences that are not listed in the report are counted", async () => {
  const metrics = new Metrics({}, [EchoServiceRest]);
  const differences = [{ path: "a", expected: "no such key", got: "number 5", class: "additional" as const }];
  const counts = { additional: 41, converted: 0, lost: 0 };
  metrics.differed({ method: EchoService.method.echo, upstream: "echo", differences, counts });
  const { body } = await metrics.render();
  expect(body).toContain('method="echo.v1.EchoService/Echo",path="*",class="additional"} 1\n');
  expect(body).toContain('method="echo.v1.EchoService/Echo",path="other",class="additional"} 40\n');
});

test("requests that do not become calls are counted by status", async () => {
  const before = await rejections();
  await fetch(`${gateway.url}/nowhere`, { method: "POST" });
  await exchange(gateway.port, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  await exchange(gateway.port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  await exchange(gateway.port, "GET /\x00 HTTP/1.1\r\n\r\n");
  const after = await rejections();
  const more = [...after].map(([status, count]) => [status, count - (before.get(status) ?? 0)] as const);
  expect(new Map(more.filter(([, count]) => count > 0))).toEqual(
    new Map([
      ["400", 2],
      ["404", 1],
      ["421", 1],
    ]),
  );
});

async function rejections(): Promise<Map<string, number>> {
  const lines = (await scrape()).map((line) =>
    /^connect_rest_rejected_requests_total\{status="(\d+)"\} (\d+)$/.exec(line),
  );
  return new Map(lines.flatMap((match) => (match === null ? [] : [[match[1] ?? "", Number(match[2])]])));
}

/** Makes a call that ends before its upstream responds, and returns the metrics of its request. */
async function outcomeOf(
  end: (call: Promise<unknown>, abort: AbortController) => Promise<unknown>,
): Promise<string[]> {
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let left = () => {};
  const leaving = new Promise<void>((resolve) => {
    left = resolve;
  });
  const silent = http.createServer((_, response) => {
    response.once("close", left);
    arrived();
  });
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const other = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: { baseUrl: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`, retry: false },
    },
    metrics: { port: 0, perMethod: true },
  });
  const abort = new AbortController();
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: other.url }));
  const call = client.echo({ text: "a" }, { signal: abort.signal, timeoutMs: 60_000 }).catch(() => undefined);
  await arrival;
  await end(call, abort);
  // the gateway closes the connection
  await leaving;
  silent.closeAllConnections();
  // The call is counted by the time the gateway closes, at the latest.
  const url = other.metricsUrl ?? "";
  let lines: string[] = [];
  while (lines.length === 0) {
    lines = (await (await fetch(url)).text())
      .split("\n")
      .filter((line) =>
        /^connect_rest_(?:upstream_requests_total|method_upstream_duration_seconds_count)/.test(line),
      );
  }
  await other.close();
  silent.close();
  return lines;
}

test("a call canceled by its caller counts as canceled, and its method has a histogram if perMethod is set", async () => {
  const lines = await outcomeOf(async (call, abort) => {
    abort.abort();
    await call;
  });
  expect(lines).toEqual([
    'connect_rest_upstream_requests_total{upstream="echo",status="canceled"} 1',
    'connect_rest_method_upstream_duration_seconds_count{upstream="echo",method="echo.v1.EchoService/Echo"} 1',
  ]);
});

test("metrics are in OpenMetrics format if the scraper prefers this format, and compressed if the scraper accepts gzip", async () => {
  const accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3";
  const open = await fetch(gateway.metricsUrl ?? "", { headers: { accept, "accept-encoding": "gzip" } });
  expect(open.headers.get("content-type")).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
  expect(open.headers.get("content-encoding")).toBe("gzip");
  const text = await open.text();
  expect(text).toMatch(/\n# EOF\n$/);
  expect(text).not.toContain("\n\n");
  expect(text).toContain("# TYPE connect_rest_calls counter\n");
  expect(text).toContain("\nconnect_rest_calls_total{");
  const plain = await fetch(gateway.metricsUrl ?? "", {
    headers: { "accept-encoding": "gzip;q=0, identity" },
  });
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(await plain.text()).toContain("# TYPE connect_rest_calls_total counter\n");
});

/** Returns the problems that `promtool check metrics` would find on a page. */
function lint(page: string): string[] {
  const types = new Map(
    [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type]) => [name, type]),
  );
  const helped = new Set([...page.matchAll(/^# HELP (\S+) .+$/gm)].map(([, name = ""]) => name));
  const samples = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const ofSamples = samples.flatMap((line) => {
    const name = /^[^{ ]+/.exec(line)?.[0] ?? "";
    const family = types.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, "");
    const isWellFormed = /^[^{ ]+(?:\{(?:[a-z_][a-z0-9_]*="[^"]*",?)*\})? \S+$/.test(line);
    return [
      types.has(family) ? "" : `${name}: no type`,
      helped.has(family) ? "" : `${name}: no help`,
      isWellFormed ? "" : `${name}: malformed`,
    ];
  });
  const ofNames = [...types].flatMap(([name, type]) => [
    /^[a-z][a-z0-9_]*$/.test(name) ? "" : `${name}: not snake_case`,
    (type === "counter") === name.endsWith("_total") ? "" : `${name}: a ${type}, by its name another`,
    /_(?:ms|minutes|hours|kb|mb|percent|bucket|sum|count)(?:_|$)/.test(name) ? `${name}: no base unit` : "",
    /_(?:counter|gauge|histogram|summary)(?:_|$)/.test(name) ? `${name}: has its type in its name` : "",
  ]);
  return [...ofSamples, ...ofNames].filter((problem) => problem !== "");
}

test("all metrics, including the process metrics, follow the Prometheus conventions", async () => {
  const page = (await scrape()).join("\n");
  expect(lint(page)).toEqual([]);
  // If promtool is installed, it must find no problems either.
  const promtool = spawnSync("promtool", ["check", "metrics"], { input: page, encoding: "utf8" });
  if (promtool.error === undefined) expect(promtool.stdout + promtool.stderr).toBe("");
  expect(lint("# TYPE a_ms gauge\na_ms 1\n")).toEqual(["a_ms: no help", "a_ms: no base unit"]);
});
