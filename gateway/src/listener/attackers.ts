import type { Limits } from "../limits.ts";
import { ClientBuckets } from "./client-buckets.ts";

/** How many connections of a client may end for an attack before new ones are closed. */
const ENDED_BURST = 50;

/** After that, how many more a second. */
const ENDED_PER_SECOND = 1;

/**
 * What is remembered of clients that attack, beyond their connections: what one connection may cost is
 * bounded, and not how many connections there are or how often they are made anew. Trusted proxies, whose
 * connections are many clients', are never attackers.
 */
export class Attackers {
  private readonly isProxy: (address: string) => boolean;
  private readonly ended = new ClientBuckets(ENDED_BURST, ENDED_PER_SECOND);
  private readonly resets: ClientBuckets;

  /** @param isProxy whether an address is that of a trusted proxy */
  constructor(limits: Limits, isProxy: (address: string) => boolean) {
    const { requestsPerClient, streamsPerConnection, resetsPerSecond } = limits;
    this.isProxy = isProxy;
    // a client may give up all of its requests at once, as a connection may
    const connections = Math.max(1, requestsPerClient / streamsPerConnection);
    const perSecond = connections * resetsPerSecond;
    this.resets = new ClientBuckets(Math.max(requestsPerClient, streamsPerConnection, perSecond), perSecond);
  }

  /** Counts a rapid reset of a client at `now`; true when its connections had too many of them together. */
  hasReset(address: string, now: number): boolean {
    return !this.isProxy(address) && !this.resets.take(address, now);
  }

  /** A connection of a client was ended for an attack at `now`. */
  add(address: string, now: number): void {
    this.ended.take(address, now);
  }

  /** Whether a client gets no new connection for now. */
  isBlocked(address: string, now: number): boolean {
    return this.ended.isOverdrawn(address, now) && !this.isProxy(address);
  }
}
