import { once } from "node:events";
import net from "node:net";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { type Server, startServer } from "../server.ts";
import { parseAnswer } from "../testing/raw.ts";

let server: Server;
/** The method waits for this promise. */
let hold: Promise<void> = Promise.resolve();
let left: () => void = () => undefined;

beforeAll(async () => {
  const routes = (router: ConnectRouter) =>
    router.service(EchoService, {
      echo: async ({ text }, { signal }) => {
        signal.addEventListener("abort", () => left());
        await hold;
        return { text };
      },
      async *repeat({ text }, { signal }) {
        yield { text };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        left();
        throw new ConnectError("gone", Code.Canceled);
      },
    });
  server = await startServer({
    routes,
    limits: { drainNoticeMs: 1, drainGraceMs: 50, eventLoopDelayMs: 60_000 },
  });
});
afterAll(() => server.close());

function request(body: string, version = "1.1", head = ""): string {
  return `POST /echo.v1.EchoService/Echo HTTP/${version}\r\nHost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${head}\r\n${body}`;
}

async function received(socket: net.Socket): Promise<string> {
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
}

const MESSAGE = '{"text":"a"}';

test.each([
  ["immediately", (socket: net.Socket) => void socket.end(request(MESSAGE))],
  ["with HTTP/1.0", (socket: net.Socket) => void socket.end(request(MESSAGE, "1.0"))],
  [
    "after the request",
    (socket: net.Socket) => {
      socket.write(request(MESSAGE));
      setImmediate(() => socket.end());
    },
  ],
  [
    "after the request in pieces",
    (socket: net.Socket) => {
      const text = request(MESSAGE);
      socket.write(text.slice(0, 50));
      setImmediate(() => socket.end(text.slice(50)));
    },
  ],
])("a client that closes its sending side %s gets the response", async (_when, send) => {
  for (const isSlow of [false, true]) {
    let release: () => void = () => undefined;
    hold = new Promise((resolve) => {
      release = resolve;
    });
    const socket = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
    send(socket);
    const answer = received(socket);
    if (!isSlow) release();
    await once(socket, "finish");
    release();
    expect(parseAnswer(await answer)).toMatchObject({ status: 200, body: { text: "a" } });
  }
});

test("a client that pipelines requests and closes its sending side gets all responses", async () => {
  hold = Promise.resolve();
  const socket = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(request(MESSAGE).repeat(5));
  expect((await received(socket)).match(/HTTP\/1\.1 200/g)).toHaveLength(5);
});

test("a client that closes its sending side and waits long is probed with 100 Continue, and gets the response", async () => {
  let release: () => void = () => undefined;
  hold = new Promise((resolve) => {
    release = resolve;
  });
  const socket = net.connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(request(MESSAGE));
  const answer = received(socket);
  await once(socket, "data");
  release();
  const text = await answer;
  const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
  expect(text.startsWith(CONTINUE)).toBe(true);
  expect(parseAnswer(text.slice(CONTINUE.length))).toMatchObject({ status: 200, body: { text: "a" } });
});

test("a call ends when its client disconnects", async () => {
  hold = new Promise(() => undefined);
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const socket = net.connect(server.port, "127.0.0.1");
  socket.write(request(MESSAGE));
  while (server.calls() === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await gone;
});

test("a stream ends when its client disconnects", async () => {
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  const socket = net.connect(server.port, "127.0.0.1");
  const body = Buffer.concat([Buffer.from([0, 0, 0, 0, MESSAGE.length]), Buffer.from(MESSAGE)]);
  const head = request("", "1.1", "")
    .replace("/Echo HTTP", "/Repeat HTTP")
    .replace("application/json", "application/connect+json");
  socket.write(
    Buffer.concat([Buffer.from(head.replace("content-length: 0", `content-length: ${body.length}`)), body]),
  );
  await once(socket, "data");
  socket.end();
  await gone;
});
