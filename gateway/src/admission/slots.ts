import { FairShare } from "connect-rest-runtime/internal";

/** How much the newest call counts in the average. */
const WEIGHT = 0.05;

/** Of how many slots streams leave one to unary calls: they may hold theirs for hours. */
const STREAMS_LEAVE = 16;

/** Who holds a slot, and for what. */
export interface Holder {
  readonly client: string;
  /** Whether it has one response: streams say nothing about how long calls take. */
  readonly isUnary: boolean;
}

/** The calls that may run at the same time, of one upstream or of the process. */
export class Slots {
  private readonly limit: () => number;
  private readonly calls: FairShare;
  private readonly streams: FairShare;
  private averageMs = 0;

  /** @param limit how many there are, which may change */
  constructor(limit: () => number) {
    this.limit = limit;
    this.calls = new FairShare(limit);
    // none of a few, which would be all that is left to streams of others
    this.streams = new FairShare(() => limit() - Math.floor(limit() / STREAMS_LEAVE));
  }

  get capacity(): number {
    return this.limit();
  }

  get running(): number {
    return this.calls.total;
  }

  /** How long a unary call takes, in milliseconds; 0 before the first. */
  get typicalMs(): number {
    return this.averageMs;
  }

  /** Whether there is room for a call, and its client leaves enough to others. */
  hasRoom({ client, isUnary }: Holder): boolean {
    const { calls, streams, capacity } = this;
    if (!calls.hasRoom(client)) return false;
    if (isUnary) return true;
    // of a few, the last one is for a client that has none
    const isLast = calls.total + 1 === capacity;
    return streams.hasRoom(client) && !(isLast && streams.heldBy(client) > 0);
  }

  /** The part of all slots that a client has, from 0 to 1. */
  shareOf(client: string): number {
    return this.calls.heldBy(client) / this.capacity;
  }

  /** How many slots a client has. */
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
