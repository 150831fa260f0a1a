import type { ConnectError } from "@connectrpc/connect";
import type { RunAs } from "../call/watch-options.ts";
import type { Batch } from "./batch-writer.ts";
import type { Start, StartPoint } from "./start.ts";
import type { TokenIds } from "./token-ids.ts";

/**
 * The number of polls for which a watcher waits for items that its token contains and the feed has not
 * discovered.
 */
const AHEAD_POLLS = 8;

/** Creates the error that ends a watcher. Called when the watcher reads the error. */
export type Ending = (token: string | undefined) => ConnectError;

/** The options of one watcher. */
export interface WatcherOptions {
  /** The maximum number of buffered bytes. */
  readonly bufferBytes: number;
  /** Returns the headers of the call, on which credentials may depend. */
  readonly header: () => Headers;
  /** Runs work in the context that determines the watcher's credentials. */
  readonly runAs: RunAs;
  /** Called when a message or the end is available. The callback must not throw. */
  readonly onReady: () => void;
  /** Called once when the watcher ends. */
  readonly onLeft: (watcher: Watcher) => void;
  readonly tooSlow: (bytes: number) => Ending;
}

/**
 * A watcher of a feed, with its buffered messages and its position in the feed. A watcher starts no timer and
 * creates no promise.
 */
export class Watcher {
  readonly header: () => Headers;
  readonly runAs: RunAs;
  /** The requested start. Undefined after the watcher has started. */
  point: StartPoint | undefined;
  /** The keys in the watcher's token that the feed has not discovered yet. */
  ahead: TokenIds | undefined;
  /** The number of polls until `ahead` is forgotten. */
  private aheadPolls = 0;
  private readonly options: WatcherOptions;
  private readonly waiting: Batch[] = [];
  private bytes = 0;
  /** The token of the last message that the watcher has taken. */
  private token: string | undefined;
  private ending: Ending | undefined;
  private isOver = false;

  constructor(options: WatcherOptions, point: StartPoint) {
    this.options = options;
    this.header = options.header;
    this.runAs = options.runAs;
    this.point = point;
    this.token = point.token;
  }

  start({ batches, ahead }: Start): void {
    this.point = undefined;
    this.ahead = ahead;
    this.aheadPolls = AHEAD_POLLS;
    this.offer(batches);
  }

  /** Counts a poll that may have listed the items in the watcher's token. */
  polled(): void {
    if (this.ahead !== undefined && --this.aheadPolls <= 0) this.ahead = undefined;
  }

  /** Buffers the messages that a poll or a start produced. Disconnects a watcher that reads too slowly. */
  offer(batches: readonly Batch[]): void {
    if (this.isOver) return;
    const isBehind = !this.isIdle;
    this.waiting.push(...batches);
    for (const { size } of batches) this.bytes += size;
    // a watcher without buffered messages may receive a message of any size, since it could otherwise never
    // read a large message
    if (isBehind && this.bytes > this.options.bufferBytes) {
      const { bytes } = this;
      this.waiting.length = 0;
      this.bytes = 0;
      this.end(this.options.tooSlow(bytes));
      return;
    }
    this.options.onReady();
  }

  /** Whether the watcher has read all messages. */
  get isIdle(): boolean {
    return this.waiting.length === 0;
  }

  /** Ends the watcher after its buffered messages. */
  end(ending: Ending): void {
    if (this.isOver) return;
    this.ending = ending;
    this.over();
    this.options.onReady();
  }

  /** Ends the watcher on behalf of the client. */
  leave(): void {
    this.waiting.length = 0;
    this.bytes = 0;
    this.over();
  }

  /**
   * Returns the next message, or undefined if none is available yet.
   *
   * @throws ConnectError that ended the watcher, after its last message
   */
  take(): Uint8Array<ArrayBuffer> | undefined {
    const batch = this.waiting.shift();
    if (batch !== undefined) {
      this.bytes -= batch.size;
      this.token = batch.token;
      return batch.bytes;
    }
    if (this.ending !== undefined) throw this.ending(this.token);
    return undefined;
  }

  /** The position up to which the watcher has read. */
  get position(): string | undefined {
    return this.token;
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onLeft(this);
  }
}
