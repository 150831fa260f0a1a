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

/**
 * The number of `news` entries after which a `window` entry is published. The bus can then drop the earlier
 * entries.
 */
const NEWS_PER_WINDOW = 64;
/** The maximum total size of the items in a `news` entry, in bytes. A single item may be larger. */
const MAX_NEWS_BYTES = 4 * 1024 * 1024;

/**
 * The maximum time that a poll waits until it has been announced on the bus, in milliseconds. If the bus is
 * unavailable, each process polls for itself.
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

/** A period during which this process polls for all members. */
interface Term {
  readonly fence: bigint;
}

/**
 * The membership of this process in a shared feed. Receives the results of other processes, and publishes the
 * results of this process's polls.
 */
export class BusMembership {
  private readonly options: BusMembershipOptions;
  private readonly membership: FeedMembership;
  private term: Term | undefined;
  private newsSinceWindow = Number.POSITIVE_INFINITY;

  /** The constructor may call any function of the options immediately. */
  constructor(options: BusMembershipOptions) {
    this.options = options;
    this.membership = options.bus.join(options.name, this.member);
  }

  /** Leaves the feed, so that another process may poll it. */
  leave(): void {
    // if this fails, the membership ends when its lease expires
    this.membership.leave().catch(() => undefined);
  }

  /**
   * Announces that a poll begins. If this process ends during the poll, its successor waits as if the poll
   * had been made. A process that has lost its lease without noticing stops polling.
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

  /** Publishes the result of a poll. `news` is undefined if the poll could not read the feed. */
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
   * Reports whether an entry is recent enough to describe the feed. If there was no poll for a long time, a
   * watcher that asks only for new items would otherwise get all items since the last poll. If the clock of
   * another process is wrong, at most one additional poll follows.
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

/** Splits the result of a poll into the items and the keys that entries contain. */
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
