import { FairShare } from "connect-rest-runtime/internal";

/** The weight of the newest call in the average. */
const WEIGHT = 0.05;

/** One of this many slots is reserved for unary calls, since streams may hold slots for hours. */
const STREAMS_LEAVE = 16;

/** The holder of a slot. */
export interface Holder {
  readonly client: string;
  /** Whether the call has a single response. Streams do not contribute to the average duration. */
  readonly isUnary: boolean;
}

/** The slots for concurrent calls of one upstream or of the process. */
export class Slots {
  private readonly limit: () => number;
  private readonly calls: FairShare;
  private readonly streams: FairShare;
  private averageMs = 0;

  /** @param limit returns the number of slots, which may change */
  constructor(limit: () => number) {
    this.limit = limit;
    this.calls = new FairShare(limit);
    // with few slots, none is reserved; otherwise other clients' streams would get too few
    this.streams = new FairShare(() => limit() - Math.floor(limit() / STREAMS_LEAVE));
  }

  get capacity(): number {
    return this.limit();
  }

  get running(): number {
    return this.calls.total;
  }

  /** The typical duration of a unary call, in milliseconds; 0 before the first call. */
  get typicalMs(): number {
    return this.averageMs;
  }

  /**
   * Returns whether a call may take a slot: a slot is free, and the call's client leaves enough slots to
   * others.
   */
  hasRoom({ client, isUnary }: Holder): boolean {
    const { calls, streams, capacity } = this;
    if (!calls.hasRoom(client)) return false;
    if (isUnary) return true;
    // a stream may take the last free slot only if its client holds no other stream
    const isLast = calls.total + 1 === capacity;
    return streams.hasRoom(client) && !(isLast && streams.heldBy(client) > 0);
  }

  /** Returns the fraction of all slots that a client holds, from 0 to 1. */
  shareOf(client: string): number {
    return this.calls.heldBy(client) / this.capacity;
  }

  /** Returns the number of slots that a client holds. */
  heldBy(client: string): number {
    return this.calls.heldBy(client);
  }

  take({ client, isUnary }: Holder): void {
    this.calls.add(client);
    if (!isUnary) this.streams.add(client);
  }

  giveBack({ client, isUnary }: Holder, tookMs: number): void {
    this.calls.remove(client);
    if (isUnary) {
      this.averageMs += WEIGHT * (tookMs - this.averageMs);
    } else {
      this.streams.remove(client);
    }
  }
}
