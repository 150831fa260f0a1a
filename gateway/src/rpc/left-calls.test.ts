import http2 from "node:http2";
import net from "node:net";
import { expect, test } from "vitest";
import type { CallerAuthorization } from "../authorization/caller-authorization.ts";
import { createLogger } from "../log/logger.ts";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, type ServerOptions, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

interface World extends AsyncDisposable {
  readonly server: Server;
  /** Resolves with the next log line of a call. */
  line(): Promise<Record<string, unknown>>;
  readonly metrics: Metrics;
}

async function start(options: Partial<ServerOptions>): Promise<World> {
  const lines: Record<string, unknown>[] = [];
  let arrived: (() => void) | undefined;
  const write = (text: string) => {
    const line = JSON.parse(text);
    if (line.msg !== "call") return;
    lines.push(line);
    arrived?.();
  };
  const metrics = new Metrics();
  const log = createLogger("info", { write });
  const server = await startServer({ ...echoService, ...options, metrics, log });
  return {
    server,
    metrics,
    line: async () => {
      while (lines.length === 0) {
        await new Promise<void>((resolve) => {
          arrived = resolve;
        });
      }
      return lines.shift() ?? {};
    },
    [Symbol.asyncDispose]: () => server.close({ skipNotice: true }),
  };
}

/** Sends a request over HTTP/1.1 and returns a function that disconnects. */
function sendHttp1(port: number, path: string, type: string, body: string): () => void {
  const socket = net.connect(port, "127.0.0.1").on("error", () => undefined);
  const head = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\nx-request-id: mine\r\n`;
  socket.write(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return () => socket.destroy();
}

function sendHttp2(port: number, path: string, type: string, body: string): () => void {
  const session = http2.connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  const stream = session.request({
    ":method": "POST",
    ":path": path,
    "content-type": type,
    "x-request-id": "mine",
  });
  stream.on("error", () => undefined).end(body);
  return () => session.destroy();
}

const NEVER = '{"text":"never"}';
const ECHO = "/echo.v1.EchoService/Echo";
const enveloped = (text: string) => `\0\0\0\0${String.fromCharCode(text.length)}${text}`;

/** Calls on each path: on the fast path, and through connect's handlers for a unary call and a stream. */
const CALLS = [
  ["a unary call", { path: ECHO, type: "application/json", body: NEVER }, {}],
  [
    "a unary call of connect's",
    { path: ECHO, type: "application/json", body: NEVER },
    { unaryOf: () => undefined },
  ],
  [
    "a stream",
    { path: "/echo.v1.EchoService/Repeat", type: "application/connect+json", body: enveloped('{"count":1}') },
    {},
  ],
] as const;

const cases = CALLS.flatMap((each) =>
  [sendHttp1, sendHttp2].map((send) => [each[0], send.name, send, each[1], each[2]] as const),
);

const CANCELED = {
  code: "canceled",
  requestId: "mine",
  client: "127.0.0.1",
  bytesOut: 0,
};

async function canceledOf(metrics: Metrics): Promise<number> {
  const { body } = await metrics.render();
  return Number(/calls_total\{[^}]*code="canceled"[^}]*\} (\d+)/.exec(body)?.[1] ?? 0);
}

test.each(cases)(
  "%s (%s) whose client disconnects while it is queued is logged, and leaves the queue",
  async (_, _name, send, { path, type, body }, options) => {
    await using world = await start({ ...options, limits: { callsInFlight: 1, drainGraceMs: 100 } });
    const { server, line, metrics } = world;
    const endFirst = sendHttp1(server.port, ECHO, "application/json", NEVER);
    await until(() => server.calls() === 1);
    const leave = send(server.port, path, type, body);
    await until(() => server.calls() === 2);
    leave();
    // the request body of a waiting call has been read
    expect(await line()).toMatchObject({ ...CANCELED, bytesIn: body.length });
    expect(server.calls()).toBe(1);
    expect(await canceledOf(metrics)).toBe(1);
    endFirst();
    await line();
    expect(server.calls()).toBe(0);
  },
);

test.each(cases)(
  "%s (%s) whose client disconnects during the token lookup is logged with its caller, and occupies no slot",
  async (_, _name, send, { path, type, body }, options) => {
    const asked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    const authorization = () =>
      ({
        serve: () => false,
        isShared: () => false,
        open: {},
        authenticate: async (request: net.Socket) => {
          const stream: unknown = Reflect.get(request, "stream") ?? Reflect.get(request, "socket");
          (stream as net.Socket).once("close", () => setImmediate(left.resolve));
          asked.resolve();
          await found.promise;
          return { clientId: "someone" };
        },
        close: async () => undefined,
      }) as unknown as CallerAuthorization;
    await using world = await start({ ...options, authorization, limits: { drainGraceMs: 100 } });
    const { server, line, metrics } = world;
    const leave = send(server.port, path, type, body);
    await asked.promise;
    leave();
    await left.promise;
    found.resolve();
    expect(await line()).toMatchObject({ ...CANCELED, bytesIn: 0, clientId: "someone" });
    expect(await canceledOf(metrics)).toBe(1);
    expect(server.calls()).toBe(0);
  },
);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
