import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { DispatchHandler, DispatchOptions } from "../http/requester.ts";
import { Client } from "../http/undici.ts";
import type { ExchangeControl } from "./exchange-control.ts";

/** The raw connection whose exchange undici continues. */
export interface RawConnection {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/**
 * Makes a connection on which the request was already sent look like an unused connection. Drops all writes.
 * The first write releases the bytes that have already been received.
 */
class Replay extends Duplex {
  private readonly raw: RawConnection;
  private waiting: Buffer[] = [];
  private isAsked = false;

  constructor(raw: RawConnection) {
    super();
    this.raw = raw;
  }

  /** Passes on bytes from the peer. */
  received(bytes: Buffer): void {
    if (!this.isAsked) {
      this.waiting.push(bytes);
    } else if (!this.push(bytes)) {
      this.raw.pause();
    }
  }

  /** Called when the peer has sent everything. */
  ended(): void {
    this.push(null);
  }

  override _write(_chunk: unknown, _encoding: unknown, done: () => void): void {
    const { waiting } = this;
    this.isAsked = true;
    this.waiting = [];
    for (const bytes of waiting) this.push(bytes);
    done();
  }

  override _read(): void {
    if (this.isAsked) this.raw.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.raw.destroy();
    done(error);
  }
}

/** The limits for an exchange that undici continues. */
export interface HandedLimits {
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/**
 * Hands over to undici an exchange whose request has already been sent. undici reads the response from its
 * first byte. Unlike this client, undici supports all of HTTP/1.1, and reports invalid responses. The
 * connection is closed afterwards.
 */
export class HandedOver {
  private readonly replay: Replay;
  private hasEnded = false;

  constructor(
    options: DispatchOptions & { readonly origin: string },
    handler: DispatchHandler,
    control: ExchangeControl,
    limits: HandedLimits,
    raw: RawConnection,
  ) {
    const replay = new Replay(raw);
    this.replay = replay;
    const client = new Client(options.origin, {
      ...limits,
      pipelining: 1,
      allowH2: false,
      // connecting must be asynchronous; undici uses only the Duplex part of a socket
      connect: (_options, done) => queueMicrotask(() => done(null, replay as unknown as Socket)),
    });
    const over = () =>
      setImmediate(() => {
        client.destroy().catch(() => undefined);
        replay.destroy();
      });
    client.dispatch(options, {
      onRequestStart: (controller) => control.handOver(controller),
      onResponseStart: (_controller, status, headers) => handler.onResponseStart?.(control, status, headers),
      onResponseData: (_controller, chunk) => handler.onResponseData?.(control, chunk),
      onResponseEnd: (_controller, trailers) => {
        handler.onResponseEnd?.(control, trailers);
        over();
      },
      onResponseError: (_controller, error) => {
        handler.onResponseError?.(control, error);
        over();
      },
    });
  }

  received(bytes: Buffer): void {
    this.replay.received(bytes);
  }

  ended(): void {
    this.hasEnded = true;
    this.replay.ended();
  }

  /**
   * Delivers the received bytes, then the error. If the peer had sent everything, a slow reader still
   * receives all bytes before the error.
   */
  failed(error: Error): void {
    if (!this.hasEnded) setImmediate(() => this.replay.destroy(error));
  }
}
