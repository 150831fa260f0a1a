import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { buildConnector, Pool } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DispatchController, DispatchOptions } from "../http/requester.ts";
import { ON_READ } from "./connection.ts";
import { type ClosableRequester, Http1Pool } from "./pool.ts";

/** A response of a server, and how its client reads it. */
interface Case {
  readonly head: string;
  readonly isChunked: boolean;
  /** The sizes of the pieces of the body in bytes. Each piece is sent in a separate event-loop turn. */
  readonly pieces: readonly number[];
  readonly closes: boolean;
  /** The number of event-loop turns for which the client pauses after it has received data. */
  readonly turns: number;
}

const FRAMINGS: Readonly<Record<string, (length: number) => Pick<Case, "head" | "isChunked" | "closes">>> = {
  length: (length) => ({
    head: `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n`,
    isChunked: false,
    closes: false,
  }),
  "a length, then closed": (length) => ({
    head: `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${length}\r\n`,
    isChunked: false,
    closes: true,
  }),
  chunks: () => ({
    head: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n",
    isChunked: true,
    closes: false,
  }),
  "early hints": (length) => ({
    head: `HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n`,
    isChunked: false,
    closes: false,
  }),
  "HTTP/1.0": () => ({ head: "HTTP/1.0 200 OK\r\n", isChunked: false, closes: true }),
  "a body until the connection ends": () => ({ head: "HTTP/1.1 200 OK\r\n", isChunked: false, closes: true }),
  "HTTP/1.0 with a length": (length) => ({
    head: `HTTP/1.0 200 OK\r\ncontent-length: ${length}\r\n`,
    isChunked: false,
    closes: true,
  }),
};

const responses: fc.Arbitrary<Case> = fc
  .record({
    framing: fc.constantFrom(...Object.keys(FRAMINGS)),
    pieces: fc.array(fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 300_000 })), { minLength: 1, maxLength: 4 }),
    turns: fc.constantFrom(0, 1, 2, 5, 20),
  })
  .map(({ framing, pieces, turns }) => {
    const length = pieces.reduce((sum, size) => sum + size, 0);
    const made = FRAMINGS[framing]?.(length) ?? { head: "", isChunked: false, closes: true };
    return { ...made, pieces, turns };
  });

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

let server: Server;
let origin: string;
let current: Case | undefined;

async function respond(socket: Socket): Promise<void> {
  if (current === undefined) return;
  const { head, isChunked, pieces, closes } = current;
  socket.write(`${head}\r\n`);
  for (const size of pieces) {
    await turn();
    if (size === 0) continue;
    const bytes = Buffer.alloc(size, "x");
    socket.write(
      isChunked ? Buffer.concat([bytesOf(`${size.toString(16)}\r\n`), bytes, bytesOf("\r\n")]) : bytes,
    );
  }
  if (isChunked) socket.write("0\r\n\r\n");
  if (closes) socket.end();
}

const bytesOf = (text: string) => Buffer.from(text, "latin1");

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => undefined).on("data", () => respond(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.close();
  await once(server, "close");
});

/** Reads a response. Pauses for some event-loop turns after each piece, even after the last. */
function read(pool: ClosableRequester, turns: number): Promise<string> {
  return new Promise((resolve) => {
    let length = 0;
    const goOn = async (controller: DispatchController) => {
      for (let count = 0; count < turns; count++) await turn();
      controller.resume();
    };
    const options = { origin, method: "GET", path: "/", headers: [], body: null };
    pool.dispatch(options as DispatchOptions, {
      onRequestStart: () => undefined,
      onResponseStart: () => undefined,
      onResponseData: (controller, chunk) => {
        if (chunk.length === 0) return;
        length += chunk.length;
        controller.pause();
        void goOn(controller);
      },
      onResponseEnd: () => resolve(`${length} bytes`),
      onResponseError: (_controller, error) => resolve(`${length} bytes, then ${error}`),
    });
  });
}

test("a slow reader gets the whole response, and so does the next request on the connection", async () => {
  await fc.assert(
    fc.asyncProperty(responses, async (response) => {
      current = response;
      const pool = new Http1Pool(origin, {
        connections: 1,
        headersTimeoutMs: 10_000,
        bodyTimeoutMs: 10_000,
        maxHeaderBytes: 16_384,
        connect: buildConnector({ onread: ON_READ, allowH2: false } as object),
        others: (counted) => new Pool(origin, { connections: 1, connect: counted(buildConnector({})) }),
      });
      const length = response.pieces.reduce((sum, size) => sum + size, 0);
      for (let count = 0; count < 3; count++) {
        expect(await read(pool, response.turns)).toBe(`${length} bytes`);
      }
      await pool.close();
    }),
    // no time limit, so that a hang is not mistaken for slowness
    { numRuns: 60, endOnFailure: true },
  );
}, 60_000);
