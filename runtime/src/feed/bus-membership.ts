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

/** After so many entries with news, one with everything lets a bus forget those before. */
const NEWS_PER_WINDOW = 64;
/** The items of an entry with news are at most so many bytes, or one item. */
const MAX_NEWS_BYTES = 4 * 1024 * 1024;

/** How long a poll waits for the bus to know of it, in milliseconds: without the bus, each process polls. */
const MAX_ANNOUNCING_MS = 1_000;

/** What the membership needs of its feed. */
export interface BusMembershipOptions {
  readonly bus: FeedBus;
  readonly name: FeedName;
  readonly clock: Clock;
  readonly window: FeedWindow;
  readonly poller: Poller;
  /** Why the feed, or a page of it, cannot be read now. */
  readonly failure: () => EntryFailure | undefined;
  /** Is called with what another process has found. */
  readonly onEntry: (entry: FeedEntry) => void;
}

/** The time in which this process polls for all. */
interface Term {
  readonly fence: bigint;
}

/**
 * Membership of this process in a feed that processes share: what others find comes in, and what its polls
 * find goes out.
 */
export class BusMembership {
  private readonly options: BusMembershipOptions;
  private readonly membership: FeedMembership;
  private term: Term | undefined;
  private newsSinceWindow = Number.POSITIVE_INFINITY;

  /** It may call all functions of the options at once. */
  constructor(options: BusMembershipOptions) {
    this.options = options;
    this.membership = options.bus.join(options.name, this.member);
  }

  /** Leaves the feed, so that another process may poll it. */
  leave(): void {
    // a membership that cannot be given back is over when its lease is
    this.membership.leave().catch(() => undefined);
  }

  /**
   * Says that the poller polls now: who takes over from a process that ends in the middle of a poll waits as
   * if it had been made, and a process that has lost its lease without noticing stops.
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

  /**
   * Says that the poller has polled, and publishes what it has found; undefined where it could not read the
   * feed.
   */
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
   * What nobody has polled for long says nothing of now: who starts with what is new would get all that has
   * happened since. Clocks of other processes may be wrong, which costs a poll at most.
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

/** The items and keys of the entries that say what a poll has found. */
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
