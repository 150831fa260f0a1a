import type { OnReadOpts, Socket } from "node:net";
import type { BorrowingHandler, DispatchHandler, DispatchOptions } from "../http/requester.ts";
import { errors } from "../http/undici.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { type Controlled, ExchangeControl } from "./exchange-control.ts";
import { HandedOver, type RawConnection } from "./handed-over.ts";
import type { UsualRequest } from "./request-head.ts";
import { type ResponseHead, readHead } from "./response-head.ts";

/** The timeouts of a connection in milliseconds, and the maximum size of a response head in bytes. */
export interface ConnectionLimits {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly maxHeaderBytes: number;
}

/** The pool that owns connections. */
export interface ConnectionOwner {
  readonly origin: string;
  readonly limits: ConnectionLimits;
  /** The interval of ticks in milliseconds. */
  readonly tickMs: number;
  /** The number of ticks so far. */
  readonly ticks: number;
  /** Called when a response is complete and the connection can be reused. */
  freed(connection: Http1Connection): void;
  /** Called when a connection closes, during an exchange or while idle. */
  gone(connection: Http1Connection, wasBusy: boolean): void;
  /** Called once the head of a response has been read; the argument states whether the head was typical. */
  responded(isUsual: boolean): void;
}

/**
 * The time for which an idle connection stays open, in milliseconds, if its server does not state a
 * keep-alive time.
 */
const KEEP_ALIVE_MS = 4_000;
const MAX_KEEP_ALIVE_MS = 600_000;
/** How much earlier than the server this client closes an idle connection, in milliseconds. */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/** The maximum size of a request body that is copied into one buffer with the request head, in bytes. */
const MAX_COPIED_BYTES = 64 * 1024;

const READERS = new WeakMap<Socket, (bytes: Buffer) => void>();

/** The maximum number of pieces of a typical head. Each piece is parsed together with all earlier pieces. */
const MAX_HEAD_PIECES = 16;

/** The read buffer of all connections. Bytes that are needed later are copied before the next read. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** The read options for the sockets of connections. */
export const ON_READ: OnReadOpts = {
  buffer: READ_BUFFER,
  callback(this: Socket, length: number) {
    const read = READERS.get(this);
    if (read === undefined) {
      // the server has sent data without a request
      this.destroy(new errors.SocketError("bad response"));
    } else {
      read(READ_BUFFER.subarray(0, length));
    }
    return true;
  },
} as OnReadOpts;

/** The state of a running exchange. */
class Running {
  readonly options: DispatchOptions;
  readonly handler: DispatchHandler;
  readonly control: ExchangeControl;
  /** The received part of a head that is still incomplete. */
  held: Buffer | undefined;
  pieces = 0;
  head: ResponseHead | undefined;
  /** If the body has a declared length, the number of its bytes that have not arrived yet. */
  left = 0;
  chunks: ChunkedBody | undefined;

  constructor(options: DispatchOptions, handler: DispatchHandler, control: ExchangeControl) {
    this.options = options;
    this.handler = handler;
    this.control = control;
  }
}

/** An HTTP/1.1 connection that handles one exchange at a time and reads only typical responses. */
export class Http1Connection implements Controlled, RawConnection {
  private readonly socket: Socket;
  private readonly owner: ConnectionOwner;
  private running: Running | undefined;
  private handed: HandedOver | undefined;
  private isGone = false;
  private keepAliveMs = KEEP_ALIVE_MS;
  /** The tick at which the current timeout expires. */
  private due: number;

  constructor(socket: Socket, owner: ConnectionOwner) {
    this.socket = socket;
    this.owner = owner;
    this.due = owner.ticks;
    this.expect(KEEP_ALIVE_MS);
    READERS.set(socket, (bytes) => this.read(bytes));
    socket.on("error", (error) => this.broke(error));
    socket.on("end", () => this.ended());
    socket.on("close", () => this.broke(new errors.SocketError("closed")));
    // while an exchange runs, the pool keeps the process alive
    socket.unref();
  }

  get isOpen(): boolean {
    return !this.isGone && !this.socket.destroyed;
  }

  /** Sends a request. The connection must be idle. */
  send(options: DispatchOptions, { head, body }: UsualRequest, handler: DispatchHandler): void {
    const control = new ExchangeControl(this);
    try {
      handler.onRequestStart?.(control, undefined);
    } catch (thrown) {
      control.abort(thrown as Error);
    }
    if (control.reason !== null) {
      this.owner.freed(this);
      handler.onResponseError?.(control, control.reason);
      return;
    }
    this.running = new Running(options, handler, control);
    this.expect(this.owner.limits.headersTimeoutMs);
    if (body === undefined) {
      this.socket.write(`${head}\r\n`, "latin1");
    } else {
      this.write(`${head}\r\n`, body);
    }
  }

  /** Closes the connection if a timeout has expired. */
  tick(): void {
    if (this.owner.ticks < this.due || this.handed !== undefined) return;
    if (this.running === undefined) {
      this.destroy();
    } else {
      const isHead = this.running.head === undefined;
      this.fail(isHead ? new errors.HeadersTimeoutError() : new errors.BodyTimeoutError());
    }
  }

  aborted(control: ExchangeControl, reason: Error): void {
    if (this.running?.control === control) this.fail(reason);
  }

  paused(control: ExchangeControl): void {
    if (this.running?.control !== control) return;
    this.due = Number.POSITIVE_INFINITY;
    this.pause();
  }

  resumed(control: ExchangeControl): void {
    if (this.running?.control !== control) return;
    this.expect(this.owner.limits.bodyTimeoutMs);
    this.resume();
  }

  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  destroy(): void {
    this.leave();
    this.socket.destroy();
  }

  private expect(withinMs: number): void {
    const { ticks, tickMs } = this.owner;
    this.due = ticks + Math.ceil(withinMs / tickMs) + 1;
  }

  private write(head: string, body: Uint8Array): void {
    if (body.length > MAX_COPIED_BYTES) {
      this.socket.cork();
      this.socket.write(head, "latin1");
      this.socket.write(body);
      this.socket.uncork();
    } else {
      const bytes = Buffer.allocUnsafe(head.length + body.length);
      bytes.write(head, "latin1");
      bytes.set(body, head.length);
      this.socket.write(bytes);
    }
  }

  private read(bytes: Buffer): void {
    const { running } = this;
    if (this.handed !== undefined) {
      this.handed.received(Buffer.from(bytes));
    } else if (running === undefined) {
      // the server has sent data without a request
      this.destroy();
    } else if (running.head === undefined) {
      this.readHead(running, bytes);
    } else {
      this.readBody(running, bytes, 0);
    }
  }

  private readHead(running: Running, bytes: Buffer): void {
    const all = running.held === undefined ? bytes : Buffer.concat([running.held, bytes]);
    const isInPieces = ++running.pieces > MAX_HEAD_PIECES;
    const head = isInPieces ? "unusual" : readHead(all, this.owner.limits.maxHeaderBytes);
    if (head === "partial") {
      running.held = running.held === undefined ? Buffer.from(all) : all;
      return;
    }
    this.owner.responded(head !== "unusual");
    if (head === "unusual") {
      this.handOver(running, Buffer.from(all));
      return;
    }
    running.held = undefined;
    running.head = head;
    if (head.framing === "chunked") {
      running.chunks = new ChunkedBody(this.owner.limits.maxHeaderBytes);
    } else {
      running.left = head.framing;
    }
    this.readBody(running, all, head.bytes);
  }

  /**
   * Passes on a piece of the body. The piece is first copied out of the shared read buffer, since the
   * receiver may cause another read into that buffer.
   */
  private readBody(running: Running, bytes: Buffer, from: number): void {
    const { handler, control, head } = running;
    if (head === undefined) return;
    const isFirst = from > 0;
    let data: Buffer | undefined;
    let end: number;
    let bad: Error | undefined;
    if (running.chunks === undefined) {
      end = Math.min(bytes.length, from + running.left);
      running.left -= end - from;
      if (end > from) data = bytes.subarray(from, end);
    } else {
      ({ data, end, bad } = unchunked(running.chunks, bytes, from));
    }
    if (data !== undefined && !isBorrowing(handler)) data = Buffer.from(data);
    const isWhole = running.chunks === undefined ? running.left === 0 : running.chunks.isWhole;
    const hasMore = end < bytes.length;
    try {
      if (isFirst || data !== undefined) this.expect(this.owner.limits.bodyTimeoutMs);
      if (isFirst) handler.onResponseStart?.(control, head.status, head.headers as Record<string, string>);
      if (data !== undefined && this.running === running) handOn(handler, control, data);
    } catch (thrown) {
      this.fail(thrown as Error);
    }
    if (this.running !== running) return;
    if (bad !== undefined) {
      this.fail(bad);
    } else if (isWhole) {
      this.finish(running, head, hasMore);
    }
  }

  private finish({ handler, control }: Running, head: ResponseHead, hasMore: boolean): void {
    this.running = undefined;
    if (!head.keepAlive || hasMore || this.socket.writableLength > 0) {
      this.leave(true);
      this.socket.destroy();
    } else {
      this.rest(head, control.paused);
    }
    try {
      handler.onResponseEnd?.(control, {});
    } catch (thrown) {
      handler.onResponseError?.(control, thrown as Error);
    }
  }

  /** Makes the connection idle, unless the server is about to close it. */
  private rest({ headers }: ResponseHead, isPaused: boolean): void {
    const { "keep-alive": hint } = headers;
    if (hint !== undefined) this.keepAliveMs = keepAliveMsOf(String(hint));
    if (this.keepAliveMs <= 0) {
      this.leave(true);
      this.socket.destroy();
    } else {
      this.expect(this.keepAliveMs);
      // the whole body has arrived, so its reader can no longer resume the connection
      if (isPaused) this.resume();
      this.owner.freed(this);
    }
  }

  private handOver(running: Running, received: Buffer): void {
    const { options, handler, control } = running;
    const { maxHeaderBytes: maxHeaderSize, bodyTimeoutMs: bodyTimeout } = this.owner.limits;
    const headersTimeout = Math.max(1, (this.due - this.owner.ticks) * this.owner.tickMs);
    const limits = { maxHeaderSize, headersTimeout, bodyTimeout };
    const request = { ...options, origin: this.owner.origin };
    this.handed = new HandedOver(request, handler, control, limits, this);
    this.handed.received(received);
  }

  private ended(): void {
    if (this.handed === undefined) {
      this.broke(new errors.SocketError("other side closed"));
    } else {
      this.handed.ended();
    }
  }

  private broke(error: Error): void {
    if (this.handed === undefined) {
      this.fail(error);
    } else {
      this.handed.failed(error);
      this.leave();
    }
  }

  private fail(error: Error): void {
    const { running } = this;
    const wasBusy = running !== undefined;
    this.running = undefined;
    this.leave(wasBusy);
    this.socket.destroy();
    running?.handler.onResponseError?.(running.control, error);
  }

  private leave(wasBusy = this.running !== undefined): void {
    if (this.isGone) return;
    this.isGone = true;
    this.running = undefined;
    this.owner.gone(this, wasBusy);
  }
}

function keepAliveMsOf(hint: string): number {
  const seconds = /(?:^|,)[\t ]*timeout=(\d+)/i.exec(hint)?.[1];
  if (seconds === undefined) return KEEP_ALIVE_MS;
  return Math.min(Number(seconds) * 1000 - KEEP_ALIVE_MARGIN_MS, MAX_KEEP_ALIVE_MS);
}

function isBorrowing(handler: DispatchHandler): handler is BorrowingHandler {
  return "onBorrowedData" in handler;
}

function handOn(handler: DispatchHandler, control: ExchangeControl, data: Buffer): void {
  if (isBorrowing(handler)) {
    handler.onBorrowedData(control, data);
  } else {
    handler.onResponseData?.(control, data);
  }
}

/**
 * Returns the chunk contents in a piece of a body, the position after the chunks, and the error there, if
 * any. Compacts the contents in place.
 */
function unchunked(chunks: ChunkedBody, bytes: Buffer, from: number) {
  let to = from;
  let end = bytes.length;
  let bad: Error | undefined;
  try {
    end = chunks.read(bytes, from, (chunk) => {
      bytes.set(chunk, to);
      to += chunk.length;
    });
  } catch (error) {
    bad = error as Error;
  }
  return { data: to === from ? undefined : bytes.subarray(from, to), end, bad };
}
