import { randomUUID } from "node:crypto";
import type { FeedMember, FeedMembership, FeedName } from "connect-rest-runtime/internal";
import { type BusObserver, type BusOptions, DEFAULT_PREFIX, type ProcessBus } from "./bus-options.ts";
import { Connection } from "./connection.ts";
import { RedisMembership } from "./redis-membership.ts";
import { PLAIN_ENTRIES, sealedEntries } from "./sealing.ts";

/**
 * Shares feeds over Redis or Valkey, with a fenced lease for the process that polls, and a stream of entries.
 * Data from the server is treated as untrusted input. Data sent to the server contains no credentials, and is
 * encrypted if keys are configured.
 */
export class RedisBus implements ProcessBus {
  private readonly options: BusOptions;
  private readonly observer: BusObserver;
  private readonly connection: Connection;
  private readonly memberships = new Set<RedisMembership>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly process = randomUUID();
  private count = 0;

  constructor(options: BusOptions, observer: BusObserver) {
    this.options = options;
    this.observer = observer;
    this.connection = new Connection(options, (isConnected, error) => {
      observer.connected(isConnected, error);
      for (const membership of this.memberships) {
        if (isConnected) {
          membership.connected();
        } else {
          membership.disconnected();
        }
      }
    });
  }

  /** The number of feeds that this process has joined, and the number of feeds that it polls. */
  get feeds(): { readonly joined: number; readonly led: number } {
    const led = [...this.memberships].filter((membership) => membership.isLeading).length;
    return { joined: this.memberships.size, led };
  }

  join(feed: FeedName, member: FeedMember): FeedMembership {
    const keys = (this.options.keys ?? []).map((key) => key.reveal());
    if (!feed.isPublic && keys.length === 0) {
      this.observer.notShared();
      return ownMembership(member);
    }
    const membership = new RedisMembership(feed, member, {
      connection: this.connection,
      observer: this.observer,
      sealing: keys.length === 0 ? PLAIN_ENTRIES : sealedEntries(keys, feed.key),
      prefix: this.options.prefix ?? DEFAULT_PREFIX,
      owner: `${this.process}:${++this.count}`,
    });
    this.memberships.add(membership);
    // deferred, so that the member has its membership before the first callback
    queueMicrotask(() => membership.begin());
    return {
      publish: (entry, fence, kind) => membership.publish(entry, fence, kind),
      interval: (ms) => membership.interval(ms),
      leave: () => this.leave(membership),
    };
  }

  /** Releases all leases, and closes the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.memberships].map((membership) => this.leave(membership)));
    await Promise.all(this.leaving);
    await this.connection.close();
  }

  private leave(membership: RedisMembership): Promise<void> {
    this.memberships.delete(membership);
    const left = membership.leave();
    this.leaving.add(left);
    return left.finally(() => this.leaving.delete(left));
  }
}

/** Returns a membership whose process polls the feed itself. */
function ownMembership(member: FeedMember): FeedMembership {
  queueMicrotask(() => {
    member.start([]);
    member.lead(1n);
  });
  return {
    publish: () => Promise.resolve(true),
    interval: () => undefined,
    leave: () => Promise.resolve(),
  };
}
