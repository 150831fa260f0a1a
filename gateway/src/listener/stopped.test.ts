/**
 * Stops the process for longer than all of its timeouts, in every phase of a connection: requests that
 * arrived in the meantime are served, although the timers run first.
 */
import { once } from "node:events";
import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { block, END_HEADERS, END_STREAM, frame, preface, type } from "../testing/frames.ts";
import { type HostileProcess, startHostileProcess } from "../testing/hostile-process.ts";

/**
 * The value of all timeouts of the process. Connecting takes less time, and the process is stopped for
 * longer.
 */
const LIMIT_MS = 4_000;
const STOP_MS = 6_000;

const HTTP1 = Buffer.from("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");

const BODY = JSON.stringify({ text: "served" });
const POST = Buffer.from(
  `POST /echo.v1.EchoService/Echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
);

const SETTINGS = Buffer.concat([preface, frame(type.settings, 0, 0)]);

function http2Request(stream: number): Buffer {
  const headers = block([
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/healthz"],
    [":authority", "a"],
  ]);
  return frame(type.headers, END_HEADERS | END_STREAM, stream, headers);
}

/** A text that a connection receives, and how many times it receives the text. */
interface Received {
  readonly text: string;
  readonly count?: number;
}

/**
 * A phase of a connection: the bytes sent before and during the stop, and the text that the client then
 * receives.
 */
interface Phase {
  readonly before: Buffer;
  /** The response that the client must receive before the process is stopped. */
  readonly first?: Received;
  readonly during: Buffer;
  readonly received: Received;
}

const OK: Received = { text: "HTTP/1.1 200 " };

/** The head of an HTTP/2 response, without its length. */
function headOf(stream: number): Received {
  return { text: frame(type.headers, END_HEADERS, stream).subarray(3).toString("latin1") };
}

const HTTP2 = Buffer.concat([SETTINGS, http2Request(1)]);

const PHASES: Readonly<Record<string, Phase>> = {
  "before the first byte of HTTP/1.1": { before: Buffer.alloc(0), during: HTTP1, received: OK },
  "before the first byte of HTTP/2": { before: Buffer.alloc(0), during: HTTP2, received: headOf(1) },
  ...Object.fromEntries(
    [1, 4, 20].map((at) => [
      `after byte ${at} of an HTTP/1.1 head`,
      { before: HTTP1.subarray(0, at), during: HTTP1.subarray(at), received: OK },
    ]),
  ),
  ...Object.fromEntries(
    [3, preface.length, SETTINGS.length, SETTINGS.length + 12].map((at) => [
      `after byte ${at} of HTTP/2`,
      { before: HTTP2.subarray(0, at), during: HTTP2.subarray(at), received: headOf(1) },
    ]),
  ),
  "within an HTTP/1.1 body": {
    before: POST.subarray(0, -4),
    during: POST.subarray(-4),
    received: { text: '"served"' },
  },
  "on an idle HTTP/1.1 connection": {
    before: HTTP1,
    first: OK,
    during: HTTP1,
    received: { ...OK, count: 2 },
  },
  "on an idle HTTP/2 connection": {
    before: HTTP2,
    first: headOf(1),
    during: http2Request(3),
    received: headOf(3),
  },
};

/** A connection that collects what it receives. */
class Client {
  private readonly socket: net.Socket;
  private received = "";
  private look: () => void = () => undefined;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.setEncoding("latin1").on("data", (text: string) => {
      this.received += text;
      this.look();
    });
    socket.on("error", () => undefined).on("close", () => this.look());
  }

  write(bytes: Buffer): void {
    if (bytes.length > 0) this.socket.write(bytes);
  }

  /** Resolves when the text has been received, or the connection is closed. */
  async until({ text, count = 1 }: Received): Promise<string> {
    await new Promise<void>((resolve) => {
      this.look = () => {
        if (countOf(text, this.received) >= count || this.socket.destroyed) resolve();
      };
      this.look();
    });
    return this.received;
  }
}

function countOf(text: string, received: string): number {
  return received.split(text).length - 1;
}

let server: HostileProcess;
const outcomes = new Map<string, Promise<string>>();

function tlsTo(protocol: string): tls.ConnectionOptions {
  return { port: server.tlsPort, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: [protocol] };
}

beforeAll(async () => {
  server = await startHostileProcess({
    headersTimeoutMs: LIMIT_MS,
    bodyIdleTimeoutMs: LIMIT_MS,
    idleTimeoutMs: LIMIT_MS,
    unaryDeadlineMs: 60_000,
  });
  const open: Array<{ name: string; client: Client; phase: Phase }> = [];
  for (const [name, phase] of Object.entries(PHASES)) {
    const plain = net.connect(server.port, "127.0.0.1");
    await once(plain, "connect");
    open.push({ name, client: new Client(plain), phase });
    const secured = tls.connect(tlsTo(name.includes("HTTP/2") ? "h2" : "http/1.1"));
    await once(secured, "secureConnect");
    open.push({ name: `TLS: ${name}`, client: new Client(secured), phase });
  }
  const silent = net.connect(server.tlsPort, "127.0.0.1");
  await once(silent, "connect");
  for (const { client, phase } of open) client.write(phase.before);
  for (const { client, phase } of open) if (phase.first !== undefined) await client.until(phase.first);
  // The process has read the bytes that precede this message.
  await server.status();
  server.signal("SIGSTOP");
  for (const { client, phase } of open) client.write(phase.during);
  const shakes = new Client(tls.connect({ ...tlsTo("http/1.1"), socket: silent }));
  shakes.write(HTTP1);
  const backlog = new Client(net.connect(server.port, "127.0.0.1"));
  backlog.write(HTTP1);
  await pause(STOP_MS);
  server.signal("SIGCONT");
  for (const { name, client, phase } of open) outcomes.set(name, client.until(phase.received));
  outcomes.set("TLS: before the handshake", shakes.until(OK));
  outcomes.set("in the backlog", backlog.until(OK));
}, 60_000);
afterAll(() => server.stop());

const RECEIVED: ReadonlyArray<readonly [name: string, received: Received]> = [
  ...Object.entries(PHASES).flatMap(([name, { received }]) => [
    [name, received] as const,
    [`TLS: ${name}`, received] as const,
  ]),
  ["TLS: before the handshake", OK],
  ["in the backlog", OK],
];

test.each(RECEIVED)(
  "a connection survives while the process is stopped: %s",
  async (name, { text, count = 1 }) => {
    const received = (await outcomes.get(name)) ?? "";
    expect(received).toContain(text);
    expect(countOf(text, received)).toBe(count);
  },
);
