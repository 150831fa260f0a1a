import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { Worker } from "node:worker_threads";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { Health, HealthCheckResponse_ServingStatus as Status } from "./gen/grpc/health/v1/health_pb.ts";
import type { LimitOptions } from "./limits.ts";
import { type Server, startServer } from "./server.ts";

/** Starts a server whose Echo waits until it is released. */
async function start(limits: LimitOptions = {}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = await startServer({
    limits: { drainNoticeMs: 50, ...limits },
    routes: (router) =>
      router.service(EchoService, {
        async echo({ text }) {
          arrived();
          await released;
          return { text };
        },
        async *repeat({ text }) {
          for (;;) {
            yield { text };
            await released;
          }
        },
      }),
  });
  return { server, release, arrival };
}

function grpc(server: Server) {
  return createGrpcTransport({ baseUrl: server.url });
}

/** Sends an HTTP/1.1 request for `path` on an open connection, and reads until `end`. */
function get(socket: net.Socket, path: string, end: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      if (!text.includes(end)) return;
      socket.off("data", read);
      resolve(text);
    };
    socket.on("data", read);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  });
}

test("while the gateway drains, /readyz and health checks fail, kept-alive connections get Connection: close, and calls in flight finish", async () => {
  const { server, release, arrival } = await start({ drainNoticeMs: 500 });
  const health = createClient(Health, grpc(server));
  expect((await health.check({})).status).toBe(Status.SERVING);
  expect((await health.check({ service: "echo.v1.EchoService" })).status).toBe(Status.SERVING);
  const call = createClient(EchoService, grpc(server)).echo({ text: "late" });
  const socket = net.connect(server.port, "127.0.0.1");
  expect(await get(socket, "/readyz", "ready\n")).toContain("200 OK");
  await arrival;

  const closed = server.close();
  const answer = await get(socket, "/readyz", "draining\n");
  expect(answer).toContain("503 Service Unavailable");
  expect(answer.toLowerCase()).toContain("connection: close");
  expect((await health.check({})).status).toBe(Status.NOT_SERVING);
  release();
  expect((await call).text).toBe("late");
  await closed;
  const rejected = net.connect(server.port, "127.0.0.1");
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => rejected.once("error", resolve));
  expect(error.code).toBe("ECONNREFUSED");
});

test("a replaced server accepts no connections, stays ready, and serves a last request on each open connection", async () => {
  const { server } = await start();
  const sockets = Array.from({ length: 3 }, () => net.connect(server.port, "127.0.0.1"));
  for (const socket of sockets) expect(await get(socket, "/readyz", "ready\n")).toContain("200 OK");

  const closed = server.close({ isReplaced: true });
  // until the server stops listening, it may still accept connections, and closes them
  for (let code: string | undefined; code !== "ECONNREFUSED"; ) {
    const other = net.connect(server.port, "127.0.0.1");
    code = await new Promise((resolve) => {
      other.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      other.once("connect", () => resolve(undefined));
    });
    other.destroy();
  }
  for (const socket of sockets) {
    const ended = once(socket, "end");
    const response = await get(socket, "/readyz", "ready\n");
    expect(response).toContain("200 OK");
    expect(response.toLowerCase()).toContain("connection: close");
    await ended;
  }
  await closed;
});

test("a health watch reports NOT_SERVING during the drain, and ends", async () => {
  const { server } = await start();
  const seen: Status[] = [];
  let closed: Promise<void> | undefined;
  const watch = async () => {
    for await (const { status } of createClient(Health, grpc(server)).watch({})) {
      seen.push(status);
      closed ??= server.close();
    }
  };
  const error = await watch().catch((reason: unknown) => reason);
  expect(seen).toEqual([Status.SERVING, Status.NOT_SERVING]);
  expect(error).toMatchObject({ code: Code.Unavailable });
  await closed;
});

test("an endless stream ends with UNAVAILABLE after drainStreamsMs", async () => {
  const { server } = await start({ drainStreamsMs: 100 });
  let closed: Promise<void> | undefined;
  const read = async () => {
    for await (const _ of createClient(EchoService, grpc(server)).repeat({ text: "a" })) {
      closed ??= server.close();
    }
  };
  const error = await read().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectError);
  expect(String(error)).toContain("[unavailable] the gateway is shutting down; call again");
  await closed;
});

test("calls that have not finished after drainGraceMs are aborted", async () => {
  const { server, arrival } = await start({ drainGraceMs: 200 });
  const call = createClient(EchoService, grpc(server)).echo({ text: "never" });
  const failed = call.catch((reason: unknown) => reason);
  await arrival;
  await server.close();
  expect(await failed).toBeInstanceOf(ConnectError);
});

test.each([
  [
    "a rejection",
    { ":method": "POST", ":path": "/echo.v1.EchoService/None", "content-type": "application/connect+json" },
  ],
  [
    "an error",
    { ":method": "POST", ":path": "/echo.v1.EchoService/Echo", "content-type": "application/json" },
  ],
  ["a page", { ":path": "/healthz" }],
])(
  "an HTTP/2 client that leaves %s unread on an open connection does not delay the drain",
  async (_, headers) => {
    const { server } = await start();
    const session = http2.connect(server.url);
    const responses = Array.from({ length: 3 }, () => {
      const stream = session.request(headers).on("error", () => undefined);
      stream.end();
      return once(stream, "response");
    });
    await Promise.all(responses);
    await server.close();
    session.destroy();
  },
);

test("HTTP/2 clients get GOAWAY, and requests already in transit are served", async () => {
  const { server } = await start({ drainNoticeMs: 200 });
  const session = http2.connect(server.url);
  const status = () =>
    new Promise((resolve) => {
      const stream = session.request({ ":path": "/healthz" });
      stream.once("response", (headers) => resolve(headers[":status"])).resume();
    });
  expect(await status()).toBe(200);
  const goaway = new Promise((resolve) => {
    session.once("goaway", (code: number, lastStreamId: number) => resolve([code, lastStreamId]));
  });
  const closed = server.close();
  expect(await goaway).toEqual([http2.constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1]);
  await closed;
});

/**
 * A client in a separate thread: it sends a request, notifies the main thread, and posts the response that it
 * reads.
 */
const CLIENT = `
  const net = require("node:net");
  const { parentPort, workerData } = require("node:worker_threads");
  let text = "";
  const post = () => parentPort.postMessage(text);
  const socket = net.connect(workerData.port, "127.0.0.1", () => {
    socket.write("GET /healthz HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", () => {
      Atomics.store(workerData.sent, 0, 1);
      Atomics.notify(workerData.sent, 0);
    });
  });
  socket.on("data", (chunk) => { text += chunk; }).on("end", post).on("error", (error) => { text += error; post(); });
`;

test("a request that arrived while the process was busy is served, even if drainNoticeMs has passed by then", async () => {
  const { server } = await start({ drainNoticeMs: 1 });
  const closed = server.close();
  const sent = new Int32Array(new SharedArrayBuffer(4));
  const port = Number(new URL(server.url).port);
  const client = new Worker(CLIENT, { eval: true, workerData: { port, sent } });
  Atomics.wait(sent, 0, 0);
  const [text] = await once(client, "message");
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  await closed;
});

test("closing a server twice has the same effect as closing it once", async () => {
  const { server } = await start();
  await Promise.all([server.close(), server.close()]);
  await server.close();
});
