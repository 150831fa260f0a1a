import { clientKey } from "../call/client-key.ts";

/** How many clients are remembered; the one that is longest forgotten goes first. */
const MAX_CLIENTS = 10_000;

interface Bucket {
  readonly left: number;
  readonly at: number;
}

/**
 * Token buckets of clients, each by its address. They outlive connections: a client that connects anew finds
 * its bucket as it has left it. Times are in milliseconds.
 */
export class ClientBuckets {
  private readonly burst: number;
  private readonly perSecond: number;
  private readonly byClient = new Map<string, Bucket>();

  /** @param perSecond how many tokens come back each second, up to `burst` */
  constructor(burst: number, perSecond: number) {
    this.burst = burst;
    this.perSecond = perSecond;
  }

  /** Takes a token of a client at `now`; false when the client had none. */
  take(address: string, now: number): boolean {
    const client = clientKey(address);
    const left = this.left(client, now) - 1;
    this.byClient.delete(client);
    this.byClient.set(client, { left, at: now });
    for (const oldest of this.byClient.keys()) {
      if (this.byClient.size <= MAX_CLIENTS) break;
      this.byClient.delete(oldest);
    }
    return left >= 0;
  }

  /** Whether a client has taken more than there was. */
  isOverdrawn(address: string, now: number): boolean {
    return this.byClient.size > 0 && this.left(clientKey(address), now) < 0;
  }

  private left(client: string, now: number): number {
    const { left, at } = this.byClient.get(client) ?? { left: this.burst, at: now };
    return Math.min(this.burst, left + ((now - at) / 1000) * this.perSecond);
  }
}
