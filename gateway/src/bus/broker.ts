import type { FeedEntryKind } from "connect-rest-runtime/internal";
import { BrokerFeed } from "./broker-feed.ts";
import type { BrokerMembership } from "./broker-membership.ts";
import { BrokerPeer } from "./broker-peer.ts";
import type { FromBroker } from "./group-messages.ts";
import type { Send } from "./pump.ts";

/** The maximum memory of the entries in one feed and in all feeds, in bytes. */
const MAX_FEED_BYTES = 64 * 1024 * 1024;
const MAX_BYTES = 256 * 1024 * 1024;
/** The maximum number of feeds that are retained without members. */
const MAX_UNUSED = 1000;

/** Limits that tests replace. */
export interface BrokerLimits {
  readonly feedBytes: number;
  readonly bytes: number;
}

/**
 * Shares feeds among the processes of a group: the broker chooses the process that polls, with a new fence
 * for each leader, and distributes the leader's entries. The broker holds everything in memory, and never
 * parses entries.
 */
export class Broker {
  private readonly limits: BrokerLimits;
  /** Feeds by name, ordered by their last publication, oldest first. */
  private readonly feeds = new Map<string, BrokerFeed>();
  private readonly names = new Map<BrokerFeed, string>();
  private bytes = 0;
  private lastFence = 0;

  constructor(limits: BrokerLimits = { feedBytes: MAX_FEED_BYTES, bytes: MAX_BYTES }) {
    this.limits = limits;
  }

  /** The memory that all entries occupy, and the number of feeds. */
  get size(): { readonly bytes: number; readonly feeds: number } {
    return { bytes: this.bytes, feeds: this.feeds.size };
  }

  /** Adds a process of the group, which receives messages through `send`. */
  connect(send: Send<FromBroker>): BrokerPeer {
    return new BrokerPeer({
      send,
      feed: (name, intervalMs) => this.feed(name, intervalMs),
      publish: (membership, fence, kind, parts) => this.publish(membership, fence, kind, parts),
    });
  }

  private feed(name: string, intervalMs: number): BrokerFeed {
    const known = this.feeds.get(name);
    if (known !== undefined) return known;
    this.dropUnused();
    const feed: BrokerFeed = new BrokerFeed(intervalMs, {
      nextFence: () => ++this.lastFence,
      onUnused: () => this.drop(feed),
    });
    this.feeds.set(name, feed);
    this.names.set(feed, name);
    return feed;
  }

  private publish(
    membership: BrokerMembership,
    fence: number,
    kind: FeedEntryKind,
    parts: readonly string[],
  ): boolean {
    const { feed } = membership;
    const before = feed.size;
    const isCurrent = feed.publish(membership, fence, kind, parts);
    this.bytes += feed.size - before;
    const name = this.names.get(feed);
    if (!isCurrent || name === undefined) return isCurrent;
    this.feeds.delete(name);
    this.feeds.set(name, feed);
    if (feed.size > this.limits.feedBytes) this.forget(feed);
    for (const oldest of this.feeds.values()) {
      if (this.bytes <= this.limits.bytes) break;
      this.forget(oldest);
    }
    return true;
  }

  private forget(feed: BrokerFeed): void {
    this.bytes -= feed.size;
    feed.forget();
  }

  private dropUnused(): void {
    const unused = [...this.feeds.values()].filter(({ isUsed }) => !isUsed);
    if (unused.length >= MAX_UNUSED) this.drop(unused[0]);
  }

  private drop(feed: BrokerFeed | undefined): void {
    const name = feed && this.names.get(feed);
    if (feed === undefined || name === undefined) return;
    feed.close();
    this.bytes -= feed.size;
    this.names.delete(feed);
    this.feeds.delete(name);
  }
}
