import http from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { startGateway } from "./index.ts";
import { createLogger } from "./log/logger.ts";
import { EchoServiceRest } from "./testing/echo-rest.ts";

const METRIC = /^connect_rest_breaker_state\{.*$/m;

test("an upstream that is left alone, tried and taken back is seen in the log and in the metrics", async () => {
  let status = 503;
  const upstream = http.createServer((_, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end('{"text":"a"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) });
  await using gateway = await open({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: { baseUrl: origin, retry: false, breaker: { failures: 2, cooldownMs: 1 } },
    },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1 },
    log,
  });
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url }));
  const call = () => client.echo({ text: "a" }).catch(() => undefined);
  const gauge = async () => METRIC.exec(await (await fetch(gateway.metricsUrl ?? "")).text())?.[0];
  const changes = () => lines.filter(({ msg }) => msg === "breaker");

  expect(await gauge()).toBeUndefined();
  await call();
  await call();
  const labels = `{upstream="echo",origin="${origin}"}`;
  expect(await gauge()).toBe(`connect_rest_breaker_state${labels} 2`);
  const common = { upstream: "echo", origin, msg: "breaker" };
  expect(changes()).toMatchObject([{ level: "warn", state: "open", cooldownMs: 1, ...common }]);

  status = 200;
  while (changes().length < 3) await call();
  expect(await gauge()).toBe(`connect_rest_breaker_state${labels} 0`);
  expect(changes().slice(1)).toMatchObject([
    { level: "info", state: "half_open", ...common },
    { level: "info", state: "closed", ...common },
  ]);
  upstream.closeAllConnections();
  upstream.close();
});

async function open(options: Parameters<typeof startGateway>[0]) {
  const gateway = await startGateway(options);
  return { ...gateway, [Symbol.asyncDispose]: () => gateway.close() };
}
