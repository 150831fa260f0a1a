import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import tls from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDefaultLimits } from "../limits.ts";
import { type Server, startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";
import { selfSigned } from "../testing/self-signed.ts";
import { READ_AHEAD } from "./wire-heads.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-heads-"));
const files = { certificate: path.join(directory, "tls.crt"), key: path.join(directory, "tls.key") };
const { certificate, key } = selfSigned();

const LIMITS = withDefaultLimits();
const servers: Server[] = [];
beforeAll(async () => {
  writeFileSync(files.certificate, certificate);
  writeFileSync(files.key, key);
  const limits = {
    ...{ headersTimeoutMs: 500, bodyIdleTimeoutMs: 500, idleTimeoutMs: 500 },
    ...{ drainNoticeMs: 1, drainGraceMs: 50, eventLoopDelayMs: 60_000 },
  };
  servers.push(await startServer({ ...echoService, limits }));
  servers.push(await startServer({ ...echoService, limits, tls: files }));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  rmSync(directory, { recursive: true });
});

/** Connects, with or without TLS. */
function connect(isSecure: boolean): net.Socket {
  const { port = 0 } = servers[isSecure ? 1 : 0] ?? {};
  const options = { port, host: "127.0.0.1" };
  return isSecure ? tls.connect({ ...options, ca: certificate }) : net.connect(options);
}

/**
 * A message with a position for padding: the parts before and after the padding, and the unit that the
 * padding repeats.
 */
interface Padded {
  readonly before: string;
  readonly unit: string;
  readonly after: string;
}

const PATH = "/echo.v1.EchoService/Echo";
const HEADERS = "host: localhost\r\ncontent-type: application/json\r\n";
const LINE = `POST ${PATH} HTTP/1.1\r\n`;
const BODY = '{"text":"a"}';
const COUNTED = `content-length: ${BODY.length}\r\n`;
const CHUNKED = "transfer-encoding: chunked\r\n";
const CHUNK = `c\r\n${BODY}\r\n`;

const inHead = (before: string, unit: string, after: string): Padded => ({ before, unit, after });

/** Heads with a position for padding. */
const HEADS: Readonly<Record<string, Padded>> = {
  "empty lines before the request line": inHead("", "\r\n", `${LINE}${HEADERS}${COUNTED}\r\n${BODY}`),
  "line feeds before the request line": inHead("", "\n", `${LINE}${HEADERS}${COUNTED}\r\n${BODY}`),
  "spaces before the target": inHead("POST ", " ", `${PATH} HTTP/1.1\r\n${HEADERS}${COUNTED}\r\n${BODY}`),
  "spaces after the target": inHead(`POST ${PATH} `, " ", `HTTP/1.1\r\n${HEADERS}${COUNTED}\r\n${BODY}`),
  "spaces before a value": inHead(`${LINE}${HEADERS}x:`, " ", `a\r\n${COUNTED}\r\n${BODY}`),
  "tabs before a value": inHead(`${LINE}${HEADERS}x:`, "\t", `a\r\n${COUNTED}\r\n${BODY}`),
  "spaces instead of a value": inHead(`${LINE}${HEADERS}x:`, " ", `\r\n${COUNTED}\r\n${BODY}`),
  "spaces after a value": inHead(`${LINE}${HEADERS}x: a`, " ", `\r\n${COUNTED}\r\n${BODY}`),
  "spaces within a value": inHead(`${LINE}${HEADERS}x: a`, " ", `b\r\n${COUNTED}\r\n${BODY}`),
  "spaces before the length": inHead(
    `${LINE}${HEADERS}content-length:`,
    " ",
    `${BODY.length}\r\n\r\n${BODY}`,
  ),
  "spaces before a coding": inHead(
    `${LINE}${HEADERS}transfer-encoding:`,
    " ",
    `chunked\r\n\r\n${CHUNK}0\r\n\r\n`,
  ),
  "spaces after a name": inHead(`${LINE}${HEADERS}x`, " ", `: a\r\n${COUNTED}\r\n${BODY}`),
  "a folded line": inHead(`${LINE}${HEADERS}x: a\r\n`, " ", `b\r\n${COUNTED}\r\n${BODY}`),
  "empty values": inHead(`${LINE}${HEADERS}`, "x:\r\n", `${COUNTED}\r\n${BODY}`),
};

const chunked = (before: string, unit: string): Padded => ({
  before: `${LINE}${HEADERS}${CHUNKED}\r\n${before}`,
  unit,
  after: "",
});

/** Unfinished bodies. Padding is appended where each body breaks off. */
const BODIES: Readonly<Record<string, Padded>> = {
  "zeros of a chunk's size": chunked("", "0"),
  "spaces after a chunk's size": chunked("c", " "),
  "an extension of a chunk": chunked("c;", "a"),
  "an extension of the last chunk": chunked(`${CHUNK}0;`, "a"),
  "zeros of the last chunk's size": chunked(CHUNK, "0"),
  "a trailer": chunked(`${CHUNK}0\r\nx: `, "a"),
  trailers: chunked(`${CHUNK}0\r\n`, "x: a\r\n"),
  "spaces before a trailer's value": chunked(`${CHUNK}0\r\nx:`, " "),
};

/** A valid request, whose body may be long and chunked. */
interface Good {
  readonly isChunked: boolean;
  readonly spaces: number;
  readonly padding: number;
}

function textOf({ isChunked, spaces, padding }: Good): string {
  const body = BODY + " ".repeat(spaces);
  const head = `${LINE}${HEADERS}x:${" ".repeat(padding)}a\r\n`;
  return isChunked
    ? `${head}${CHUNKED}\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    : `${head}content-length: ${body.length}\r\n\r\n${body}`;
}

/** Records the bytes sent and received on a connection until it closes. */
class Connection {
  readonly closed: Promise<void>;
  readonly socket: net.Socket;
  private text = "";
  private notify: () => void = () => undefined;

  constructor(isSecure: boolean) {
    this.socket = connect(isSecure);
    this.socket.setEncoding("latin1").on("error", () => undefined);
    this.socket.on("data", (chunk: string) => {
      this.text += chunk;
      this.notify();
    });
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
  }

  get statuses(): number[] {
    return [...this.text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  }

  /** Sends requests and reads their responses, sequentially or pipelined. */
  async exchange(requests: readonly string[], isPipelined: boolean): Promise<void> {
    const groups = isPipelined ? [requests] : requests.map((request) => [request]);
    let expected = this.statuses.length;
    for (const group of groups) {
      expected += group.length;
      this.socket.write(group.join(""));
      while (this.statuses.length < expected) {
        await new Promise<void>((resolve, reject) => {
          this.notify = resolve;
          void this.closed.then(() => reject(new Error(`closed after ${this.statuses.join(", ")}`)));
        });
      }
    }
  }
}

const good = fc.record({
  isChunked: fc.boolean(),
  spaces: fc.oneof(fc.constant(0), fc.nat(1 << 20)),
  padding: fc.nat(LIMITS.headerBytes),
});
const before = fc.array(good, { maxLength: 4 });

test("requests whose heads are within the limits are served, even after requests with long bodies", async () => {
  await fc.assert(
    fc.asyncProperty(before, fc.boolean(), fc.boolean(), async (requests, isSecure, isPipelined) => {
      const connection = new Connection(isSecure);
      await connection.exchange(requests.map(textOf), isPipelined);
      expect(connection.statuses).toEqual(requests.map(() => 200));
      connection.socket.destroy();
    }),
    { numRuns: 200, interruptAfterTimeLimit: 8000 },
  );
});

/**
 * The maximum size of a head that may be accepted: the limits, plus the bytes that Node reads ahead for the
 * previous request and for this one.
 */
const BOUND = LIMITS.headerBytes + LIMITS.urlBytes + 2 * READ_AHEAD;

test("a head with too much padding gets 431 or 400, or its connection is closed, even after other requests", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.entries(HEADS)),
      fc.integer({ min: BOUND, max: 2 * BOUND }),
      before,
      fc.boolean(),
      async ([, padded], size, requests, isSecure) => {
        const connection = new Connection(isSecure);
        await connection.exchange(requests.map(textOf), false);
        connection.socket.write(padded.before + padded.unit.repeat(size / padded.unit.length) + padded.after);
        await connection.closed;
        const [status = 431, ...more] = connection.statuses.slice(requests.length);
        expect([400, 431]).toContain(status);
        expect(more).toEqual([]);
      },
    ),
    { numRuns: 100, interruptAfterTimeLimit: 10_000 },
  );
});

test.each(Object.entries({ ...HEADS, ...BODIES }))(
  "a client that sends %s without end is disconnected in time",
  async (_where, { before: start, unit }) => {
    const connection = new Connection(false);
    connection.socket.write(start);
    const block = unit.repeat(4096 / unit.length);
    const timer = setInterval(() => connection.socket.write(block), 20);
    await connection.closed;
    clearInterval(timer);
    // the whole message may have arrived earlier
    for (const status of connection.statuses) expect([200, 400, 408, 431, 504]).toContain(status);
  },
);
