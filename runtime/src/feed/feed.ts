import { Code, type ConnectError } from "@connectrpc/connect";
import type { FeedParts } from "../adapter/adapter.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { type Batch, BatchWriter } from "./batch-writer.ts";
import type { FeedEntry, FeedItem } from "./bus-entry.ts";
import { BusMembership, type BusMembershipOptions } from "./bus-membership.ts";
import { type Failure, Heartbeats } from "./heartbeats.ts";
import type { Listing } from "./pages.ts";
import { type Asker, Poller, type PollerOptions } from "./poller.ts";
import { withResume } from "./resume-error.ts";
import type { ResumeTokens } from "./resume-token.ts";
import { type Start, startAt } from "./start.ts";
import type { TokenIds } from "./token-ids.ts";
import type { Watcher } from "./watcher.ts";
import { FeedWindow, type News } from "./window.ts";

/** The options of a feed. */
export interface FeedOptions
  extends Pick<PollerOptions, "adapter" | "message" | "clock" | "mayPollAt" | "call">,
    Pick<BusMembershipOptions, "bus" | "name"> {
  /** The name of the feed in tokens, which is the same for all watchers. */
  readonly id: string;
  readonly parts: FeedParts;
  readonly tokens: ResumeTokens;
  readonly graceMs: number;
  /** Returns the error for watchers when the process shuts down. */
  readonly closed: () => ConnectError;
  /** Called once, when the feed is closed. */
  readonly onClosed: (mayPollAt: number) => void;
}

/** The maximum number of cached first messages for the current position of the feed. */
const MAX_STARTS = 16;

/**
 * A feed for watchers with the same identity. All watchers in this process share one poller, and on a bus,
 * only one process polls.
 */
export class Feed {
  private readonly options: FeedOptions;
  private readonly window = new FeedWindow();
  private readonly writer: BatchWriter;
  private readonly watchers = new Set<Watcher>();
  private readonly heartbeats: Heartbeats;
  private readonly poller: Poller;
  private readonly bus: BusMembership;
  /** The first messages for new watchers at the current position, by the requested start. */
  private readonly starts = new Map<string, Start>();
  /** The watcher for which the last poll was made. */
  private asker: Asker = { header: () => new Headers(), runAs: (work) => work() };
  private isClosed = false;
  private stopGrace: (() => void) | undefined;

  constructor(options: FeedOptions) {
    const { clock, id, parts, tokens } = options;
    const { window } = this;
    this.options = options;
    this.writer = new BatchWriter(parts.batch, (ahead, pending) =>
      tokens.write(id, window.tokenKeys(pending), ahead),
    );
    this.heartbeats = new Heartbeats(clock, this.writer, () => this.poller.nextPollAt);
    this.poller = new Poller({
      ...options,
      window,
      asker: () => this.newestAsker(),
      onPolling: () => this.bus.polling(),
      onPolled: (listing, error) => this.onPolled(listing, error),
      onFailed: (error) => this.end(error),
    });
    // created last, since the constructor may immediately call back with entries of other processes and the
    // role of the poller
    this.bus = new BusMembership({
      ...options,
      window,
      poller: this.poller,
      failure: () => this.heartbeats.failure,
      onEntry: (entry) => this.onEntry(entry),
    });
  }

  /** The number of watchers. */
  get size(): number {
    return this.watchers.size;
  }

  add(watcher: Watcher): void {
    this.stopGrace?.();
    this.stopGrace = undefined;
    this.watchers.add(watcher);
    const { heartbeatMs } = watcher.point ?? {};
    if (heartbeatMs !== undefined) this.heartbeats.add(watcher, heartbeatMs);
    if (this.window.isKnown) this.start(watcher);
  }

  /**
   * Removes a watcher that has left. Once the last watcher has left, the feed closes at the end of a grace
   * period.
   */
  remove(watcher: Watcher): void {
    this.watchers.delete(watcher);
    this.heartbeats.remove(watcher);
    if (this.size > 0 || this.isClosed) return;
    this.stopGrace ??= this.options.clock.after(this.options.graceMs, () => this.close());
  }

  /** Ends all watchers. The last message for each watcher contains its resume token. */
  drain(): void {
    if (this.window.isKnown) this.deliver(this.started, [], false);
    this.end(this.options.closed());
  }

  /** Closes the feed, which no longer has watchers. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stopGrace?.();
    this.poller.stop();
    this.bus.leave();
    this.options.onClosed(this.poller.mayPollAt);
  }

  /** Closes the feed, and ends all watchers after their buffered messages. */
  end(error: ConnectError): void {
    for (const watcher of [...this.watchers]) watcher.end((token) => withResume(error, token));
    this.close();
  }

  /**
   * Returns the newest watcher, which has the freshest credentials of its identity. A watcher that has left
   * may belong to a user who has logged out.
   */
  private newestAsker(): Asker {
    for (const watcher of this.watchers) this.asker = watcher;
    return this.asker;
  }

  private get started(): readonly Watcher[] {
    return [...this.watchers].filter(({ point }) => point === undefined);
  }

  private onPolled(listing: Listing | undefined, error: ConnectError | undefined): void {
    this.heartbeats.clear();
    const news = listing && this.window.read(listing);
    if (news !== undefined) this.arrived(news);
    this.heartbeats.polled(error && failureOf(error));
    this.bus.polled(news);
  }

  /** Receives the poll results of another process. */
  private onEntry(entry: FeedEntry): void {
    if (this.isClosed) return;
    const { kind, items, listed, gap, full, reach, failure } = entry;
    this.poller.follow(entry.polledAt, entry.intervalMs, entry.waitMs);
    this.heartbeats.clear();
    if (kind !== "poll") {
      const news = this.window.apply(listed, items, { isFull: full, reach });
      // a process that was suspended may have missed entries that the bus has already dropped
      this.arrived({ ...news, gap: gap || news.gap });
    }
    this.heartbeats.polled(failure && { ...failure, message: "the process that polls the feed has met it" });
  }

  /** Delivers news to the watchers that have started, and tries to start the remaining watchers. */
  private arrived({ items, gap }: News): void {
    const { started } = this;
    const starting = [...this.watchers].filter(({ point }) => point !== undefined);
    this.starts.clear();
    this.heartbeats.clear();
    if (items.length > 0 || gap) this.deliver(started, items, gap);
    // the items that a watcher's token names may be on a page that could not be read
    if (this.window.reach === undefined) for (const watcher of started) watcher.polled();
    for (const watcher of starting) this.start(watcher);
  }

  /**
   * Delivers the same messages to all watchers, except to watchers whose token already contains some of the
   * items.
   */
  private deliver(watchers: readonly Watcher[], items: readonly FeedItem[], gap: boolean): void {
    this.heartbeats.delivered();
    const written = new Map<TokenIds | undefined, readonly Batch[]>();
    for (const watcher of watchers) {
      const { ahead } = watcher;
      let batches = written.get(ahead);
      if (batches === undefined) {
        const lacking = ahead === undefined ? items : items.filter(({ key }) => !ahead.has(key));
        batches = this.writer.batches(lacking, gap, ahead);
        written.set(ahead, batches);
      }
      watcher.offer(batches);
    }
  }

  private start(watcher: Watcher): void {
    const { point } = watcher;
    if (point === undefined) return;
    const name = JSON.stringify([point.token, point.after, point.backlog]);
    const start = this.starts.get(name) ?? startAt(point, this.window, this.writer);
    if (start === undefined) return;
    if (this.starts.size < MAX_STARTS) this.starts.set(name, start);
    watcher.start(start);
  }
}

function failureOf(error: ConnectError): Failure {
  const { code, rawMessage: message } = error;
  return { code, reason: reasonOf(error) || Code[code], message };
}
