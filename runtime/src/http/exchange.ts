import { ChunkBuffer } from "connect-rest-codec/internal";
import type { BudgetedBody } from "./body-budget.ts";
import type { BorrowingHandler, DispatchController, DispatchOptions, Requester } from "./requester.ts";

/** The headers of a response. Names are in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The raw response to a request. */
export interface Exchange {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: Buffer;
  /** The reason why the body is incomplete. Set only if `tolerant` accepts an incomplete body. */
  readonly incomplete?: unknown;
}

/** The limits for reading a response. */
export interface ExchangeLimits {
  /** Returns the maximum size of the body in bytes, before decompression. */
  readonly maxBytes: (status: number) => number;
  /** Reports whether a part of the body is enough, e.g. for the text of an error. */
  readonly tolerant: (status: number) => boolean;
}

/** Thrown for a body that exceeds its limit. */
export class BodyTooLarge extends Error {}

/** The maximum number of interim responses (RFC 9110 section 15.2) before the final response. */
export const MAX_INTERIM_RESPONSES = 32;

/** Thrown if more interim responses arrive than are allowed. */
export class TooManyInterimResponses extends Error {}

/** A failed exchange, with its progress. */
export class ExchangeFailed extends Error {
  /** Whether the head of a response had arrived. */
  readonly responded: boolean;
  /** Whether the request was sent on a connection. */
  readonly sent: boolean;

  constructor(cause: unknown, { responded, sent }: { readonly responded: boolean; readonly sent: boolean }) {
    super(textOf(cause), { cause });
    this.name = "ExchangeFailed";
    this.responded = responded;
    this.sent = sent;
  }
}

/** Returns a description of a thrown value of any type. */
function textOf(cause: unknown): string {
  try {
    return String(cause);
  } catch {
    return "something without a text was thrown";
  }
}

/**
 * Sends one request and reads the whole response. Returns redirects like other responses. Aborting the signal
 * ends the exchange and its connection immediately, even while the request waits for a connection. The
 * exchange then rejects with the reason of the signal.
 *
 * @param held counts the bytes of the body, and pauses the body if there are too many; the caller must
 *   release it
 */
export function exchange(
  requester: Requester,
  request: DispatchOptions,
  limits: ExchangeLimits,
  signal: AbortSignal,
  held?: BudgetedBody,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => reader.abort(signal.reason);
    const ended = () => signal.removeEventListener("abort", onAbort);
    const end: ExchangeEnd = {
      exchanged: (response) => {
        ended();
        resolve(response);
      },
      failed: (reason) => {
        ended();
        reject(reason);
      },
    };
    const reader = new ExchangeReader(limits, end, held);
    signal.addEventListener("abort", onAbort, { once: true });
    requester.dispatch(request, reader);
  });
}

/** Receives the result of an exchange. Exactly one of the functions is called. */
export interface ExchangeEnd {
  exchanged(response: Exchange): void;
  failed(reason: unknown): void;
}

const NO_HEADERS: ResponseHeaders = {};

/** Reads the response of one exchange. */
export class ExchangeReader implements BorrowingHandler {
  private readonly limits: ExchangeLimits;
  private readonly end: ExchangeEnd;
  private readonly held: BudgetedBody | undefined;
  private controller: DispatchController | undefined;
  private status = 0;
  private headers: ResponseHeaders = NO_HEADERS;
  private readonly body = new ChunkBuffer();
  /** The length of the body that the response declares. */
  private announced = 0;
  private interim = 0;
  private settled = false;

  constructor(limits: ExchangeLimits, end: ExchangeEnd, held?: BudgetedBody) {
    this.limits = limits;
    this.end = end;
    this.held = held;
  }

  /** Aborts the exchange and its connection. The exchange fails with the reason. */
  abort(reason: unknown): void {
    if (this.settled) return;
    this.settled = true;
    this.end.failed(reason);
    this.controller?.abort(new Error("the call was aborted"));
  }

  onRequestStart(controller: DispatchController): void {
    this.controller = controller;
    // the exchange was aborted while it waited for a connection
    if (this.settled) controller.abort(new Error("the call was aborted"));
  }

  onResponseStart(_controller: DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) {
      if (++this.interim > MAX_INTERIM_RESPONSES) this.stop(new TooManyInterimResponses());
      return;
    }
    this.status = status;
    this.headers = headers;
    const { "content-length": length } = headers;
    this.announced = Number(length) || 0;
    if (this.announced > this.limits.maxBytes(status) && !this.limits.tolerant(status)) {
      this.stop(new BodyTooLarge());
    }
  }

  onResponseData(controller: DispatchController, chunk: Buffer): void {
    if (this.settled) return;
    this.body.push(chunk);
    this.received(chunk.length, controller);
  }

  onBorrowedData(controller: DispatchController, chunk: Uint8Array): void {
    if (this.settled) return;
    this.body.copy(chunk, this.announced);
    this.received(chunk.length, controller);
  }

  private received(bytes: number, controller: DispatchController): void {
    if (this.body.size > this.limits.maxBytes(this.status)) {
      this.stop(new BodyTooLarge());
    } else {
      this.held?.add(bytes, controller);
    }
  }

  onResponseEnd(): void {
    if (this.settled) return;
    this.settled = true;
    this.end.exchanged(this.response());
  }

  onResponseError(_controller: DispatchController | undefined, error: unknown): void {
    this.fail(error);
  }

  private stop(error: Error): void {
    this.fail(error);
    this.controller?.abort(new Error("the response is too large"));
  }

  private fail(error: unknown): void {
    if (this.settled) return;
    this.settled = true;
    const responded = this.status !== 0;
    const sent = this.controller !== undefined;
    if (responded && this.limits.tolerant(this.status)) {
      this.end.exchanged({ ...this.response(), incomplete: error });
    } else {
      this.end.failed(new ExchangeFailed(error, { responded, sent }));
    }
  }

  private response(): Exchange {
    const limit = this.limits.maxBytes(this.status);
    const bytes = this.body.bytes();
    const body = bytes.length > limit ? bytes.subarray(0, limit) : bytes;
    return { status: this.status, headers: this.headers, body };
  }
}
