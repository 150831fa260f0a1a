import {
  ExchangeFailed,
  MAX_INTERIM_RESPONSES,
  type ResponseHeaders,
  TooManyInterimResponses,
} from "./exchange.ts";
import type { DispatchController, DispatchHandler, DispatchOptions, Requester } from "./requester.ts";

/** A response whose body has not been read. */
export interface OpenExchange {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /**
   * The body before decompression, which can be read once. Reading to the end completes the exchange, and
   * `return` closes the connection. Only one chunk is buffered ahead of the reader. A read throws
   * ExchangeFailed, or the reason of the signal.
   */
  readonly body: AsyncIterableIterator<Uint8Array, undefined>;
}

/**
 * Sends one request and waits for the head of the response. Returns redirects like other responses. Aborting
 * the signal ends the exchange and its connection immediately, even while the body is read. The exchange then
 * rejects with the reason of the signal.
 */
export function openExchange(
  requester: Requester,
  request: DispatchOptions,
  signal: AbortSignal,
): Promise<OpenExchange> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    requester.dispatch(request, new BodyReader(signal, resolve, reject));
  });
}

type Pull = { readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void } & Pick<
  PromiseWithResolvers<never>,
  "reject"
>;

class BodyReader implements DispatchHandler, AsyncIterableIterator<Uint8Array, undefined> {
  private readonly signal: AbortSignal;
  private readonly onHead: (exchange: OpenExchange) => void;
  private readonly onFailure: (reason: unknown) => void;
  private controller: DispatchController | undefined;
  private responded = false;
  private interim = 0;
  private chunks: Uint8Array[] = [];
  private pull: Pull | undefined;
  private end: { readonly error?: unknown } | undefined;

  constructor(
    signal: AbortSignal,
    onHead: (exchange: OpenExchange) => void,
    onFailure: (reason: unknown) => void,
  ) {
    this.signal = signal;
    this.onHead = onHead;
    this.onFailure = onFailure;
    signal.addEventListener("abort", this.onAbort, { once: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const chunk = this.chunks.shift();
    if (chunk !== undefined) return Promise.resolve({ done: false, value: chunk });
    if (this.end !== undefined) return this.ended(this.end);
    return new Promise((resolve, reject) => {
      this.pull = { resolve, reject };
      this.controller?.resume();
    });
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.chunks = [];
    this.finish({});
    this.abort("the rest of the body is not wanted");
    return Promise.resolve({ done: true, value: undefined });
  }

  onRequestStart(controller: DispatchController): void {
    this.controller = controller;
    // the exchange was aborted while it waited for a connection
    if (this.end !== undefined) this.abort("the call was aborted");
  }

  onResponseStart(_controller: DispatchController, status: number, headers: ResponseHeaders): void {
    if (this.end !== undefined) return;
    if (status < 200) {
      if (++this.interim > MAX_INTERIM_RESPONSES) this.tooManyInterim();
      return;
    }
    this.responded = true;
    this.onHead({ status, headers, body: this });
  }

  onResponseData(controller: DispatchController, chunk: Buffer): void {
    // the parser emits an empty chunk whenever it resumes: pausing at that chunk would stall the body
    if (this.end !== undefined || chunk.length === 0) return;
    const { pull } = this;
    this.pull = undefined;
    if (pull === undefined) {
      this.chunks.push(chunk);
    } else {
      pull.resolve({ done: false, value: chunk });
    }
    controller.pause();
  }

  onResponseEnd(): void {
    this.finish({});
  }

  onResponseError(_controller: DispatchController | undefined, error: unknown): void {
    this.fail(error);
  }

  private fail(error: unknown): void {
    const { responded } = this;
    this.finish({ error: new ExchangeFailed(error, { responded, sent: this.controller !== undefined }) });
  }

  private tooManyInterim(): void {
    this.fail(new TooManyInterimResponses());
    this.abort("too many interim responses");
  }

  private readonly onAbort = (): void => {
    this.chunks = [];
    this.finish({ error: this.signal.reason });
    this.abort("the call was aborted");
  };

  private abort(reason: string): void {
    this.controller?.abort(new Error(reason));
  }

  private finish(end: { readonly error?: unknown }): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.signal.removeEventListener("abort", this.onAbort);
    if (!this.responded) this.onFailure(end.error);
    const { pull } = this;
    this.pull = undefined;
    if (pull === undefined) return;
    if ("error" in end) {
      pull.reject(end.error);
    } else {
      pull.resolve({ done: true, value: undefined });
    }
  }

  private ended(end: { readonly error?: unknown }): Promise<IteratorResult<Uint8Array, undefined>> {
    return "error" in end ? Promise.reject(end.error) : Promise.resolve({ done: true, value: undefined });
  }
}
