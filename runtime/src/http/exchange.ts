import type { Dispatcher } from "undici";
import { Gathered } from "./chunk-buffer.ts";

/** The headers of an answer, by names in lower case. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The raw answer to a request. */
export interface Exchange {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
  /** Why the body is not whole; only where `tolerant` says that a part of it is good enough. */
  readonly incomplete?: unknown;
}

/** How much of an answer is read. */
export interface ExchangeLimits {
  /** The largest body in bytes, as sent. */
  readonly maxBytes: (status: number) => number;
  /** Whether a part of the body will do, as for the text of an error. */
  readonly tolerant: (status: number) => boolean;
}

/** A body that is larger than allowed. */
export class BodyTooLarge extends Error {}

/** How many interim answers (RFC 9110 section 15.2) may come before the answer. */
export const MAX_INTERIM_ANSWERS = 32;

/** More interim answers than that. */
export class TooManyInterimAnswers extends Error {}

/** An exchange that failed, with what is known of how far it came. */
export class ExchangeFailed extends Error {
  /** Whether the head of an answer had come. */
  readonly answered: boolean;
  /** Whether there was a connection that the request went out on. */
  readonly sent: boolean;

  constructor(cause: unknown, { answered, sent }: { readonly answered: boolean; readonly sent: boolean }) {
    super(String(cause), { cause });
    this.name = "ExchangeFailed";
    this.answered = answered;
    this.sent = sent;
  }
}

/**
 * Sends one request and reads the whole answer. Redirects are answers. An abort of the signal ends the exchange
 * and its connection at once, also while the request still waits for a connection; it rejects with the reason.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    dispatcher.dispatch(request, new Reader(limits, signal, resolve, reject));
  });
}

class Reader implements Dispatcher.DispatchHandler {
  private readonly limits: ExchangeLimits;
  private readonly signal: AbortSignal;
  private readonly resolve: (answer: Exchange) => void;
  private readonly reject: (reason: unknown) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private headers: AnswerHeaders = {};
  private readonly body = new Gathered();
  private interim = 0;
  private settled = false;

  constructor(
    limits: ExchangeLimits,
    signal: AbortSignal,
    resolve: (answer: Exchange) => void,
    reject: (reason: unknown) => void,
  ) {
    this.limits = limits;
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
    signal.addEventListener("abort", this.onAbort, { once: true });
  }

  private readonly onAbort = (): void => {
    this.settle(() => this.reject(this.signal.reason));
    this.controller?.abort(new Error("the call was aborted"));
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // aborted while it waited for a connection
    if (this.settled) controller.abort(new Error("the call was aborted"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status < 200) {
      if (++this.interim > MAX_INTERIM_ANSWERS) this.stop(new TooManyInterimAnswers());
      return;
    }
    this.status = status;
    this.headers = headers;
    const { "content-length": length } = headers;
    if (Number(length) > this.limits.maxBytes(status) && !this.limits.tolerant(status)) {
      this.stop(new BodyTooLarge());
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.body.push(chunk);
    if (this.body.size > this.limits.maxBytes(this.status)) this.stop(new BodyTooLarge());
  }

  onResponseEnd(): void {
    this.settle(() => this.resolve(this.answer()));
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.fail(error);
  }

  private stop(error: Error): void {
    this.fail(error);
    this.controller?.abort(new Error("the answer is too large"));
  }

  private fail(error: unknown): void {
    const answered = this.status !== 0;
    const sent = this.controller !== undefined;
    this.settle(() => {
      if (answered && this.limits.tolerant(this.status))
        this.resolve({ ...this.answer(), incomplete: error });
      else this.reject(new ExchangeFailed(error, { answered, sent }));
    });
  }

  private answer(): Exchange {
    const limit = this.limits.maxBytes(this.status);
    return { status: this.status, headers: this.headers, body: this.body.bytes().subarray(0, limit) };
  }

  private settle(act: () => void): void {
    if (this.settled) return;
    this.settled = true;
    this.signal.removeEventListener("abort", this.onAbort);
    act();
  }
}
