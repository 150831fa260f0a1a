import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterEach, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { Health } from "../gen/grpc/health/v1/health_pb.ts";
import type { LimitOptions } from "../limits.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";
import { type HostileProcess, startHostileProcess } from "../testing/hostile-process.ts";
import { http2Request } from "../testing/raw.ts";

const MIB = 1024 * 1024;

let hostile: HostileProcess | undefined;
let server: Server | undefined;
const sockets: net.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  hostile?.stop();
  await server?.close();
  hostile = undefined;
  server = undefined;
});

/** The payload of a SETTINGS frame that sets the initial window of streams to 0 (RFC 9113 section 6.5.2). */
const NO_WINDOW = [0, 4, 0, 0, 0, 0];

/**
 * Opens a connection with many requests for a path, without reading the responses. Resolves when the server
 * has accepted the requests.
 */
async function openUnread(port: number, path: string, count: number, contentType?: string): Promise<void> {
  const head = block([
    [":method", contentType === undefined ? "GET" : "POST"],
    [":scheme", "http"],
    [":path", path],
    [":authority", "a"],
    ...(contentType === undefined ? [] : ([["content-type", contentType]] as const)),
  ]);
  const message = frame(type.data, END_STREAM, 0, [0, 0, 0, 0, 0]);
  const streams = Array.from({ length: count }, (_, index) => {
    const stream = 2 * index + 1;
    if (contentType === undefined) return frame(type.headers, END_HEADERS | END_STREAM, stream, head);
    const data = Buffer.from(message);
    data.writeUInt32BE(stream, 5);
    return Buffer.concat([frame(type.headers, END_HEADERS, stream, head), data]);
  });
  const socket = net.connect(port, "127.0.0.1");
  sockets.push(socket);
  let received = 0;
  socket
    .on("error", () => undefined)
    .on("data", (chunk) => {
      received += chunk.length;
    });
  socket.write(Buffer.concat([preface, frame(type.settings, 0, 0, NO_WINDOW), ...streams]));
  socket.write(frame(type.ping, 0, 0, Buffer.alloc(8)));
  while (received < 9 + 17 && !socket.destroyed) {
    await Promise.race([once(socket, "data"), once(socket, "close")]);
  }
}

async function expectServed(port: number): Promise<void> {
  const headers = {
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Echo",
    "content-type": "application/json",
  };
  const { status, body } = await http2Request(port, headers, Buffer.from('{"text":"control"}'));
  expect([status, body]).toEqual([200, { text: "control" }]);
}

test.each(["/", "/nowhere", "/healthz"])(
  "20,000 unread responses of %s use limited memory, and other clients are served",
  {
    timeout: 120_000,
  },
  async (path) => {
    hostile = await startHostileProcess(
      { stalledWriteMs: 30_000, idleTimeoutMs: 60_000, headersTimeoutMs: 10_000 },
      ["--max-old-space-size=512"],
    );
    const before = await hostile.status();
    for (let i = 0; i < 200; i++) {
      await openUnread(hostile.port, path, 100);
      if (i % 20 === 0) await expectServed(hostile.port);
    }
    await expectServed(hostile.port);
    const { rss } = await hostile.status();
    expect(rss - before.rss).toBeLessThan(400 * MIB);
    expect([hostile.exited(), hostile.stderr()]).toEqual([undefined, ""]);
  },
);

test("health watches are limited, and calls are served", { timeout: 60_000 }, async () => {
  const limits: LimitOptions = {
    healthWatches: 20,
    healthWatchesPerClient: 2,
    drainNoticeMs: 1,
    drainGraceMs: 50,
  };
  server = await startServer({ ...echoService, limits });
  const session = http2.connect(server.url);
  const statuses: (string | undefined)[] = [];
  for (let i = 0; i < 30; i++) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Watch",
      "content-type": "application/grpc",
    });
    stream.on("error", () => undefined).resume();
    stream.end(Buffer.alloc(5));
    const [head] = await once(stream, "response");
    statuses.push(head["grpc-status"]);
  }
  expect(statuses).toEqual([...Array(10).fill(undefined), ...Array(20).fill("14")]);
  const transport = createGrpcTransport({ baseUrl: server.url });
  expect((await createClient(Health, transport).check({})).status).toBe(1);
  expect((await createClient(EchoService, transport).echo({ text: "a" })).text).toBe("a");
  session.destroy();
});

test("once half of all connections are open, the connections of each client are limited", async () => {
  server = await startServer({
    ...echoService,
    limits: { connections: 8, connectionsPerClient: 1, drainNoticeMs: 1, drainGraceMs: 50 },
  });
  for (let i = 0; i < 4; i++) {
    const socket = net.connect(server.port, "127.0.0.1");
    sockets.push(socket);
    await once(socket, "connect");
  }
  const fifth = net.connect(server.port, "127.0.0.1").on("error", () => undefined);
  sockets.push(fifth);
  await once(fifth.resume(), "close");
  const other = net.connect({ port: server.port, host: "127.0.0.1", localAddress: "127.0.0.2" });
  sockets.push(other);
  other.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  const [answer] = await once(other, "data");
  expect(String(answer)).toContain("200 OK");
});

test("a client that does not read its responses loses its slots to other clients", async () => {
  server = await startServer({
    ...echoService,
    limits: { requestsInFlight: 20, requestsPerClient: 5, drainNoticeMs: 1, drainGraceMs: 50 },
  });
  await openUnread(server.port, "/", 20);
  // a response counts as unread only after some time
  for (;;) {
    const { status } = await http2Request(server.port, { ":path": "/healthz" });
    if (status === 200) break;
    expect(status).toBe(503);
  }
  await expectServed(server.port);
});
