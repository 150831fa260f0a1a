import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { selfSigned } from "../testing/self-signed.ts";
import { sendResponse } from "./http.ts";
import { createListener, type Listener } from "./listener.ts";

const { certificate, key } = selfSigned();

let listener: Listener;
let port: number;
let hello: Buffer;
beforeAll(async () => {
  listener = createListener({
    // longer than the tests
    limits: withDefaultLimits({ drainNoticeMs: 1, drainGraceMs: 50, headersTimeoutMs: 600_000 }),
    certificate: { cert: certificate, key },
    handler: (_request, response) => sendResponse(response, 200, {}, "served"),
    reject: (_request, response) => sendResponse(response, 503, {}, "rejected"),
    onError: (error) => expect.unreachable(String(error)),
    onLimit: (limit) => expect.unreachable(limit),
  });
  ({ port } = await listener.listen(0, "127.0.0.1"));
  hello = await clientHello();
});
afterAll(() => listener.drain());

/** Returns the first bytes that a TLS client sends. */
async function clientHello(): Promise<Buffer> {
  const listening = net.createServer().listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port: own } = listening.address() as net.AddressInfo;
  const client = tls.connect({ port: own, host: "127.0.0.1" }).on("error", () => undefined);
  const [socket] = await once(listening, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  listening.close();
  return bytes;
}

/** The parts of a handshake after which a client may disconnect. */
const SENT: Readonly<Record<string, (hello: Buffer) => Buffer>> = {
  nothing: () => Buffer.alloc(0),
  "one byte": (all) => all.subarray(0, 1),
  "the head of a record": (all) => all.subarray(0, 5),
  "half of its hello": (all) => all.subarray(0, all.length / 2),
  "all of its hello but one byte": (all) => all.subarray(0, -1),
  "its hello": (all) => all,
  "its hello and half of the next record": (all) => Buffer.concat([all, Buffer.of(0x14, 3, 3, 0)]),
};

const WAYS: Readonly<Record<string, (socket: net.Socket) => void>> = {
  "closes its sending side": (socket) => void socket.end(),
  "closes the connection": (socket) => void socket.destroy(),
  "resets the connection": (socket) => void socket.resetAndDestroy(),
};

const TIMES: Readonly<Record<string, (socket: net.Socket, hasAnswer: boolean) => Promise<unknown>>> = {
  "at once": async () => undefined,
  "when the server has accepted the connection": async () => {
    await expect.poll(() => listener.connections(), { interval: 1 }).toBeGreaterThan(0);
  },
  "when the server has responded": async (socket, hasAnswer) => {
    // the server responds to a whole hello only
    if (hasAnswer) await once(socket, "data");
  },
};

const CASES = Object.keys(SENT).flatMap((sent) =>
  Object.keys(WAYS).flatMap((way) => Object.keys(TIMES).map((time) => [sent, way, time] as const)),
);

test.each(CASES)("a TLS client that sends %s and %s %s leaves no open connection", async (...names) => {
  const [sent, way, time] = names;
  const bytes = SENT[sent]?.(hello) ?? hello;
  const sockets = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const socket = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      socket.on("error", () => undefined);
      await once(socket, "connect");
      const leave = TIMES[time]?.(socket, bytes.length >= hello.length);
      await new Promise((resolve) => socket.write(bytes, resolve));
      await leave;
      WAYS[way]?.(socket);
      return socket.resume();
    }),
  );
  await expect.poll(() => listener.connections(), { interval: 1, timeout: 3000 }).toBe(0);
  for (const socket of sockets) socket.destroy();
});

test("a TLS client that closes its sending side after the request gets the response", async () => {
  const raw = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const socket = tls.connect({ socket: raw, host: "127.0.0.1", ca: certificate });
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  socket.end("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await once(socket, "close");
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*served/);
});
