import { setImmediate } from "node:timers/promises";
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { ChunkBuffer } from "connect-rest-codec/internal";
import { Pacer } from "../time/pacer.ts";

type AnyMessage = MessageShape<DescMessage>;
type Step = IteratorResult<Uint8Array, undefined>;

const END: Step = { done: true, value: undefined };

/**
 * The size, in bytes, of the chunks into which messages are joined. Each chunk is one write to the
 * connection.
 */
const CHUNK_BYTES = 64 * 1024;

/**
 * The chunks of a client stream as a request body. Messages that arrive in the same event-loop turn are
 * joined into one chunk. The body can be stopped while it waits for a message, since the upstream may
 * respond, or the call may end, before the client has sent everything.
 */
export class UploadBody implements AsyncIterableIterator<Uint8Array, undefined> {
  /** The error that the client's stream or the adapter threw. */
  failure: { readonly error: unknown } | undefined;
  private readonly messages: AsyncIterator<AnyMessage>;
  private readonly chunkOf: (message: AnyMessage) => Uint8Array;
  private readonly pacer = new Pacer();
  private firstMessage: AnyMessage | undefined;
  /** The pending read of the client's stream. */
  private awaited: Promise<IteratorResult<AnyMessage, undefined>> | undefined;
  private endPending: (() => void) | undefined;
  private over = false;

  constructor(messages: AsyncIterable<AnyMessage>, chunkOf: (message: AnyMessage) => Uint8Array) {
    this.messages = messages[Symbol.asyncIterator]();
    this.chunkOf = chunkOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Waits for the first message. Its chunk remains in the body. Resolves to undefined for an empty stream.
   */
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
    // not Promise.race, since a promise that outlives the stream would keep every chunk in memory
    return new Promise((resolve, reject) => {
      this.endPending = () => resolve(END);
      this.pull().then(resolve, reject);
    });
  }

  return(): Promise<Step> {
    this.stop();
    return Promise.resolve(END);
  }

  /** Ends the body, and closes the client's stream. */
  stop(): void {
    if (this.over) return;
    this.over = true;
    this.endPending?.();
    // a stream with a pending read may take time to end, and nothing here depends on that
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
    const chunks = new ChunkBuffer();
    try {
      await this.fill(chunks);
    } catch (error) {
      if (chunks.size === 0) throw error;
      // the error is thrown once the earlier messages have been sent
      this.awaited = Promise.reject(error);
      this.awaited.catch(() => undefined);
    }
    return chunks.size === 0 ? END : { done: false, value: chunks.bytes() };
  }

  /**
   * Adds the messages that arrive in one event-loop turn. Waits for at least one byte, unless the stream
   * ends.
   */
  private async fill(chunks: ChunkBuffer): Promise<void> {
    let turn: Promise<undefined> | undefined;
    while (chunks.size < CHUNK_BYTES) {
      this.awaited ??= this.nextMessage();
      const message = await (turn === undefined ? this.awaited : Promise.race([this.awaited, turn]));
      if (message === undefined) return;
      this.awaited = undefined;
      if (message.done === true) {
        this.over = true;
        return;
      }
      chunks.push(this.chunkOf(message.value));
      // a stream in the same process may always have another message ready
      await this.pacer.items();
      // an empty message must not end the body
      if (chunks.size > 0) turn ??= setImmediate(undefined);
    }
  }

  private async nextMessage(): Promise<IteratorResult<AnyMessage, undefined>> {
    const { firstMessage: value } = this;
    if (value === undefined) return await this.messages.next();
    this.firstMessage = undefined;
    return { done: false, value };
  }
}
