import type { Clock } from "connect-rest-codec/internal";
import { AnyMajorHandler } from "./any-major-handler.ts";
import type { ResponseHeaders } from "./exchange.ts";
import type { DispatchController, DispatchHandler, DispatchOptions, Requester } from "./requester.ts";

/**
 * Limits that this module enforces, since a supplied dispatcher may not enforce them, or may use values other
 * than the options of the upstream.
 */
export interface SuppliedLimits {
  /** The maximum size of the head of a response in bytes. */
  readonly maxHeaderBytes: number;
  /**
   * The time limit for the head of a response in milliseconds, measured from the moment the request is sent.
   */
  readonly headersTimeoutMs: number;
  /** The longest pause within a body in milliseconds, if the request does not set another. */
  readonly bodyTimeoutMs: number;
}

type FailureCode = "UND_ERR_HEADERS_TIMEOUT" | "UND_ERR_BODY_TIMEOUT" | "UND_ERR_HEADERS_OVERFLOW";

/** The error for an exceeded limit, with the code that undici uses. */
class LimitExceeded extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode) {
    super(code);
    this.code = code;
  }
}

/**
 * One exchange of a supplied dispatcher. Enforces the limits between the dispatcher and the reader of the
 * response. It can be aborted at any time, even if the dispatcher does not react.
 */
export class SuppliedExchange extends AnyMajorHandler implements DispatchController {
  aborted = false;
  paused = false;
  reason: Error | null = null;
  private readonly reader: DispatchHandler;
  private readonly limits: SuppliedLimits;
  private readonly clock: Clock;
  private readonly onOver: () => void;
  private inner: DispatchController | undefined;
  private phase: "before" | "sent" | "responded" | "over" = "before";
  private stopTimer: (() => void) | undefined;

  constructor(reader: DispatchHandler, limits: SuppliedLimits, clock: Clock, onOver: () => void) {
    super();
    this.reader = reader;
    this.limits = limits;
    this.clock = clock;
    this.onOver = onOver;
  }

  start(dispatcher: Requester, options: DispatchOptions): void {
    this.reader.onRequestStart?.(this, {});
    const body = isAsyncIterable(options.body) ? this.watched(options.body) : options.body;
    // one clock here enforces the timeouts, whether or not the dispatcher supports timeouts
    const untimed = { ...options, body: body as Uint8Array | null, headersTimeout: 0, bodyTimeout: 0 };
    try {
      dispatcher.dispatch(untimed, this);
    } catch (error) {
      this.fail(error);
    }
  }

  abort(reason: Error): void {
    if (!this.end()) return;
    this.aborted = true;
    this.reason = reason;
    this.inner?.abort(reason);
  }

  pause(): void {
    this.paused = true;
    this.disarm();
    this.inner?.pause();
  }

  resume(): void {
    this.paused = false;
    this.arm();
    this.inner?.resume();
  }

  onRequestStart(controller: DispatchController): void {
    this.inner = controller;
    if (this.phase === "over") {
      controller.abort(this.reason ?? new Error("the call was aborted"));
      return;
    }
    // an interceptor that retries calls this function again
    if (this.phase === "before") this.phase = "sent";
    this.arm();
  }

  onResponseStart(_controller: DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.phase === "over") return;
    if (bytesOf(headers) > this.limits.maxHeaderBytes) {
      this.fail(new LimitExceeded("UND_ERR_HEADERS_OVERFLOW"));
      return;
    }
    if (status >= 200) this.phase = "responded";
    this.reader.onResponseStart?.(this, status, headers as Record<string, string | string[]>);
    this.arm();
  }

  onResponseData(_controller: DispatchController, chunk: Buffer): void {
    if (this.phase === "over") return;
    this.arm();
    this.reader.onResponseData?.(this, chunk);
  }

  onResponseEnd(): void {
    if (this.end()) this.reader.onResponseEnd?.(this, {});
  }

  onResponseError(_controller: DispatchController | undefined, error: unknown): void {
    this.fail(error);
  }

  /** Ends the exchange with an error for its reader. */
  fail(error: unknown): void {
    if (!this.end()) return;
    this.reader.onResponseError?.(this, error as Error);
    this.inner?.abort(new Error("the exchange failed"));
  }

  /** @returns false if the exchange had already ended */
  private end(): boolean {
    if (this.phase === "over") return false;
    this.phase = "over";
    this.disarm();
    this.onOver();
    return true;
  }

  /**
   * Yields a request body. The time limit for the head is suspended while the upstream waits for more of the
   * body.
   */
  private async *watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    this.disarm();
    for await (const chunk of body) {
      this.arm();
      yield chunk;
      this.disarm();
    }
    this.arm();
  }

  private arm(): void {
    this.disarm();
    if (this.phase === "sent") {
      this.after(this.limits.headersTimeoutMs, "UND_ERR_HEADERS_TIMEOUT");
    } else if (this.phase === "responded" && !this.paused) {
      this.after(this.limits.bodyTimeoutMs, "UND_ERR_BODY_TIMEOUT");
    }
  }

  private after(ms: number, code: FailureCode): void {
    this.stopTimer = this.clock.after(ms, () => this.fail(new LimitExceeded(code)));
  }

  private disarm(): void {
    this.stopTimer?.();
    this.stopTimer = undefined;
  }
}

/** Returns the size of the headers in bytes, counting each header as a line. */
function bytesOf(headers: ResponseHeaders): number {
  let size = 0;
  for (const [name, value = ""] of Object.entries(headers)) {
    for (const each of [value].flat()) size += name.length + each.length + 4;
  }
  return size;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Uint8Array> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}
