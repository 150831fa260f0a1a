import type { Clock } from "connect-rest-codec/internal";
import type { FeedBus, FeedEntryKind, FeedMember, FeedMembership, FeedName } from "../call/feed-bus.ts";
import {
  decodeFeedEntry,
  type EntryFailure,
  encodeFeedEntry,
  type FeedEntry,
  type FeedItem,
} from "./bus-entry.ts";
import { MAX_BACKOFF_MS } from "./failure-backoff.ts";
import type { Poller } from "./poller.ts";
import type { FeedWindow, News } from "./window.ts";

/** After this many entries with news, an entry with the whole window lets the bus drop the earlier ones. */
const NEWS_PER_WINDOW = 64;
/** The items of an entry with news have at most this many bytes, or are a single item. */
const MAX_NEWS_BYTES = 4 * 1024 * 1024;

/**
 * The longest time that a poll waits for its announcement on the bus, in milliseconds. Without the bus, each
 * process polls.
 */
const MAX_ANNOUNCING_MS = 1_000;

/** The callbacks and state of the feed that the membership needs. */
export interface BusMembershipOptions {
  readonly bus: FeedBus;
  readonly name: FeedName;
  readonly clock: Clock;
  readonly window: FeedWindow;
  readonly poller: Poller;
  /** Returns the error that currently prevents reading the feed or a page of it. */
  readonly failure: () => EntryFailure | undefined;
  /** Called with the results of another process. */
  readonly onEntry: (entry: FeedEntry) => void;
}

/** The period in which this process polls for all members. */
interface Term {
  readonly fence: bigint;
}

/**
 * Membership of this process in a shared feed: receives the results of other processes, and publishes the
 * results of its polls.
 */
export class BusMembership {
  private readonly options: BusMembershipOptions;
  private readonly membership: FeedMembership;
  private term: Term | undefined;
  private newsSinceWindow = Number.POSITIVE_INFINITY;

  /** May call all functions of the options immediately. */
  constructor(options: BusMembershipOptions) {
    this.options = options;
    this.membership = options.bus.join(options.name, this.member);
  }

  /** Leaves the feed, so that another process may poll it. */
  leave(): void {
    // if leaving fails, the membership ends with its lease
    this.membership.leave().catch(() => undefined);
  }

  /**
   * Announces that a poll begins. If this process ends during the poll, its successor waits as if the poll
   * had been made; and a process that has lost its lease unnoticed stops.
   */
  polling(): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve) => {
      const stop = clock.after(MAX_ANNOUNCING_MS, resolve);
      const sent = () => {
        stop();
        resolve();
      };
      this.send({ ...this.head("poll"), items: [], listed: [] }).then(sent, sent);
    });
  }

  /** Publishes the result of a poll; `news` is undefined if the feed could not be read. */
  polled(news: News | undefined): void {
    const { window, poller } = this.options;
    this.membership.interval(poller.intervalMs);
    const { found, gap, changed } = news ?? { found: [], gap: false, changed: false };
    const hasNews = found.length > 0 || changed;
    const isWindow = news !== undefined && this.newsSinceWindow >= NEWS_PER_WINDOW;
    const kind: FeedEntryKind = isWindow ? "window" : hasNews ? "news" : "poll";
    this.newsSinceWindow = kind === "window" ? 0 : this.newsSinceWindow + (kind === "news" ? 1 : 0);
    const head = { ...this.head(kind), waitMs: poller.waitMs, gap };
    for (const part of partsOf(kind, found, window)) void this.send({ ...head, ...part });
  }

  private head(kind: FeedEntryKind): Omit<FeedEntry, "items" | "listed"> {
    const { window, clock, poller, failure } = this.options;
    const { intervalMs } = poller;
    const polledAt = clock.now();
    return { kind, polledAt, intervalMs, full: window.isFull, gap: false, failure: failure() };
  }

  private readonly member: FeedMember = {
    start: (bytes) => {
      const entries = bytes.map(decodeFeedEntry);
      if (!entries.some((entry) => this.isRecent(entry))) return;
      for (const entry of entries) this.options.onEntry(entry);
    },
    lead: (fence) => {
      this.term = { fence };
      this.newsSinceWindow = Number.POSITIVE_INFINITY;
      this.options.poller.start();
    },
    follow: () => {
      this.term = undefined;
      this.options.poller.stop();
    },
    entry: (bytes) => this.options.onEntry(decodeFeedEntry(bytes)),
  };

  /**
   * Reports whether an entry still describes the feed. After a long time without polls, a watcher that asks
   * only for new items would get all items since then. The clocks of other processes may be wrong, which
   * costs at most one poll.
   */
  private isRecent({ polledAt, intervalMs, waitMs = intervalMs }: FeedEntry): boolean {
    return this.options.clock.now() - polledAt <= 2 * Math.max(intervalMs, waitMs) + MAX_BACKOFF_MS;
  }

  private async send(entry: FeedEntry): Promise<void> {
    const { term } = this;
    if (term === undefined) return;
    const isCurrent = await this.membership.publish(encodeFeedEntry(entry), term.fence, entry.kind);
    if (!isCurrent && this.term === term) this.member.follow();
  }
}

/** Yields the items and keys of the entries that describe the result of a poll. */
function* partsOf(
  kind: FeedEntryKind,
  items: readonly FeedItem[],
  window: FeedWindow,
): Generator<Pick<FeedEntry, "items" | "listed" | "reach">, undefined> {
  const { keys: listed, reach } = window;
  if (kind === "poll") {
    yield { items: [], listed: [] };
  } else if (kind === "window") {
    yield { items: window.missing(() => false).items, listed, reach };
  } else {
    const pending = new Set(items.map(({ key }) => key));
    for (const part of partsBySize(items)) {
      for (const { key } of part) pending.delete(key);
      const isListed = (key: string) => !pending.has(key);
      const reached = reach === undefined ? undefined : listed.slice(0, reach).filter(isListed).length;
      yield { items: part, listed: listed.filter(isListed), reach: reached };
    }
  }
  return undefined;
}

function partsBySize(items: readonly FeedItem[]): FeedItem[][] {
  const parts: FeedItem[][] = [[]];
  let size = 0;
  for (const item of items) {
    const last = parts.at(-1) as FeedItem[];
    if (last.length > 0 && size + item.bytes.length > MAX_NEWS_BYTES) {
      parts.push([item]);
      size = 0;
    } else {
      last.push(item);
    }
    size += item.bytes.length;
  }
  return parts;
}
