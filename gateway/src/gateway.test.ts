import http from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { type Gateway, startGateway } from "./index.ts";
import { createLogger } from "./log/logger.ts";
import { EchoServiceRest } from "./testing/echo-rest.ts";

/** What the upstream answers, and what it was asked. */
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
let upstream: http.Server;
let gateway: Gateway;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  upstream = http.createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  gateway = await startGateway({
    adapters: [EchoServiceRest],
    upstreams: {
      echo: {
        baseUrl: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
        credentials: { apiKey: "s3cret" },
      },
    },
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write: (line: string) => lines.push(JSON.parse(line)) }),
  });
});
afterAll(async () => {
  await gateway.close();
  upstream.closeAllConnections();
  upstream.close();
});

const client = () => createClient(EchoService, createGrpcTransport({ baseUrl: gateway.url }));

test("a call goes to the upstream with its credentials, and is logged with its status and without them", async () => {
  let key: unknown;
  answer = (request, response) => {
    key = request.headers["x-api-key"];
    response.setHeader("content-type", "application/json").end('{"text":"from upstream"}');
  };
  expect((await client().echo({ text: "a" })).text).toBe("from upstream");
  expect(key).toBe("s3cret");
  expect(lines.at(-1)).toMatchObject({ code: "ok", upstreamStatus: 200, protocol: "grpc" });
  expect(JSON.stringify(lines)).not.toContain("s3cret");
});

test("an upstream's error is the caller's code, and logged with the status", async () => {
  answer = (_, response) => response.writeHead(404).end();
  await expect(client().echo({ text: "a" })).rejects.toThrow("[not_found]");
  expect(lines.at(-1)).toMatchObject({ code: "not_found", upstreamStatus: 404 });
});

test("a request that breaks a constraint never reaches the upstream", async () => {
  let asked = 0;
  answer = (_, response) => {
    asked += 1;
    response.end("{}");
  };
  await expect(client().echo({ count: -1 })).rejects.toThrow("[invalid_argument] count: must be");
  expect(asked).toBe(0);
});

test("drift is logged", async () => {
  answer = (_, response) => response.setHeader("content-type", "application/json").end('{"text":7}');
  expect((await client().echo({ text: "a" })).text).toBe("7");
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: "drift", path: "text", expected: "string", kind: "coerced" }),
  );
});

test("a method without an adapter is UNIMPLEMENTED", async () => {
  await expect(client().join((async function* () {})())).rejects.toThrow(
    "[unimplemented] echo.v1.EchoService.Join is not implemented",
  );
});

test("what does not fit is said before anything listens", async () => {
  await expect(startGateway({ adapters: [EchoServiceRest], upstreams: {} })).rejects.toThrow(/echo/);
});
