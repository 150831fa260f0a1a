import type { ConnectError } from "@connectrpc/connect";
import type { RunAs } from "../call/watch-options.ts";
import type { Batch } from "./batch-writer.ts";
import type { Start, StartPoint } from "./start.ts";
import type { TokenIds } from "./token-ids.ts";

/** How many polls a watcher waits for what its token has and the feed does not. */
const AHEAD_POLLS = 8;

/** What ends a watcher: the text of the error it gets is made when it is asked for. */
export type Ending = (token: string | undefined) => ConnectError;

/** Who asks for a feed. */
export interface WatcherOptions {
  /** How many bytes may wait for it. */
  readonly bufferBytes: number;
  /** The headers of its call, for credentials. */
  readonly header: () => Headers;
  /** Runs what is done for its credentials. */
  readonly runAs: RunAs;
  /** Says that bytes or an end are there. It must not throw. */
  readonly onReady: () => void;
  /** Is called once, when it is over for whatever reason. */
  readonly onLeft: (watcher: Watcher) => void;
  readonly tooSlow: (bytes: number) => Ending;
}

/**
 * One who watches a feed: what waits to be read, and where it is in the feed. It starts no timer and makes no
 * promise.
 */
export class Watcher {
  readonly header: () => Headers;
  readonly runAs: RunAs;
  /** Where it wants to start; undefined once it has started. */
  point: StartPoint | undefined;
  /** What its token says to be there, and the feed does not know yet. */
  ahead: TokenIds | undefined;
  /** Polls until that is forgotten. */
  private aheadPolls = 0;
  private readonly options: WatcherOptions;
  private readonly waiting: Batch[] = [];
  private bytes = 0;
  /** Of the last message that was taken. */
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

  /** Says that there was a poll, which may have brought what its token has. */
  polled(): void {
    if (this.ahead !== undefined && --this.aheadPolls <= 0) this.ahead = undefined;
  }

  /** Gives it the messages of a poll or of its start; one that does not read fast enough is dropped. */
  offer(batches: readonly Batch[]): void {
    if (this.isOver) return;
    const isBehind = !this.isIdle;
    this.waiting.push(...batches);
    for (const { size } of batches) this.bytes += size;
    // who has read everything gets whatever comes at once, however large, or would never come behind it
    if (isBehind && this.bytes > this.options.bufferBytes) {
      const { bytes } = this;
      this.waiting.length = 0;
      this.bytes = 0;
      this.end(this.options.tooSlow(bytes));
      return;
    }
    this.options.onReady();
  }

  /** Whether everything was read that came. */
  get isIdle(): boolean {
    return this.waiting.length === 0;
  }

  /** Ends it behind the messages that wait. */
  end(ending: Ending): void {
    if (this.isOver) return;
    this.ending = ending;
    this.over();
    this.options.onReady();
  }

  /** Ends it from its own side. */
  leave(): void {
    this.waiting.length = 0;
    this.bytes = 0;
    this.over();
  }

  /**
   * The next message; undefined where none is there yet.
   *
   * @throws ConnectError that it has ended with, behind its last message
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

  /** Where it is, as far as it has read. */
  get position(): string | undefined {
    return this.token;
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onLeft(this);
  }
}
