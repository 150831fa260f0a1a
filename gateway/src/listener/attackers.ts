import type { Limits } from "../limits.ts";
import { ClientBuckets } from "./client-buckets.ts";

/**
 * The number of a client's connections that may be closed because of attacks before its new connections are
 * rejected.
 */
const ENDED_BURST = 50;

/** The number of connections per second that may be closed because of attacks after the burst. */
const ENDED_PER_SECOND = 1;

/**
 * Records which clients attack, for longer than their connections last: the cost of one connection is
 * bounded, but the number of connections and the rate of reconnections are not. Trusted proxies are never
 * attackers, since their connections carry many clients.
 */
export class Attackers {
  private readonly isProxy: (address: string) => boolean;
  private readonly ended = new ClientBuckets(ENDED_BURST, ENDED_PER_SECOND);
  private readonly resets: ClientBuckets;

  /** @param isProxy returns whether an address belongs to a trusted proxy */
  constructor(limits: Limits, isProxy: (address: string) => boolean) {
    const { requestsPerClient, streamsPerConnection, resetsPerSecond } = limits;
    this.isProxy = isProxy;
    // all requests of a client, or of a connection, may be canceled at the same time
    const connections = Math.max(1, requestsPerClient / streamsPerConnection);
    const perSecond = connections * resetsPerSecond;
    this.resets = new ClientBuckets(Math.max(requestsPerClient, streamsPerConnection, perSecond), perSecond);
  }

  /**
   * Counts a client's rapid reset at `now`; returns true if all connections of the client together exceed the
   * limit.
   */
  hasReset(address: string, now: number): boolean {
    return !this.isProxy(address) && !this.resets.take(address, now);
  }

  /** Records that a client's connection was closed at `now` because of an attack. */
  add(address: string, now: number): void {
    this.ended.take(address, now);
  }

  /** Returns whether a client's new connections are currently rejected. */
  isBlocked(address: string, now: number): boolean {
    return this.ended.isOverdrawn(address, now) && !this.isProxy(address);
  }
}
