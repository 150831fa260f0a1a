import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { ChunkBuffer } from "connect-rest-codec/internal";
import { type buildConnector, Pool } from "undici";
import type { BorrowingHandler, DispatchHandler, DispatchOptions, Requester } from "../http/requester.ts";
import { ON_READ } from "../http1/connection.ts";
import { Http1Pool } from "../http1/pool.ts";

/** A server's response to its first request: these pieces, and no more. */
export interface Script {
  readonly pieces: readonly Buffer[];
}

/** The result of an exchange, and the state of its connection. */
export interface Verdict {
  readonly status: number | undefined;
  readonly headers: unknown;
  readonly body: string;
  /** The code of the error. Undefined if the response is complete. */
  readonly error: string | undefined;
  /** Whether the exchange ended before the server closed the connection. */
  readonly early: boolean;
  /** The body of the response to a second request, or the code of its error. */
  readonly second: string;
  /** Whether the second request was sent on the connection of the first. */
  readonly reused: boolean;
}

/**
 * `ours` is the runtime's own client with undici's handlers; `borrowing` is the same client with handlers
 * that borrow chunks.
 */
export type ClientKind = "ours" | "borrowing" | "undici";

const ORIGIN = "http://scripted.test";
const GOOD = Buffer.from("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond");
const LIMITS = { connections: 1, headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, maxHeaderBytes: 512 };

/** A connection without a network. Each piece arrives in a separate event-loop turn. */
class ScriptedSocket extends Duplex {
  private readonly reads: boolean;
  private readonly respond: (send: (bytes: Buffer) => void) => void;
  private request = "";

  /** @param reads whether the socket passes data to `ON_READ` and not to a stream */
  constructor(reads: boolean, respond: (send: (bytes: Buffer) => void) => void) {
    super();
    this.reads = reads;
    this.respond = respond;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** Closes the connection from the server's side. */
  finish(): void {
    if (this.destroyed) return;
    this.push(null);
    if (this.reads) this.read(0);
  }

  override _read(): void {
    // pieces are pushed without waiting for reads
  }

  override _write(chunk: Buffer, _encoding: unknown, done: () => void): void {
    done();
    this.request += chunk.toString("latin1");
    if (!this.request.endsWith("\r\n\r\n")) return;
    this.request = "";
    this.respond((bytes) => this.send(bytes));
  }

  private send(bytes: Buffer): void {
    if (this.destroyed || this.readableEnded) return;
    if (!this.reads) {
      this.push(bytes);
      return;
    }
    const buffer = ON_READ.buffer as Buffer;
    buffer.set(bytes);
    ON_READ.callback.call(this, bytes.length, buffer);
    // simulates the next read, which overwrites the buffer
    buffer.fill(0xff, 0, bytes.length);
  }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Sends two requests to a server that follows the script for the first request and responds correctly to the
 * second.
 */
export async function verdictOf(kind: ClientKind, script: Script): Promise<Verdict> {
  const sockets: ScriptedSocket[] = [];
  let requests = 0;
  let isSent = false;
  const respond = async (send: (bytes: Buffer) => void) => {
    const pieces = ++requests === 1 ? script.pieces : [GOOD];
    for (const piece of pieces) {
      await turn();
      send(piece);
    }
    isSent = true;
  };
  const connector =
    (reads: boolean): buildConnector.connector =>
    (_options, done) => {
      const socket = new ScriptedSocket(reads, respond);
      sockets.push(socket);
      queueMicrotask(() => done(null, socket as unknown as Socket));
    };
  const pool = poolOf(kind, connector);
  const first = exchangeOf(pool, kind === "borrowing");
  while (!isSent && !first.isOver) await turn();
  // lets the client process received data before the connection is closed
  for (let turns = 0; turns < 6; turns++) await turn();
  const early = first.isOver;
  if (!early) for (const socket of sockets) socket.finish();
  await first.done;
  const before = sockets.length;
  const second = exchangeOf(pool, kind === "borrowing");
  await second.done;
  await pool.close();
  const { status, headers, body, error } = first;
  return {
    status,
    headers,
    body,
    error,
    early,
    second: second.error ?? second.body,
    reused: sockets.length === before,
  };
}

function poolOf(kind: ClientKind, connector: (reads: boolean) => buildConnector.connector) {
  const { connections, headersTimeoutMs, bodyTimeoutMs, maxHeaderBytes } = LIMITS;
  const undici = (connect: buildConnector.connector) =>
    new Pool(ORIGIN, {
      connections,
      pipelining: 1,
      allowH2: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headersTimeoutMs,
      bodyTimeout: bodyTimeoutMs,
      connect,
    });
  if (kind === "undici") return undici(connector(false));
  const others = (counted: (connect: buildConnector.connector) => buildConnector.connector) =>
    undici(counted(connector(false)));
  return new Http1Pool(ORIGIN, { ...LIMITS, connect: connector(true), others });
}

function exchangeOf(pool: Requester, borrows: boolean) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const state = {
    status: undefined as number | undefined,
    headers: undefined as unknown,
    body: "",
    error: undefined as string | undefined,
    isOver: false,
    done: promise,
  };
  const over = (error?: string) => {
    state.error = error;
    state.isOver = true;
    resolve();
  };
  const options = { origin: ORIGIN, method: "GET", path: "/", headers: ["accept", "*/*"], body: null };
  const borrowed = new ChunkBuffer();
  let announced = 0;
  const handler: DispatchHandler = {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return;
      state.status = status;
      state.headers = headers;
      announced = Number(headers["content-length"]) || 0;
    },
    onResponseData: (_controller, chunk) => {
      state.body += chunk.toString("latin1");
    },
    onResponseEnd: () => {
      state.body += borrowed.bytes().toString("latin1");
      over();
    },
    onResponseError: (_controller, error) => over("code" in error ? String(error.code) : error.name),
  };
  const borrowing: BorrowingHandler = {
    ...handler,
    onBorrowedData: (_controller, chunk) => borrowed.copy(chunk, announced),
  };
  pool.dispatch(options as DispatchOptions, borrows ? borrowing : handler);
  return state;
}
