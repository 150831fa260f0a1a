import type { ConnectError } from "@connectrpc/connect";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import type { CallContext } from "../call/call-context.ts";
import { restError } from "../errors/rest-error.ts";
import { fullName } from "../text/full-name.ts";

type Messages = AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>;
type Step = IteratorResult<Uint8Array<ArrayBuffer>, undefined>;

const END: Step = { done: true, value: undefined };

/** The call to which a stream belongs. */
interface StreamedCall {
  readonly header: Headers;
  readonly adapter: Pick<AnyMethodAdapter, "method">;
  errorOf(thrown: unknown): ConnectError;
  ended(error: ConnectError | undefined): void;
}

/** The parts of a stream. */
export interface StreamSource {
  readonly call: StreamedCall;
  readonly messages: Messages;
}

/**
 * The messages of a server stream, as protobuf bytes. Reports the end of its call exactly once: after its
 * last message, with the error that it throws, or, while no message is requested, when the call is aborted.
 * Ending the stream with `return`, as `for await` does, aborts the running request, even while a message is
 * awaited. Such a call ends with CANCELED.
 */
export class MessageStream implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  private readonly call: StreamedCall;
  private readonly messages: Messages;
  /**
   * The signal of the call, and the signal that ends the stream. The second is aborted when the reader
   * leaves, or together with the first. `AbortSignal.any` would cost more.
   */
  private readonly callSignal: AbortSignal;
  private readonly left = new AbortController();
  private waiting = 0;
  private hasBegun = false;
  private isOver = false;
  /** The error that the next read throws, once. */
  private failure: ConnectError | undefined;

  constructor(context: CallContext, start: (context: CallContext) => StreamSource) {
    this.callSignal = context.signal;
    if (this.callSignal.aborted) this.left.abort(this.callSignal.reason);
    ({ call: this.call, messages: this.messages } = start({ ...context, signal: this.signal }));
    if (this.callSignal.aborted) {
      this.onAbort();
    } else {
      this.callSignal.addEventListener("abort", this.onCallAbort, { once: true });
    }
  }

  /**
   * Headers for the caller. They are available with the first message, or at the end if there was no error.
   */
  get header(): Headers {
    return this.hasBegun ? this.call.header : new Headers();
  }

  private get signal(): AbortSignal {
    return this.left.signal;
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
      this.hasBegun = true;
      if (step.done === true) {
        this.end(undefined);
      } else {
        // the call may have ended when the message arrived, and nothing may be delivered after the end
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
    if (!this.isOver) {
      this.left.abort(restError("CANCELED", { method: fullName(this.call.adapter.method) }));
      this.onAbort();
    }
    this.failure = undefined;
    await this.messages.return(undefined);
    return END;
  }

  private readonly onCallAbort = (): void => {
    this.left.abort(this.callSignal.reason);
    this.onAbort();
  };

  /** Ends the call with the abort reason, unless a read is pending; the signal itself ends a pending read. */
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
    this.callSignal.removeEventListener("abort", this.onCallAbort);
    this.call.ended(error);
  }

  /** Releases the body and the connection without keeping the caller waiting. */
  private release(): void {
    this.messages.return(undefined).catch(() => undefined);
  }
}
