import type { Clock } from "connect-rest-codec/internal";
import type { FeedBus, FeedEntryKind, FeedMember, FeedName, FeedSeat } from "../call/feed-bus.ts";
import { decodeFeedEntry, encodeFeedEntry, type FeedEntry, type FeedItem } from "./bus-entry.ts";
import { MAX_BACKOFF_MS } from "./failure-backoff.ts";
import type { Poller } from "./poller.ts";
import type { FeedWindow, News } from "./window.ts";

/** After so many entries with news, one with everything lets a bus forget those before. */
const NEWS_PER_WINDOW = 64;
/** The items of an entry with news are at most so many bytes, or one item. */
const MAX_NEWS_BYTES = 4 * 1024 * 1024;

/** What the membership needs of its feed. */
export interface BusMembershipOptions {
  readonly bus: FeedBus;
  readonly name: FeedName;
  readonly clock: Clock;
  readonly window: FeedWindow;
  readonly poller: Poller;
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
  private readonly seat: FeedSeat;
  private term: Term | undefined;
  private newsSinceWindow = Number.POSITIVE_INFINITY;

  /** It may call all functions of the options at once. */
  constructor(options: BusMembershipOptions) {
    this.options = options;
    this.seat = options.bus.join(options.name, this.member);
  }

  /** Leaves the feed, so that another process may poll it. */
  leave(): void {
    // a membership that cannot be given back is over when its lease is
    this.seat.leave().catch(() => undefined);
  }

  /**
   * Says that the poller has polled, and publishes what it has found; undefined where it could not read the
   * feed.
   */
  polled(news: News | undefined): void {
    const { window, clock, poller } = this.options;
    const { intervalMs } = poller;
    this.seat.interval(intervalMs);
    if (news === undefined) return;
    const { items, gap, changed } = news;
    const kind: FeedEntryKind =
      this.newsSinceWindow >= NEWS_PER_WINDOW ? "window" : items.length > 0 || changed ? "news" : "poll";
    this.newsSinceWindow = kind === "window" ? 0 : this.newsSinceWindow + (kind === "news" ? 1 : 0);
    const head = { kind, polledAt: clock.now(), intervalMs, full: window.isFull, gap };
    for (const part of partsOf(kind, items, window)) this.send({ ...head, ...part });
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
  private isRecent({ polledAt, intervalMs }: FeedEntry): boolean {
    return this.options.clock.now() - polledAt <= 2 * intervalMs + MAX_BACKOFF_MS;
  }

  private send(entry: FeedEntry): void {
    const { term } = this;
    if (term === undefined) return;
    const stop = (isCurrent: boolean) => {
      if (!isCurrent && this.term === term) this.member.follow();
    };
    // publishing never rejects
    this.seat.publish(encodeFeedEntry(entry), term.fence, entry.kind).then(stop, () => undefined);
  }
}

/** The items and keys of the entries that say what a poll has found. */
function* partsOf(
  kind: FeedEntryKind,
  items: readonly FeedItem[],
  window: FeedWindow,
): Generator<Pick<FeedEntry, "items" | "listed">, undefined> {
  const { keys: listed } = window;
  if (kind === "poll") {
    yield { items: [], listed: [] };
  } else if (kind === "window") {
    yield { items: window.missing(() => false).items, listed };
  } else {
    const pending = new Set(items.map(({ key }) => key));
    for (const part of partsBySize(items)) {
      for (const { key } of part) pending.delete(key);
      yield { items: part, listed: listed.filter((key) => !pending.has(key)) };
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
