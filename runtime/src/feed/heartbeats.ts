import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Code } from "@connectrpc/connect";
import { type Clock, MAX_DELAY_MS } from "connect-rest-codec/internal";
import { HeartbeatSchema } from "../gen/connectrest/v1/feed_pb.ts";
import type { Batch, BatchWriter } from "./batch-writer.ts";
import type { TokenIds } from "./token-ids.ts";
import type { Watcher } from "./watcher.ts";

const MIN_HEARTBEAT_MS = 1_000;

/** An error that prevents reading a feed or a page of it. */
export interface Failure {
  readonly code: Code;
  readonly reason: string;
  readonly message: string;
}

/**
 * Sends messages without items to watchers that requested heartbeats: while there are no new items, and when
 * polls begin or cease to fail.
 */
export class Heartbeats {
  private readonly clock: Clock;
  private readonly writer: BatchWriter;
  private readonly nextPollAt: () => number | undefined;
  private readonly stops = new Map<Watcher, () => void>();
  /** Heartbeats at the feed's position, by the keys ahead of the feed. */
  private readonly written = new Map<TokenIds | undefined, Batch>();
  private deliveredAt = 0;
  /** The error with which polls currently fail. */
  failure: Failure | undefined;

  /**
   * @param nextPollAt returns the time of the next poll, in milliseconds since 1970; undefined if another
   * process polls
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

  /** Records that all watchers have received a message. */
  delivered(): void {
    this.deliveredAt = this.clock.monotonic();
  }

  /** Discards the written heartbeats after the feed's position or the time of its next poll has changed. */
  clear(): void {
    this.written.clear();
  }

  /**
   * Notifies watchers immediately when polls begin or cease to fail.
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
      // a watcher that has not read the last heartbeat needs no other
      if (isDue && watcher.isIdle) this.send(watcher);
      // skips a watcher that sending has disconnected
      if (this.stops.has(watcher)) this.schedule(watcher, ms, isDue ? clock.monotonic() : last);
    });
    this.stops.set(watcher, stop);
  }

  private send(watcher: Watcher): void {
    if (watcher.point !== undefined) {
      // the only position yet is the one in the request
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
