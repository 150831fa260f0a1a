import { once } from "node:events";
import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Metrics } from "../metrics/metrics.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { block, END_HEADERS, END_STREAM, frame, preface, text, type } from "../testing/frames.ts";
import { http2Request } from "../testing/raw.ts";

const metrics = new Metrics();
let server: Server;
beforeAll(async () => {
  server = await startServer({
    ...echoService,
    metrics,
    limits: { drainNoticeMs: 1, drainGraceMs: 50, eventLoopDelayMs: 60_000 },
  });
});
afterAll(() => server.close());

const SETTINGS = frame(type.settings, 0, 0);
const HEAD = [
  [":method", "POST"],
  [":scheme", "http"],
  [":path", "/echo.v1.EchoService/Echo"],
  [":authority", "localhost"],
  ["content-type", "application/grpc"],
] as const;
const OPEN = frame(type.headers, END_HEADERS, 1, block(HEAD));

/** Input that ends a connection because of an error below the level of requests (RFC 9113 section 5.4.1). */
const VIOLATIONS: Readonly<Record<string, readonly Buffer[]>> = {
  "a PING of 7 bytes": [frame(type.ping, 0, 0, Buffer.alloc(7))],
  "a PING on a stream": [frame(type.ping, 0, 1, Buffer.alloc(8))],
  "SETTINGS of 5 bytes": [frame(type.settings, 0, 0, Buffer.alloc(5))],
  "a window above the maximum": [frame(type.settings, 0, 0, [0, 4, 0xff, 0xff, 0xff, 0xff])],
  "a WINDOW_UPDATE of 0": [frame(type.window, 0, 0, Buffer.alloc(4))],
  "a WINDOW_UPDATE above the maximum window": Array.from({ length: 2 }, () =>
    frame(type.window, 0, 0, [0x7f, 0xff, 0xff, 0xff]),
  ),
  "DATA on stream 0": [frame(type.data, 0, 0, Buffer.alloc(8))],
  "a CONTINUATION without HEADERS": [frame(type.continuation, END_HEADERS, 1, block(HEAD))],
  "another frame within headers": [
    frame(type.headers, 0, 1, block(HEAD)),
    frame(type.ping, 0, 0, Buffer.alloc(8)),
  ],
  "invalid headers": [frame(type.headers, END_HEADERS, 1, Buffer.alloc(20, 0xff))],
  "an index outside of the table": [frame(type.headers, END_HEADERS, 1, [0xff, 0x80, 0x7f])],
  "a reset of an idle stream": [frame(type.reset, 0, 0, Buffer.alloc(4))],
  "a frame that is too long": [frame(type.data, 0, 1, Buffer.alloc(9), 0xff_ffff)],
  "a PUSH_PROMISE": [frame(type.push, END_HEADERS, 1, Buffer.alloc(8))],
  "a stream with an even number": [frame(type.headers, END_HEADERS, 2, block(HEAD))],
};

async function count(): Promise<number> {
  const { body } = await metrics.render();
  return Number(/^connect_rest_http2_violations_total (\d+)$/m.exec(body)?.[1]);
}

/** Sends frames on a new connection; resolves when the server has closed it. */
async function send(frames: readonly Buffer[]): Promise<void> {
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.write(Buffer.concat([preface, SETTINGS, ...frames]));
  await once(socket, "close");
}

test.each(Object.entries(VIOLATIONS))("%s closes the connection and is counted", async (_name, frames) => {
  const before = await count();
  await send(frames);
  expect(await count()).toBe(before + 1);
});

test("neither a client that disconnects nor a client that is served counts as a violation", async () => {
  const before = await count();
  const socket = net.connect(server.port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  socket.write(Buffer.concat([preface, SETTINGS, OPEN]));
  await once(socket, "data");
  socket.destroy();
  const headers = {
    ":method": "POST",
    ":path": "/echo.v1.EchoService/Echo",
    "content-type": "application/json",
  };
  expect((await http2Request(server.port, headers, Buffer.from("{}"))).status).toBe(200);
  expect(await count()).toBe(before);
});

/** Frames that are valid individually, but expensive in large numbers (RFC 9113 section 10.5). */
const FLOODS: Readonly<Record<string, (index: number) => Buffer>> = {
  PING: () => frame(type.ping, 0, 0, Buffer.alloc(8)),
  SETTINGS: () => frame(type.settings, 0, 0),
  "SETTINGS with a table that grows and shrinks": (index) =>
    frame(type.settings, 0, 0, [0, 1, 0, 0, index % 2 === 0 ? 0 : 16, 0]),
  PRIORITY: (index) => frame(type.priority, 0, 2 * index + 3, [0, 0, 0, 0, 16]),
  "empty DATA": () => frame(type.data, 0, 1),
  "DATA that is only padding": () => frame(type.data, 8, 1, Buffer.alloc(256, 0).fill(255, 0, 1)),
  WINDOW_UPDATE: () => frame(type.window, 0, 1, [0, 0, 0, 1]),
  RST_STREAM: (index) =>
    Buffer.concat([
      frame(type.headers, END_HEADERS, 2 * index + 3, block(HEAD)),
      frame(type.reset, 0, 2 * index + 3, [0, 0, 0, 8]),
    ]),
  "empty HEADERS": (index) => frame(type.headers, END_HEADERS | END_STREAM, 2 * index + 3),
  "headers without a name": (index) =>
    frame(
      type.headers,
      END_HEADERS | END_STREAM,
      2 * index + 3,
      Buffer.concat([block(HEAD), Buffer.from([0]), text(""), text("")]),
    ),
  "unknown frames": () => frame(0xfa, 0, 1, Buffer.alloc(10)),
};

/** A table entry of the maximum size, and a header list with the maximum number of references to it. */
const BOMB_ENTRY = Buffer.concat([Buffer.from([0x40]), text("x"), text("y".repeat(4000))]);
const PLAIN_HEAD = block(HEAD);

/** Header lists that are small on the wire and large when decoded, or that never end. */
const BOMBS: Readonly<Record<string, (index: number) => readonly Buffer[]>> = {
  "16,000 references to an entry of 4 KB": (index) => [
    frame(
      type.headers,
      END_HEADERS | END_STREAM,
      2 * index + 1,
      Buffer.concat([PLAIN_HEAD, BOMB_ENTRY, Buffer.alloc(12_000, 0xbe)]),
    ),
  ],
  "endless CONTINUATION": (index) => [
    frame(type.headers, 0, 2 * index + 1, PLAIN_HEAD),
    ...Array.from({ length: 50 }, () => frame(type.continuation, 0, 2 * index + 1, BOMB_ENTRY)),
  ],
  "endless empty CONTINUATION": (index) => [
    frame(type.headers, 0, 2 * index + 1, PLAIN_HEAD),
    ...Array.from({ length: 200 }, () => frame(type.continuation, 0, 2 * index + 1)),
  ],
  "an endless Huffman code": (index) => [
    frame(
      type.headers,
      END_HEADERS,
      2 * index + 1,
      Buffer.concat([Buffer.from([0x00, 0xff, 0x80, 0x7f]), Buffer.alloc(16_000, 0xff)]),
    ),
  ],
};

test.each(Object.entries(BOMBS))(
  "%s on 50 connections does not affect other clients",
  { timeout: 60_000 },
  async (_name, make) => {
    const bytes = Buffer.concat([
      preface,
      SETTINGS,
      ...Array.from({ length: 10 }, (_, index) => make(index)).flat(),
    ]);
    const sockets = Array.from({ length: 50 }, () => {
      const socket = net.connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined).resume();
      socket.write(bytes);
      return socket;
    });
    const headers = {
      ":method": "POST",
      ":path": "/echo.v1.EchoService/Echo",
      "content-type": "application/json",
    };
    for (let call = 0; call < 5; call++) {
      expect((await http2Request(server.port, headers, Buffer.from('{"text":"a"}'))).body).toEqual({
        text: "a",
      });
    }
    for (const socket of sockets) socket.destroy();
  },
);

/**
 * The number of frames in a flood. Output to a server that does not read stays in the socket buffers, or is
 * lost when the server closes the connection.
 */
const FLOOD = 20_000;

test.each(Object.entries(FLOODS))(
  "a flood of %s frames on one connection does not affect other clients",
  { timeout: 60_000 },
  async (_name, make) => {
    const socket = net.connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    const closed = once(socket, "close");
    // an attacker does not read the responses
    socket.pause();
    socket.write(Buffer.concat([preface, SETTINGS, OPEN]));
    const frames = Array.from({ length: FLOOD }, (_, index) => make(index));
    socket.write(Buffer.concat(frames));
    const headers = {
      ":method": "POST",
      ":path": "/echo.v1.EchoService/Echo",
      "content-type": "application/json",
    };
    for (let call = 0; call < 5; call++) {
      expect((await http2Request(server.port, headers, Buffer.from('{"text":"a"}'))).body).toEqual({
        text: "a",
      });
    }
    socket.destroy();
    await closed;
  },
);

test("property: the server serves calls after any mixture of floods and violations", {
  timeout: 120_000,
}, async () => {
  const makers = [
    ...Object.values(FLOODS),
    ...Object.values(VIOLATIONS).map((frames) => () => Buffer.concat(frames)),
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(makers.length - 1), fc.nat(300)), { maxLength: 200 }),
      async (picks) => {
        const socket = net.connect(server.port, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        const closed = once(socket, "close");
        socket.end(
          Buffer.concat([
            preface,
            SETTINGS,
            OPEN,
            ...picks.map(([maker, index]) => makers[maker]?.(index) ?? Buffer.alloc(0)),
          ]),
        );
        await closed;
        expect((await http2Request(server.port, { ":path": "/healthz" })).status).toBe(200);
      },
    ),
    { numRuns: 25 },
  );
});
