import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { Client } from "undici";
import type { DispatchHandler, DispatchOptions } from "../http/requester.ts";
import type { ExchangeControl } from "./exchange-control.ts";

/** What is behind a connection that was handed over. */
export interface RawConnection {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/**
 * A connection whose request has been sent, as one on which nothing has happened yet: what is written is
 * dropped, and what had been received comes once something was written.
 */
class Replay extends Duplex {
  private readonly raw: RawConnection;
  private waiting: Buffer[] = [];
  private isAsked = false;

  constructor(raw: RawConnection) {
    super();
    this.raw = raw;
  }

  /** The next bytes from the other side. */
  received(bytes: Buffer): void {
    if (!this.isAsked) {
      this.waiting.push(bytes);
    } else if (!this.push(bytes)) {
      this.raw.pause();
    }
  }

  /** The other side sends no more. */
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

/** Limits of an exchange that goes on in another client. */
export interface HandedLimits {
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/**
 * Has undici read the response to a request that was sent, from its first byte: it knows all of HTTP/1.1, and
 * says what is none. The connection is closed afterwards.
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
      // it must not come at once; of a socket, undici uses no more than a Duplex has
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
   * What was received before is read first; all of it, however slowly, where the other side had sent its end.
   */
  failed(error: Error): void {
    if (!this.hasEnded) setImmediate(() => this.replay.destroy(error));
  }
}
