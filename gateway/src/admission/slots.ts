/** How much the newest call counts in the average. */
const WEIGHT = 0.05;

/** Of how many slots streams of one client leave one to others: they may hold theirs for hours. */
const STREAMS_LEAVE = 8;

/**
 * Of how many slots the streams of all clients leave one to unary calls:
 * two addresses could have all of them otherwise.
 */
const ALL_STREAMS_LEAVE = 16;

/** Who holds a slot, and for what. */
export interface Holder {
  readonly client: string;
  /** Whether it has one response: streams say nothing about how long calls take. */
  readonly isUnary: boolean;
}

/** The calls that may run at the same time, of one upstream or of the process. */
export class Slots {
  private readonly limit: () => number;
  private active = 0;
  private readonly clients = new Counts();
  private readonly streams = new Counts();
  private allStreams = 0;
  private averageMs = 0;

  /** @param limit how many there are, which may change */
  constructor(limit: () => number) {
    this.limit = limit;
  }

  get capacity(): number {
    return this.limit();
  }

  get running(): number {
    return this.active;
  }

  /** How long a unary call takes, in milliseconds; 0 before the first. */
  get typicalMs(): number {
    return this.averageMs;
  }

  /**
   * Whether there is room for a call. Alone, a client may have all of it, but for the last part with streams.
   */
  hasRoom({ client, isUnary }: Holder): boolean {
    if (this.active >= this.capacity) return false;
    if (isUnary || this.capacity === 1) return true;
    const toOthers = Math.max(1, Math.floor(this.capacity / STREAMS_LEAVE));
    // none of a few, which would be all that is left to streams of others
    const toUnary = Math.floor(this.capacity / ALL_STREAMS_LEAVE);
    return this.streams.of(client) < this.capacity - toOthers && this.allStreams < this.capacity - toUnary;
  }

  /** The part of all slots that a client has, from 0 to 1. */
  shareOf(client: string): number {
    return this.clients.of(client) / this.capacity;
  }

  /** How many slots a client has. */
  heldBy(client: string): number {
    return this.clients.of(client);
  }

  take({ client, isUnary }: Holder): void {
    this.active += 1;
    this.clients.add(client);
    if (isUnary) return;
    this.streams.add(client);
    this.allStreams += 1;
  }

  giveBack({ client, isUnary }: Holder, tookMs: number): void {
    this.active -= 1;
    this.clients.remove(client);
    if (isUnary) {
      this.averageMs += WEIGHT * (tookMs - this.averageMs);
    } else {
      this.streams.remove(client);
      this.allStreams -= 1;
    }
  }
}

/** Counts by name, and forgets names that have nothing. */
export class Counts {
  private readonly counts = new Map<string, number>();

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** How many names have something. */
  get size(): number {
    return this.counts.size;
  }

  /** The name that has the most; undefined where none has anything. */
  get most(): string | undefined {
    let [most, count]: [string | undefined, number] = [undefined, 0];
    for (const entry of this.counts) if (entry[1] > count) [most, count] = entry;
    return most;
  }

  add(name: string): void {
    this.counts.set(name, this.of(name) + 1);
  }

  remove(name: string): void {
    const left = this.of(name) - 1;
    if (left > 0) {
      this.counts.set(name, left);
    } else {
      this.counts.delete(name);
    }
  }
}
