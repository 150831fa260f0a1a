import { restError } from "../errors/rest-error.ts";
import type { CallContext } from "../running-call.ts";

type Messages = AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>;
type Step = IteratorResult<Uint8Array<ArrayBuffer>, undefined>;

/** What a stream is made of. */
export interface StreamSource {
  /** Headers for callers; filled in when the first message comes. */
  readonly header: Headers;
  readonly messages: Messages;
}

/**
 * The messages of a server stream, as protobuf bytes. Whoever leaves it by `return`, as `for await` does, aborts
 * the request that runs, even where a message is being waited for.
 */
export class MessageStream implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  readonly header: Headers;
  private readonly messages: Messages;
  private readonly left = new AbortController();

  constructor(context: CallContext, start: (context: CallContext) => StreamSource) {
    const signal = AbortSignal.any([context.signal, this.left.signal]);
    ({ header: this.header, messages: this.messages } = start({ ...context, signal }));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step> {
    return this.messages.next();
  }

  async return(): Promise<Step> {
    this.left.abort(restError("CANCELED", { method: "the stream" }));
    return await this.messages.return(undefined);
  }
}
