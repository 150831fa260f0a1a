import http2 from "node:http2";
import net from "node:net";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { type LimitOptions, withDefaultLimits } from "../limits.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { block, END_HEADERS, frame, preface, TALK, type } from "../testing/frames.ts";
import { ResetBudget } from "./resets.ts";

const limits = withDefaultLimits({ resetsPerSecond: 50, streamsPerConnection: 100 });
const early = { ageMs: 1, timeoutMs: undefined };

/** Returns how many of `count` equal, simultaneous resets are allowed. */
function allowed(count: number, reset: { ageMs: number; timeoutMs: number | undefined }): number {
  const budget = new ResetBudget(limits, 0, () => false);
  for (let i = 0; i < count; i++) if (budget.isExceeded(reset, 0)) return i;
  return count;
}

test("a client may cancel 100 calls at the same time, but no more", () => {
  expect(allowed(1000, early)).toBe(100);
});

test.each([
  { ageMs: 100, timeoutMs: 100 },
  { ageMs: 80, timeoutMs: 100 },
  { ageMs: 120, timeoutMs: 100 },
  { ageMs: 1000, timeoutMs: undefined },
  { ageMs: 5000, timeoutMs: 60_000 },
])("resets of calls near or after their timeout, or older than a second, are not limited: %o", (reset) => {
  expect(allowed(10_000, reset)).toBe(10_000);
});

test.each([
  { ageMs: 10, timeoutMs: 100 },
  { ageMs: 999, timeoutMs: undefined },
  { ageMs: 0, timeoutMs: 60_000 },
])("resets of younger calls are limited: %o", (reset) => {
  expect(allowed(10_000, reset)).toBe(100);
});

test("the number of early resets never exceeds the burst plus the rate times the elapsed time", () => {
  const gaps = fc.array(fc.tuple(fc.nat(200), fc.nat(40)), { maxLength: 60 });
  fc.assert(
    fc.property(gaps, (steps) => {
      const budget = new ResetBudget(limits, 0, () => false);
      let now = 0;
      let passed = 0;
      for (const [gap, count] of steps) {
        now += gap;
        for (let i = 0; i < count; i++) if (!budget.isExceeded(early, now)) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(100 + (50 * now) / 1000);
    }),
    { numRuns: 100 },
  );
});

let server: Server;
afterEach(() => server?.close());

async function start(given: LimitOptions = {}): Promise<void> {
  server = await startServer({ ...echoService, limits: { drainNoticeMs: 1, drainGraceMs: 50, ...given } });
}

const u32 = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];

/** Returns the code of the GOAWAY frame that a server has sent, or undefined if there is none. */
function goawayCode(received: string): number | undefined {
  const goaway = framesOf(Buffer.from(received, "latin1")).find((each) => each[3] === type.goaway);
  return goaway?.readUInt32BE(13);
}

/**
 * Sends packets one after another, each followed by a PING whose acknowledgement is awaited. Returns all
 * received bytes.
 */
function sendInTurn(port: number, packets: readonly Uint8Array[]): Promise<string> {
  return new Promise((resolve) => {
    const left = [...packets];
    const socket = net.connect(port, "127.0.0.1");
    let received = Buffer.alloc(0);
    let answered = 0;
    const next = () => {
      const packet = left.shift();
      if (packet === undefined) return;
      socket.write(Buffer.concat([packet, frame(type.ping, 0, 0, Buffer.alloc(8))]));
    };
    socket.on("connect", next).on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const acknowledged = framesOf(received).filter((each) => each[3] === type.ping).length;
      for (; answered < acknowledged; answered++) next();
    });
    socket.on("close", () => resolve(received.toString("latin1")));
  });
}

/** Returns the complete frames in the received bytes. */
function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0, end = 0; at + 9 <= bytes.length; at = end) {
    end = at + 9 + bytes.readUIntBE(at, 3);
    if (end <= bytes.length) frames.push(bytes.subarray(at, end));
  }
  return frames;
}

test.each([
  ["resets with CANCEL", (stream: number) => frame(type.reset, 0, stream, u32(8))],
  ["resets with NO_ERROR", (stream: number) => frame(type.reset, 0, stream, u32(0))],
  [
    "makes the server reset streams by sending trailers that do not end them",
    (stream: number) => frame(type.headers, END_HEADERS, stream, block([["x-trailer", "1"]])),
  ],
])("a connection that %s gets ENHANCE_YOUR_CALM", async (_, provoke) => {
  await start();
  const streams = Array.from({ length: 400 }, (_, i) => {
    const stream = 2 * i + 1;
    return Buffer.concat([frame(type.headers, END_HEADERS, stream, TALK), provoke(stream)]);
  });
  const opening = Buffer.concat([preface, frame(type.settings, 0, 0)]);
  const packets = Array.from({ length: 8 }, (_, i) => Buffer.concat(streams.slice(50 * i, 50 * i + 50)));
  const received = await sendInTurn(server.port, [opening, ...packets]);
  expect(goawayCode(received)).toBe(http2.constants.NGHTTP2_ENHANCE_YOUR_CALM);
});

/** Starts endless calls, and cancels all of them together once they run. Resolves when they are closed. */
async function giveUp(session: http2.ClientHttp2Session, count: number, timeout?: string): Promise<void> {
  const streams = Array.from({ length: count }, () => {
    const stream = session.request({
      ":method": "POST",
      ":path": "/echo.v1.EchoService/Talk",
      "content-type": "application/grpc",
      ...(timeout !== undefined && { "grpc-timeout": timeout }),
    });
    stream.on("error", () => undefined);
    return stream;
  });
  // An acknowledged PING proves that earlier frames have reached the server.
  await new Promise((resolve) => session.ping(resolve));
  await Promise.all(
    streams.map((stream) => {
      const closed = new Promise((resolve) => stream.once("close", resolve));
      stream.close(http2.constants.NGHTTP2_CANCEL);
      return closed;
    }),
  );
}

test("canceling 100 calls together keeps their connection open", async () => {
  await start();
  const session = http2.connect(server.url);
  session.on("error", () => undefined);
  await giveUp(session, 100);
  const health = session.request({ ":path": "/healthz" });
  const status = await new Promise((resolve) =>
    health.once("response", (headers) => resolve(headers[":status"])).once("error", resolve),
  );
  expect([status, session.closed]).toEqual([200, false]);
  session.destroy();
});

test("repeatedly canceling timed-out calls together keeps their connection open", async () => {
  await start({ streamsPerConnection: 60 });
  const session = http2.connect(server.url);
  session.on("error", () => undefined);
  // half a microsecond has certainly passed
  for (let i = 0; i < 10; i++) await giveUp(session, 60, "1u");
  const health = session.request({ ":path": "/healthz" });
  const status = await new Promise((resolve) =>
    health.once("response", (headers) => resolve(headers[":status"])).once("error", resolve),
  );
  expect([status, session.closed]).toEqual([200, false]);
  session.destroy();
});
