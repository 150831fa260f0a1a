import http from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { startGateway } from "./index.ts";
import { createLogger } from "./log/logger.ts";
import { EchoServiceRest } from "./testing/echo-rest.ts";

const METRIC = /^connect_rest_breaker_state\{.*$/m;

/** Starts a gateway with an upstream that the test can stop and restart. */
async function tested() {
  let status = 503;
  let onRequest = async () => {};
  const upstream = http.createServer(async (_, response) => {
    await onRequest();
    response.writeHead(status, { "content-type": "application/json" }).end('{"text":"a"}');
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => upstream.listen(port, "127.0.0.1", () => resolve()));
  await listen(0);
  const { port } = upstream.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) });
  const gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: { baseUrl: origin, retry: false, breaker: { failures: 2, cooldownMs: 1 } },
    },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1 },
    log,
  });
  const stop = async () => {
    upstream.closeAllConnections();
    await new Promise((resolve) => upstream.close(resolve));
  };
  const client = createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url }));
  return {
    origin,
    call: () => client.echo({ text: "a" }).catch(() => undefined),
    gauge: async (line = METRIC) => line.exec(await (await fetch(gateway.metricsUrl ?? "")).text())?.[0],
    set onRequest(run: () => Promise<void>) {
      onRequest = run;
    },
    changes: () => lines.filter(({ msg }) => msg === "breaker"),
    stop,
    restart: async () => {
      status = 200;
      if (!upstream.listening) await listen(port);
    },
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await stop();
    },
  };
}

test("the metrics show the number of running and waiting requests at each origin", async () => {
  await using gateway = await tested();
  const labels = `{upstream="echo",origin="${gateway.origin}"}`;
  expect(await gateway.gauge(/^connect_rest_origin_running.*$/m)).toBe(
    `connect_rest_origin_running${labels} 0`,
  );
  expect(await gateway.gauge(/^connect_rest_origin_waiting.*$/m)).toBe(
    `connect_rest_origin_waiting${labels} 0`,
  );
  expect(await gateway.gauge(/^connect_rest_origin_limit\{.*$/m)).toBeUndefined();
  await gateway.restart();
  const running: (string | undefined)[] = [];
  gateway.onRequest = async () => {
    running.push(await gateway.gauge(/^connect_rest_origin_running.*$/m));
  };
  await gateway.call();
  expect(running).toEqual([`connect_rest_origin_running${labels} 1`]);
});

test("the log and the metrics show that an upstream becomes unreachable and reachable again", async () => {
  await using gateway = await tested();
  const { origin, call, gauge, changes } = gateway;
  await gateway.stop();
  expect(await gauge()).toBeUndefined();
  await call();
  await call();
  const labels = `{upstream="echo",origin="${origin}"}`;
  expect(await gauge()).toBe(`connect_rest_breaker_state${labels} 2`);
  const common = { upstream: "echo", origin, msg: "breaker" };
  expect(changes()).toMatchObject([{ level: "warn", state: "open", cooldownMs: 1, ...common }]);
  expect(changes()[0]).not.toHaveProperty("client");

  await gateway.restart();
  while (changes().at(-1)?.state !== "closed") await call();
  expect(await gauge()).toBe(`connect_rest_breaker_state${labels} 0`);
  expect(changes().slice(-2)).toMatchObject([
    { level: "info", state: "half_open", ...common },
    { level: "info", state: "closed", ...common },
  ]);
});

test("the log shows a caller whose requests fail, and the state of the upstream does not change", async () => {
  await using gateway = await tested();
  const { origin, call, gauge, changes } = gateway;
  await call();
  await call();
  const common = { upstream: "echo", origin, msg: "breaker", client: "127.0.0.1" };
  expect(changes()).toMatchObject([{ level: "warn", state: "open", cooldownMs: 1, ...common }]);
  await gateway.restart();
  while (changes().at(-1)?.state !== "closed") await call();
  expect(changes().slice(-2)).toMatchObject([
    { level: "info", state: "half_open", ...common },
    { level: "info", state: "closed", ...common },
  ]);
  expect(await gauge()).toBeUndefined();
});

/** Starts a gateway behind a trusted proxy, so that each call may come from a different client. */
async function behindProxy() {
  const upstream = http.createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (text.includes("late")) return;
    response.writeHead(text.includes("fail") ? 500 : 200, { "content-type": "application/json" });
    response.end('{"text":"a"}');
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const { port } = upstream.address() as AddressInfo;
  const gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: { echo: { baseUrl: `http://127.0.0.1:${port}` } },
    proxies: { trusted: ["127.0.0.0/8"] },
    metrics: { port: 0 },
    limits: { drainNoticeMs: 1, eventLoopDelayMs: 60_000 },
  });
  return {
    call: async (client: string, text: string, headers: Readonly<Record<string, string>> = {}) => {
      const response = await fetch(`${gateway.url}/echo.v1.EchoService/Echo`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": client, ...headers },
        body: JSON.stringify({ text }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    gauge: async () => METRIC.exec(await (await fetch(gateway.metricsUrl ?? "")).text())?.[0],
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
    },
  };
}

const ATTACKS = fc.record({
  attackers: fc.integer({ min: 1, max: 5 }),
  calls: fc.integer({ min: 11, max: 40 }),
  others: fc.integer({ min: 1, max: 6 }),
  areLate: fc.boolean(),
});

test("clients whose requests get 500, or time out early, do not affect other clients", async () => {
  await fc.assert(
    fc.asyncProperty(ATTACKS, async ({ attackers, calls, others, areLate }) => {
      await using gateway = await behindProxy();
      const attack = Array.from({ length: attackers * calls }, (_, index) => {
        const client = `203.0.113.${index % attackers}`;
        return areLate
          ? gateway.call(client, "late", { "connect-timeout-ms": "20" })
          : gateway.call(client, "fail");
      });
      const served = async (client: string) => {
        const statuses: number[] = [];
        for (let count = 0; count < 10; count++) statuses.push(await gateway.call(client, "a"));
        return statuses;
      };
      const during = await Promise.all(
        Array.from({ length: others }, (_, index) => served(`198.51.100.${index}`)),
      );
      const failed = await Promise.all(attack);
      expect(failed).not.toContain(200);
      expect(new Set([...during.flat(), ...(await served("192.0.2.1"))])).toEqual(new Set([200]));
      expect(await gateway.gauge()).toBeUndefined();
    }),
    { numRuns: 12, interruptAfterTimeLimit: 10_000 },
  );
});
