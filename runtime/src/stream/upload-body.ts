import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { Pacer } from "../time/pacer.ts";

type AnyMessage = MessageShape<DescMessage>;
type Step = IteratorResult<Uint8Array, undefined>;

const END: Step = { done: true, value: undefined };

/**
 * The chunks of a client stream as a body. It can be stopped from outside while it waits for a message: the
 * upstream may respond, or the call may end, before the client has sent everything.
 */
export class UploadBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** What the client's stream, or the adapter, threw. */
  failure: { readonly error: unknown } | undefined;
  private readonly messages: AsyncIterator<AnyMessage>;
  private readonly chunkOf: (message: AnyMessage) => Uint8Array;
  private readonly pacer = new Pacer();
  private firstMessage: AnyMessage | undefined;
  private endPending: (() => void) | undefined;
  private over = false;

  constructor(messages: AsyncIterable<AnyMessage>, chunkOf: (message: AnyMessage) => Uint8Array) {
    this.messages = messages[Symbol.asyncIterator]();
    this.chunkOf = chunkOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Waits for the first message, whose chunk stays in the body; undefined for an empty stream. */
  async first(): Promise<AnyMessage | undefined> {
    const { done, value } = await this.messages.next();
    if (done === true) {
      this.over = true;
    } else {
      this.firstMessage = value;
    }
    return this.firstMessage;
  }

  next(): Promise<Step> {
    if (this.over) return Promise.resolve(END);
    // not Promise.race: a promise that outlives the stream would keep every chunk
    return new Promise((resolve, reject) => {
      this.endPending = () => resolve(END);
      this.pull().then(resolve, reject);
    });
  }

  return(): Promise<Step> {
    this.stop();
    return Promise.resolve(END);
  }

  /** Ends the body, and lets the client's stream know that nobody reads on. */
  stop(): void {
    if (this.over) return;
    this.over = true;
    this.endPending?.();
    // a stream that is being waited for may take its time to end; nothing here depends on it
    this.messages.return?.().catch(() => undefined);
  }

  private async pull(): Promise<Step> {
    try {
      return await this.nextChunk();
    } catch (error) {
      this.failure ??= { error };
      throw error;
    }
  }

  private async nextChunk(): Promise<Step> {
    for (;;) {
      const { done, value } = await this.nextMessage();
      if (done === true) {
        this.over = true;
        return END;
      }
      const chunk = this.chunkOf(value);
      // a stream in the same process may have the next message at once, again and again
      await this.pacer.items();
      // an empty message is no end
      if (chunk.length > 0) return { done: false, value: chunk };
    }
  }

  private async nextMessage(): Promise<IteratorResult<AnyMessage, undefined>> {
    const { firstMessage: value } = this;
    if (value === undefined) return await this.messages.next();
    this.firstMessage = undefined;
    return { done: false, value };
  }
}
