import { Code, ConnectError, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "../gen/grpc/health/v1/health_pb.ts";
import { createLogger } from "../log/logger.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import type { Load } from "./process-load.ts";

let load: Load = { eventLoopDelayMs: 0, heapPercent: 99 };
let server: Server;
const LINES: Record<string, unknown>[] = [];
beforeAll(async () => {
  const log = createLogger("warn", { write: (line: string) => LINES.push(JSON.parse(line)) });
  server = await startServer({ ...echoService, load: () => load, log, limits: { drainNoticeMs: 1 } });
  await rejection(() => codeOfRejection());
});
afterAll(() => server.close());

const transports: Record<string, () => Transport> = {
  "Connect, HTTP/1.1": () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  "Connect, HTTP/2": () => createConnectTransport({ baseUrl: server.url, httpVersion: "2" }),
  gRPC: () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
};

/**
 * Repeats a request until the response is the expected one, because the gateway samples its load only
 * periodically.
 */
async function until<T>(ask: () => Promise<T>, isExpected: (answer: T) => boolean): Promise<void> {
  while (!isExpected(await ask())) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Repeats a call until it is rejected, and returns the rejection. The gateway still serves part of the calls.
 */
async function rejection<T>(call: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const rejected = await call();
    if (rejected !== undefined) return rejected;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function failure(call: Promise<unknown>): Promise<ConnectError | undefined> {
  return await call.then(
    () => undefined,
    (reason: unknown) => ConnectError.from(reason),
  );
}

async function codeOfRejection(): Promise<Code | undefined> {
  const client = createClient(
    EchoService,
    createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  );
  return (await failure(client.echo({ text: "a" })))?.code;
}

const TEXT =
  "the gateway is overloaded: 99 % of the heap in use, the limit heapPercent is 90; try again later";

describe.each(Object.keys(transports))("a gateway overloaded by %s", (name) => {
  const transport = () => (transports[name] as () => Transport)();

  test("rejects calls, and states a retry delay", async () => {
    const error = await rejection(() => failure(createClient(EchoService, transport()).echo({ text: "a" })));
    expect([error.code, error.rawMessage]).toEqual([Code.Unavailable, TEXT]);
    expect(error.findDetails(RetryInfoSchema)[0]?.retryDelay?.seconds).toBe(1n);
  });

  test("rejects streams, and states a retry delay", async () => {
    const read = async () => {
      for await (const _ of createClient(EchoService, transport()).repeat({ text: "a", count: 1 }));
    };
    const error = await rejection(() => failure(read()));
    expect([error.code, error.rawMessage]).toEqual([Code.Unavailable, TEXT]);
    expect(error.findDetails(RetryInfoSchema)).toHaveLength(1);
  });

  test("serves some of the calls", async () => {
    await until(
      () => failure(createClient(EchoService, transport()).echo({ text: "a" })),
      (error) => error === undefined,
    );
  });

  test("serves health", async () => {
    expect((await createClient(Health, transport()).check({})).status).toBe(Status.SERVING);
  });
});

test("an overloaded gateway serves the health pages, and sends Retry-After with rejections", async () => {
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const answer = await rejection(async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
    const given = await fetch(`${server.url}/echo.v1.EchoService/Echo`, init);
    return given.ok ? undefined : given;
  });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await answer.json()).toMatchObject({ code: "unavailable", message: TEXT });
});

test("rejections are logged at most once a second, and calls are served again after the overload", async () => {
  expect(LINES).toContainEqual(
    expect.objectContaining({ level: "warn", limit: "heapPercent", msg: "rejected" }),
  );
  expect(LINES.length).toBeLessThan(10);
  load = { eventLoopDelayMs: 0, heapPercent: 10 };
  await until(
    () => codeOfRejection(),
    (code) => code === undefined,
  );
});
