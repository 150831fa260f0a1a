import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type LimitOptions, withDefaultLimits } from "../limits.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { END_HEADERS, END_STREAM, frame, preface, TALK, text, type } from "../testing/frames.ts";
import { Attackers } from "./attackers.ts";
import { STREAMS_PER_TURN } from "./read-turns.ts";
import { ResetBudget } from "./resets.ts";

const PROXY = "192.0.2.200";
const limits = withDefaultLimits();
const rapid = { ageMs: 1, timeoutMs: undefined };

/**
 * Opens a number of connections from an address. Sends up to `each` rapid resets on every connection until
 * the connection is closed. Returns how many resets were accepted.
 */
function passed(attackers: Attackers, address: string, connections: number, each: number): number {
  let count = 0;
  for (let i = 0; i < connections; i++) {
    const budget = new ResetBudget(limits, 0, (now) => attackers.hasReset(address, now));
    for (let k = 0; k < each && !budget.isExceeded(rapid, 0); k++) count += 1;
  }
  return count;
}

test("a client may send as many rapid resets as ten connections may, however many connections the client opens, and other clients are not affected", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 100 }), (connections, each) => {
      const attackers = new Attackers(limits, (address) => address === PROXY);
      const count = passed(attackers, "192.0.2.1", connections, each);
      expect(count).toBe(Math.min(1000, connections * each));
      expect(passed(attackers, "192.0.2.2", 1, 100)).toBe(100);
      expect(passed(attackers, PROXY, connections, each)).toBe(connections * each);
    }),
    { numRuns: 100 },
  );
});

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function start(given: LimitOptions = {}): Promise<number> {
  server = await startServer({ ...echoService, limits: { drainNoticeMs: 1, drainGraceMs: 50, ...given } });
  return server.port;
}

/**
 * Sends bytes on a number of connections, waits until all are closed, and returns the bytes received on each.
 */
function flood(port: number, connections: number, bytes: Buffer): Promise<Buffer[]> {
  const one = () =>
    new Promise<Buffer>((resolve) => {
      const received: Buffer[] = [];
      const socket = net.connect(port, "127.0.0.1", () => void socket.write(bytes));
      socket.on("data", (chunk: Buffer) => void received.push(chunk));
      socket.on("error", () => undefined).on("close", () => resolve(Buffer.concat(received)));
    });
  return Promise.all(Array.from({ length: connections }, one));
}

/** Returns how many streams Node creates in this process during an action. */
async function streamsDuring(act: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const created = () => {
    count += 1;
  };
  subscribe("http2.server.stream.created", created);
  try {
    await act();
  } finally {
    unsubscribe("http2.server.stream.created", created);
  }
  return count;
}

const opening = Buffer.concat([preface, frame(type.settings, 0, 0)]);
const CANCEL = [0, 0, 0, http2.constants.NGHTTP2_CANCEL];
/** Entries of the static table: POST and http. */
const POST_HTTP = Buffer.of(0x83, 0x86);
/** The same headers as `TALK`: first added to the table, then referenced with one byte each. */
const indexed = Buffer.concat([
  POST_HTTP,
  Buffer.of(0x44),
  text("/echo.v1.EchoService/Talk"),
  Buffer.of(0x41),
  text("a"),
  Buffer.of(0x40),
  text("content-type"),
  text("application/grpc"),
]);
const again = Buffer.concat([POST_HTTP, Buffer.of(0x80 | 64, 0x80 | 63, 0x80 | 62)]);

/** Opens streams and resets them immediately, with 27 bytes each. */
function resets(count: number): Buffer {
  const streams = Array.from({ length: count }, (_, i) => [
    frame(type.headers, END_HEADERS, 2 * i + 1, i === 0 ? indexed : again),
    frame(type.reset, 0, 2 * i + 1, CANCEL),
  ]);
  return Buffer.concat([opening, ...streams.flat()]);
}

test.each([1, 5, 20])(
  "a flood of resets over %d connections creates a limited number of streams",
  async (connections) => {
    const port = await start();
    const made = await streamsDuring(() => flood(port, connections, resets(5000)));
    // twice the burst, plus the first stream over the limit
    expect(made).toBeLessThanOrEqual(201 * connections);
  },
);

/** The part of a request that contains headers. */
type Part = "headers" | "trailers";

/**
 * Returns requests whose headers expand to 15 KB but take only a few bytes each on the wire: a header is
 * added to the table once and then referenced.
 */
function repeated(part: Part, count: number, length: number, times: number): Buffer {
  const put = Buffer.concat([TALK, Buffer.of(0x40), text("x-a"), text("v".repeat(length))]);
  const fields = Buffer.concat([POST_HTTP, Buffer.of(4), text("/x"), Buffer.of(1), text("a")]);
  const repeating = Buffer.alloc(times, 0x80 | 62);
  const flags = END_HEADERS | END_STREAM;
  const request = (stream: number) =>
    part === "headers"
      ? [frame(type.headers, flags, stream, Buffer.concat([fields, repeating]))]
      : [frame(type.headers, END_HEADERS, stream, fields), frame(type.headers, flags, stream, repeating)];
  const requests = Array.from({ length: count }, (_, i) => request(2 * i + 3));
  return Buffer.concat([opening, frame(type.headers, flags, 1, put), ...requests.flat()]);
}

test("a limited number of streams open or close in one turn, even if 60 connections open and close many streams", async () => {
  const port = await start();
  const perTurn: number[] = [];
  let inTurn = 0;
  const counted = () => {
    if (inTurn === 0) {
      setImmediate(() => {
        perTurn.push(inTurn);
        inTurn = 0;
      });
    }
    inTurn += 1;
  };
  const streams = Array.from({ length: 100 }, (_, i) =>
    frame(type.headers, END_HEADERS, 2 * i + 1, i === 0 ? indexed : again),
  );
  const channels = ["http2.server.stream.created", "http2.server.stream.close"];
  for (const channel of channels) subscribe(channel, counted);
  try {
    const sockets = await Promise.all(Array.from({ length: 60 }, () => opened(port)));
    const countOf = () => perTurn.reduce((sum, each) => sum + each, 0);
    for (const socket of sockets) socket.write(Buffer.concat(streams));
    await expect.poll(countOf, { timeout: 20_000 }).toBe(6000);
    for (const socket of sockets) socket.destroy();
    await expect.poll(countOf, { timeout: 20_000 }).toBe(12_000);
  } finally {
    for (const channel of channels) unsubscribe(channel, counted);
  }
  // the last connection of a turn delivers all of its streams; a turn in this process may overlap two server
  // turns
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2 * (STREAMS_PER_TURN + 100));
});

/** Opens a connection and waits until the server has read its preface. */
async function opened(port: number): Promise<net.Socket> {
  const socket = net.connect(port, "127.0.0.1", () => void socket.write(opening));
  socket.on("error", () => undefined);
  await once(socket, "data");
  return socket;
}

const REPETITIONS = [
  [3900, 4],
  [500, 30],
  [100, 90],
] as const;

test.each(
  (["headers", "trailers"] as const).flatMap((part) => REPETITIONS.map((each) => [part, ...each] as const)),
)(
  "a connection is closed if the %s of each request repeat a header of %d bytes %d times",
  async (part, length, times) => {
    const port = await start();
    const [received] = await flood(port, 1, repeated(part, 90, length, times));
    expect(received?.includes(Buffer.of(0, 0, 0, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM))).toBe(true);
  },
);
