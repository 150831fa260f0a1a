import { clientKey } from "../call/client-key.ts";
import { TokenBucket } from "./token-bucket.ts";

/** How many clients are remembered; the one that is longest forgotten goes first. */
const MAX_CLIENTS = 10_000;

/**
 * Token buckets of clients, each by its address. They outlive connections: a client that connects anew finds
 * its bucket as it has left it. Times are in milliseconds.
 */
export class ClientBuckets {
  private readonly burst: number;
  private readonly perSecond: number;
  private readonly byClient = new Map<string, TokenBucket>();

  /** @param perSecond how many tokens come back each second, up to `burst` */
  constructor(burst: number, perSecond: number) {
    this.burst = burst;
    this.perSecond = perSecond;
  }

  /** Takes a token of a client at `now`; false when the client had none. */
  take(address: string, now: number): boolean {
    const client = clientKey(address);
    const bucket = this.byClient.get(client) ?? new TokenBucket(this.burst, this.perSecond, now);
    this.byClient.delete(client);
    this.byClient.set(client, bucket);
    for (const oldest of this.byClient.keys()) {
      if (this.byClient.size <= MAX_CLIENTS) break;
      this.byClient.delete(oldest);
    }
    return bucket.take(now);
  }

  /** Whether a client has taken more than there was. */
  isOverdrawn(address: string, now: number): boolean {
    return this.byClient.size > 0 && this.byClient.get(clientKey(address))?.isOverdrawn(now) === true;
  }
}
