import { channel } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { CALLER, type DispatchHandler, type DispatchOptions, type Requester } from "../http/requester.ts";
import { FairShare } from "../shares/fair-share.ts";
import { type ConnectionLimits, type ConnectionOwner, Http1Connection } from "./connection.ts";
import { type UsualRequest, usualRequest } from "./request-head.ts";

/** A requester that can be closed. */
export type ClosableRequester = Requester & { close(): Promise<void> };

/** Options for the connections of a pool. */
export interface PoolOptions extends ConnectionLimits {
  /** The maximum number of connections, including undici's connections. */
  readonly connections: number;
  /** Opens connections. Their sockets must read with `ON_READ`. */
  readonly connect: buildConnector.connector;
  /** Creates the client for all unusual requests, which must use the given connector. */
  readonly others: (
    connected: (connect: buildConnector.connector) => buildConnector.connector,
  ) => ClosableRequester;
}

interface Waiting {
  readonly options: DispatchOptions;
  readonly handler: DispatchHandler;
  readonly usual: UsualRequest | undefined;
}

/**
 * Programs that instrument undici expect to see requests, so undici sends all requests while this channel has
 * subscribers.
 */
const CREATED = channel("undici:request:create");

/**
 * The number of consecutive unusual responses after which the requests to a server go to undici. Each unusual
 * response costs a connection.
 */
const MAX_UNUSUAL = 3;

/**
 * The number of requests that go to undici before another request tests the server. Doubled after each failed
 * test.
 */
const LEFT = 16;
const MAX_LEFT = 4096;

/** The precision of timeouts, in milliseconds: a tenth of the shortest timeout, but at most half a second. */
const MAX_TICK_MS = 500;
const TICKS = 10;

/**
 * The connections to an origin. Typical requests and responses take few steps here. Undici handles all
 * others: unusual requests are handed over before they are sent, unusual responses from their first byte. A
 * connection is reused only if its last response was complete and no bytes followed, and only in a later
 * event-loop turn, so that late bytes are not read as the next response.
 */
export class Http1Pool implements ClosableRequester, ConnectionOwner {
  readonly origin: string;
  readonly limits: ConnectionLimits;
  readonly tickMs: number;
  ticks = 0;
  private readonly url: URL;
  private readonly options: PoolOptions;
  private readonly others: ClosableRequester;
  private readonly all = new Set<Http1Connection>();
  private idle: Http1Connection[] = [];
  /** The connections that become idle in the next event-loop turn. */
  private rested: Http1Connection[] = [];
  private readonly waiting: Waiting[] = [];
  /** Shares the connections among callers. */
  private readonly share: FairShare;
  private readonly callers = new WeakMap<Http1Connection, string>();
  /** The number of running requests, including requests that undici handles. */
  private running = 0;
  private connecting = 0;
  /** The number of connections that undici keeps open. */
  private othersOpen = 0;
  private unusual = 0;
  /**
   * The number of requests still to be sent through undici before the pool tries its own connections again.
   * `nextLeft` is the value that `left` gets when the next try begins.
   */
  private left = 0;
  private nextLeft = LEFT;
  private isScheduled = false;
  private timer: NodeJS.Timeout | undefined;
  private onDrained: (() => void) | undefined;
  private isClosed = false;

  constructor(origin: string, options: PoolOptions) {
    this.origin = origin;
    this.url = new URL(origin);
    this.options = options;
    this.share = new FairShare(() => options.connections);
    this.limits = options;
    const shortest = Math.min(options.headersTimeoutMs, options.bodyTimeoutMs);
    this.tickMs = shortest > 1000 ? MAX_TICK_MS : Math.max(1, Math.ceil(shortest / TICKS));
    this.others = options.others((connect) => this.counted(connect));
  }

  dispatch(options: DispatchOptions, handler: DispatchHandler): boolean {
    // undici rejects requests once it is closed
    if (this.isClosed) return this.others.dispatch(options, handler);
    this.waiting.push({ options, handler, usual: this.isLeft() ? undefined : this.usual(options) });
    this.schedule();
    return true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.running > 0 || this.waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.onDrained = resolve;
      });
    }
    for (const connection of this.all) connection.destroy();
    await this.others.close();
  }

  responded(isUsual: boolean): void {
    this.unusual = isUsual ? 0 : this.unusual + 1;
    if (isUsual) {
      this.nextLeft = LEFT;
    } else if (this.unusual === MAX_UNUSUAL) {
      this.leaveNext();
    }
  }

  /** Reports whether a request goes to undici, even if it is typical. */
  private isLeft(): boolean {
    if (CREATED.hasSubscribers) return true;
    if (this.unusual < MAX_UNUSUAL || this.left === 0) return false;
    this.left--;
    return true;
  }

  private usual(options: DispatchOptions): UsualRequest | undefined {
    const usual = usualRequest(options, this.url.host);
    // other requests must not test the server concurrently
    if (usual !== undefined && this.unusual >= MAX_UNUSUAL) this.leaveNext();
    return usual;
  }

  private leaveNext(): void {
    this.left = this.nextLeft;
    this.nextLeft = Math.min(2 * this.nextLeft, MAX_LEFT);
  }

  freed(connection: Http1Connection): void {
    this.rested.push(connection);
    this.schedule();
    this.done(this.callers.get(connection));
  }

  gone(connection: Http1Connection, wasBusy: boolean): void {
    this.all.delete(connection);
    if (wasBusy) this.done(this.callers.get(connection));
    if (this.all.size === 0 && this.timer !== undefined) {
      clearInterval(this.timer);
      this.timer = undefined;
    }
  }

  /** Stops counting a request as running. */
  private done(caller = ""): void {
    this.share.remove(caller);
    if (--this.running === 0) this.timer?.unref();
    if (this.waiting.length > 0) {
      this.schedule();
    } else if (this.running === 0) {
      this.onDrained?.();
    }
  }

  private began(caller = ""): void {
    this.share.add(caller);
    if (this.running++ === 0) this.timer?.ref();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => this.turn());
  }

  private turn(): void {
    this.isScheduled = false;
    let left = 0;
    let isFull = false;
    for (const each of this.waiting) {
      if (!isFull && this.mayHave(each.options[CALLER])) {
        if (this.send(each)) continue;
        isFull = true;
      }
      this.waiting[left++] = each;
    }
    this.waiting.length = left;
    if (this.rested.length === 0) return;
    for (const each of this.rested) this.idle.push(each);
    this.rested = [];
    if (this.waiting.length > 0) this.schedule();
  }

  /** Reports whether a caller may take a connection without depriving other callers of their share. */
  private mayHave(caller: string | undefined): boolean {
    return caller === undefined || this.share.hasRoom(caller);
  }

  /** Sends the request if it can be sent now. */
  private send({ options, handler, usual }: Waiting): boolean {
    if (this.running >= this.options.connections) return false;
    if (usual === undefined) {
      this.leave(options, handler);
      return true;
    }
    const connection = this.takeIdle();
    if (connection !== undefined) {
      this.began(options[CALLER]);
      this.sendOn(connection, options, usual, handler);
    } else if (this.rested.length > 0) {
      return false;
    } else if (this.open < this.options.connections) {
      this.connect(options, usual, handler);
    } else {
      // the remaining connections are undici's idle connections
      this.leave(options, handler);
    }
    return true;
  }

  private sendOn(
    connection: Http1Connection,
    options: DispatchOptions,
    usual: UsualRequest,
    handler: DispatchHandler,
  ): void {
    this.callers.set(connection, options[CALLER] ?? "");
    connection.send(options, usual, handler);
  }

  /** The number of all connections, including undici's connections. */
  private get open(): number {
    return this.all.size + this.connecting + this.othersOpen;
  }

  private takeIdle(): Http1Connection | undefined {
    for (;;) {
      const connection = this.idle.pop();
      if (connection === undefined || connection.isOpen) return connection;
    }
  }

  private leave(options: DispatchOptions, handler: DispatchHandler): void {
    const caller = options[CALLER];
    this.began(caller);
    // undici makes a connection idle some event-loop turns after the end of the response
    const over = () => setImmediate(() => setImmediate(() => this.done(caller)));
    const counted: DispatchHandler = {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onResponseStart: (controller, status, headers, text) =>
        handler.onResponseStart?.(controller, status, headers, text),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => {
        over();
        handler.onResponseEnd?.(controller, trailers);
      },
      onResponseError: (controller, error) => {
        over();
        handler.onResponseError?.(controller, error);
      },
    };
    this.others.dispatch(options, counted);
  }

  private connect(options: DispatchOptions, usual: UsualRequest, handler: DispatchHandler): void {
    const caller = options[CALLER];
    this.began(caller);
    this.connecting++;
    const { hostname, host, protocol, port } = this.url;
    const place = { hostname: hostname.replace(/^\[|\]$/g, ""), host, protocol, port };
    this.options.connect(place, (...[error, socket]) => {
      this.connecting--;
      if (socket === null || socket === undefined) {
        handler.onResponseError?.(undefined as never, error ?? new Error("no connection"));
        this.done(caller);
        return;
      }
      this.sendOn(this.add(socket), options, usual, handler);
    });
  }

  private add(socket: Socket): Http1Connection {
    const connection = new Http1Connection(socket, this);
    this.all.add(connection);
    if (this.timer === undefined) {
      this.timer = setInterval(() => this.tick(), this.tickMs);
      if (this.running === 0) this.timer.unref();
    }
    return connection;
  }

  private tick(): void {
    this.ticks++;
    for (const connection of this.all) connection.tick();
  }

  /**
   * Wraps a connector for undici. The connections that it opens count for the limit, and replace idle
   * connections.
   */
  private counted(connect: buildConnector.connector): buildConnector.connector {
    return (options, done) => {
      if (this.open >= this.options.connections) (this.takeIdle() ?? this.rested.pop())?.destroy();
      this.othersOpen++;
      connect(options, (...result) => {
        const [, socket] = result;
        if (socket === null || socket === undefined) {
          this.othersOpen--;
        } else {
          socket.once("close", () => {
            this.othersOpen--;
          });
        }
        done(...result);
      });
    };
  }
}
