import type { CallContext } from "../call/running-call.ts";
import { restError } from "../errors/rest-error.ts";

type Messages = AsyncGenerator<Uint8Array<ArrayBuffer>, undefined>;
type Step = IteratorResult<Uint8Array<ArrayBuffer>, undefined>;

/** What a stream is made of. */
export interface StreamSource {
  readonly call: { readonly header: Headers };
  readonly messages: Messages;
}

/**
 * The messages of a server stream, as protobuf bytes. Whoever leaves it by `return`, as `for await` does, aborts
 * the request that runs, even where a message is being waited for.
 */
export class MessageStream implements AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
  private readonly call: StreamSource["call"];
  private readonly messages: Messages;
  private readonly left = new AbortController();

  constructor(context: CallContext, start: (context: CallContext) => StreamSource) {
    const signal = AbortSignal.any([context.signal, this.left.signal]);
    ({ call: this.call, messages: this.messages } = start({ ...context, signal }));
  }

  /** Headers for callers. They are there when the first message is. */
  get header(): Headers {
    return this.call.header;
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
