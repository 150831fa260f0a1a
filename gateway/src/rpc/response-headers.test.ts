import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../gateway.ts";
import { EchoServiceRest } from "../testing/echo-rest.ts";
import { exchange, http2Request } from "../testing/raw.ts";

/**
 * Header values that HTTP parsers accept from an upstream, but that some of the served protocols cannot
 * carry.
 */
const ODD: Readonly<Record<string, string>> = {
  "x-ratelimit-latin": "f\u00fcnf",
  "x-ratelimit-long": "9".repeat(2000),
  "x-ratelimit-tab": "a\tb",
  "x-ratelimit-good": "4",
  "x-request-id": "of-the-upstream",
};

let upstream: http.Server;
let gateways: readonly Gateway[];
beforeAll(async () => {
  upstream = http.createServer((_, response) => {
    response.writeHead(200, { ...ODD, "content-type": "application/json" }).end('{"text":"fine"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const start = (fastPath: boolean) =>
    startGateway({
      adapters: [EchoServiceRest],
      upstreams: { echo: { baseUrl } },
      fastPath,
      metrics: { port: 0 },
      limits: { drainNoticeMs: 1 },
    });
  gateways = await Promise.all([start(true), start(false)]);
});
afterAll(async () => {
  await Promise.all(gateways.map((gateway) => gateway.close()));
  upstream.close();
});

const PATH = "/echo.v1.EchoService/Echo";

test("upstream headers that cannot be sent are dropped and counted, and no upstream header replaces the gateway's request ID", async () => {
  for (const { port, metricsUrl = "" } of gateways) {
    const head = [
      "Host: localhost",
      "Content-Type: application/json",
      "X-Request-Id: mine",
      "Connection: close",
    ];
    const raw = await exchange(
      port,
      `POST ${PATH} HTTP/1.1\r\n${head.join("\r\n")}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(raw).toMatch(/^HTTP\/1.1 200 /);
    expect(raw.toLowerCase()).toContain("x-request-id: mine");
    expect(raw.toLowerCase()).toContain("x-ratelimit-good: 4");
    expect(raw.toLowerCase()).toContain("x-ratelimit-tab: a b");
    expect(raw).not.toMatch(/of-the-upstream|x-ratelimit-l/i);
    const grpc = {
      ":method": "POST",
      ":path": PATH,
      ":authority": "localhost",
      "content-type": "application/grpc",
      te: "trailers",
    };
    const { status, trailers } = await http2Request(port, grpc, Buffer.alloc(5));
    expect([status, trailers?.["grpc-status"]]).toEqual([200, "0"]);
    const scraped = await (await fetch(metricsUrl)).text();
    expect(scraped).toContain('connect_rest_dropped_headers_total{upstream="echo"} 4');
  }
});
