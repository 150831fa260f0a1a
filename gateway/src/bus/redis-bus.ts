import { randomUUID } from "node:crypto";
import type { FeedMember, FeedName, FeedSeat } from "connect-rest-runtime/internal";
import { type BusObserver, type BusOptions, DEFAULT_PREFIX, type ProcessBus } from "./bus-options.ts";
import { Connection } from "./connection.ts";
import { RedisSeat } from "./redis-seat.ts";
import { PLAIN_ENTRIES, sealedEntries } from "./sealing.ts";

/**
 * Shares feeds over Redis or Valkey: a lease with a fence for who polls, and a stream with what was found.
 * What comes from there is input like any other; what goes there has no credentials,
 * and is sealed where there are keys.
 */
export class RedisBus implements ProcessBus {
  private readonly options: BusOptions;
  private readonly observer: BusObserver;
  private readonly connection: Connection;
  private readonly seats = new Set<RedisSeat>();
  private readonly leaving = new Set<Promise<void>>();
  private readonly process = randomUUID();
  private count = 0;

  constructor(options: BusOptions, observer: BusObserver) {
    this.options = options;
    this.observer = observer;
    this.connection = new Connection(options, (isConnected, error) => {
      observer.connected(isConnected, error);
      for (const seat of this.seats) {
        if (isConnected) {
          seat.connected();
        } else {
          seat.disconnected();
        }
      }
    });
  }

  /** Feeds that this process takes part in, and those of them that it polls. */
  get feeds(): { readonly joined: number; readonly led: number } {
    const led = [...this.seats].filter((seat) => seat.isLeading).length;
    return { joined: this.seats.size, led };
  }

  join(feed: FeedName, member: FeedMember): FeedSeat {
    const keys = (this.options.keys ?? []).map((key) => key.reveal());
    if (!feed.isPublic && keys.length === 0) {
      this.observer.notShared();
      return ownSeat(member);
    }
    const seat = new RedisSeat(feed, member, {
      connection: this.connection,
      observer: this.observer,
      sealing: keys.length === 0 ? PLAIN_ENTRIES : sealedEntries(keys, feed.key),
      prefix: this.options.prefix ?? DEFAULT_PREFIX,
      owner: `${this.process}:${++this.count}`,
    });
    this.seats.add(seat);
    // behind the return, so that the member knows its seat when it is called
    queueMicrotask(() => seat.begin());
    return {
      publish: (entry, fence, kind) => seat.publish(entry, fence, kind),
      interval: (ms) => seat.interval(ms),
      leave: () => this.leave(seat),
    };
  }

  /** Gives all leases back, and ends the connection. */
  async close(): Promise<void> {
    await Promise.all([...this.seats].map((seat) => this.leave(seat)));
    await Promise.all(this.leaving);
    await this.connection.close();
  }

  private leave(seat: RedisSeat): Promise<void> {
    this.seats.delete(seat);
    const left = seat.leave();
    this.leaving.add(left);
    return left.finally(() => this.leaving.delete(left));
  }
}

/** The seat of a process that polls for itself. */
function ownSeat(member: FeedMember): FeedSeat {
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
