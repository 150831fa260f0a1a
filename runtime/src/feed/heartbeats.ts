import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import { type Clock, MAX_DELAY_MS } from "connect-rest-codec/internal";
import { HeartbeatSchema } from "../gen/connectrest/v1/feed_pb.ts";
import type { Batch, BatchWriter } from "./batch-writer.ts";
import type { TokenIds } from "./token-ids.ts";
import type { Watcher } from "./watcher.ts";

const MIN_HEARTBEAT_MS = 1_000;

/** An error that prevents reading a feed, or one of its pages. */
export interface Failure {
  readonly code: Code;
  readonly reason: string;
  readonly message: string;
}

/**
 * Sends messages without items to watchers that requested heartbeats: while there are no new items, when
 * polls begin to fail, and when they recover.
 */
export class Heartbeats {
  private readonly clock: Clock;
  private readonly writer: BatchWriter;
  private readonly nextPollAt: () => number | undefined;
  private readonly stops = new Map<Watcher, () => void>();
  /**
   * The encoded heartbeats for the current position of the feed, by the keys that the feed has not discovered
   * yet.
   */
  private readonly written = new Map<TokenIds | undefined, Batch>();
  private deliveredAt = 0;
  /** The current failure of polls. */
  failure: Failure | undefined;

  /**
   * @param nextPollAt returns the time of the next poll in milliseconds since 1970, or undefined if another
   *   process polls
   */
  constructor(clock: Clock, writer: BatchWriter, nextPollAt: () => number | undefined) {
    this.clock = clock;
    this.writer = writer;
    this.nextPollAt = nextPollAt;
  }

  add(watcher: Watcher, intervalMs: number): void {
    this.schedule(watcher, Math.max(intervalMs, MIN_HEARTBEAT_MS), this.clock.monotonic());
  }

  remove(watcher: Watcher): void {
    this.stops.get(watcher)?.();
    this.stops.delete(watcher);
  }

  /** Restarts the intervals of all watchers, since they have received a message. */
  delivered(): void {
    this.deliveredAt = this.clock.monotonic();
  }

  /**
   * Discards the encoded heartbeats, because the feed's position or the time of its next poll has changed.
   */
  clear(): void {
    this.written.clear();
  }

  /**
   * Notifies watchers immediately when polls begin to fail or recover.
   *
   * @param failure the failure of the last poll
   */
  polled(failure: Failure | undefined): void {
    const changed = (this.failure === undefined) !== (failure === undefined);
    this.failure = failure;
    if (!changed) return;
    this.clear();
    for (const watcher of [...this.stops.keys()]) this.send(watcher);
  }

  private schedule(watcher: Watcher, ms: number, since: number): void {
    const { clock } = this;
    const left = Math.max(since + ms - clock.monotonic(), 1);
    const stop = clock.after(Math.min(left, MAX_DELAY_MS), () => {
      const last = Math.max(this.deliveredAt, since);
      const isDue = clock.monotonic() - last >= ms;
      // a watcher that has not read the last heartbeat does not need another
      if (isDue && watcher.isIdle) this.send(watcher);
      // sending a message may have disconnected the watcher
      if (this.stops.has(watcher)) this.schedule(watcher, ms, isDue ? clock.monotonic() : last);
    });
    this.stops.set(watcher, stop);
  }

  private send(watcher: Watcher): void {
    if (watcher.point !== undefined) {
      // until the first message, the only position is the one in the request
      watcher.offer([this.write(watcher.position ?? "")]);
      return;
    }
    const { ahead } = watcher;
    const batch = this.written.get(ahead) ?? this.write(this.writer.token(ahead));
    this.written.set(ahead, batch);
    watcher.offer([batch]);
  }

  private write(token: string): Batch {
    const { failure } = this;
    const nextPollAt = this.nextPollAt();
    const heartbeat = create(HeartbeatSchema, {
      ...(nextPollAt !== undefined && { nextPollTime: timestampFromMs(Math.round(nextPollAt)) }),
      ...(failure !== undefined && { failure }),
    });
    return this.writer.heartbeat(token, heartbeat);
  }
}
