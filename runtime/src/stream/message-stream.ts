import type { ConnectError } from "@connectrpc/connect";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { CallContext } from "../call/call-context.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";

type Messages = AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>;
type Step = IteratorResult<Uint8Array<ArrayBuffer>, undefined>;

const END: Step = { done: true, value: undefined };

/** The call that a stream belongs to. */
interface StreamedCall {
  readonly header: Headers;
  readonly adapter: Pick<AnyMethodAdapter, "method">;
  errorOf(thrown: unknown): ConnectError;
  ended(error: ConnectError | undefined): void;
}

/** What a stream is made of. */
export interface StreamSource {
  readonly call: StreamedCall;
  readonly messages: Messages;
}

/**
 * The messages of a server stream, as protobuf bytes. It reports the end of its call exactly once: at its last message,
 * with the error that it throws, or, while nobody asks for a message, when the call is aborted. Whoever leaves it by
 * `return`, as `for await` does, aborts the request that runs, even where a message is being waited for; such a call ends
 * with CANCELED.
 */
export class MessageStream implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  private readonly call: StreamedCall;
  private readonly messages: Messages;
  private readonly signal: AbortSignal;
  private readonly left = new AbortController();
  private waiting = 0;
  private isOver = false;
  /** What whoever asks next gets to know, once. */
  private failure: ConnectError | undefined;

  constructor(context: CallContext, start: (context: CallContext) => StreamSource) {
    this.signal = AbortSignal.any([context.signal, this.left.signal]);
    ({ call: this.call, messages: this.messages } = start({ ...context, signal: this.signal }));
    if (this.signal.aborted) {
      this.onAbort();
    } else {
      this.signal.addEventListener("abort", this.onAbort, { once: true });
    }
  }

  /** Headers for callers. They are there when the first message is. */
  get header(): Headers {
    return this.call.header;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<Step> {
    this.throwFailure();
    if (this.isOver) return END;
    this.waiting++;
    try {
      const step = await this.messages.next();
      if (step.done === true) {
        this.end(undefined);
      } else {
        // it came together with the end of the call, which nothing may follow
        this.signal.throwIfAborted();
      }
      return step;
    } catch (thrown) {
      const error = this.call.errorOf(thrown);
      this.end(error);
      this.release();
      throw error;
    } finally {
      this.waiting--;
    }
  }

  async return(): Promise<Step> {
    this.failure = undefined;
    if (!this.isOver) this.left.abort(restError("CANCELED", { method: fullName(this.call.adapter.method) }));
    this.failure = undefined;
    await this.messages.return(undefined);
    return END;
  }

  /** While a message is being waited for, that wait ends by the signal itself, and says with what. */
  private readonly onAbort = (): void => {
    if (this.waiting > 0 || this.isOver) return;
    this.failure = this.call.errorOf(this.signal.reason);
    this.end(this.failure);
    this.release();
  };

  private throwFailure(): void {
    const { failure } = this;
    this.failure = undefined;
    if (failure !== undefined) throw failure;
  }

  private end(error: ConnectError | undefined): void {
    this.isOver = true;
    this.signal.removeEventListener("abort", this.onAbort);
    this.call.ended(error);
  }

  /** Lets go of the body and the connection, without holding the caller. */
  private release(): void {
    this.messages.return(undefined).catch(() => undefined);
  }
}
