import { clientKey } from "../call/client-key.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * The maximum number of remembered clients. Above it, the client that was last seen longest ago is removed.
 */
const MAX_CLIENTS = 10_000;

/**
 * Token buckets of clients, by address. A bucket outlives its connections, so a client keeps its bucket when
 * it reconnects. Times are in milliseconds.
 */
export class ClientBuckets {
  private readonly burst: number;
  private readonly perSecond: number;
  private readonly byClient = new Map<string, TokenBucket>();

  /** @param perSecond the tokens added per second, up to `burst` */
  constructor(burst: number, perSecond: number) {
    this.burst = burst;
    this.perSecond = perSecond;
  }

  /** Takes a token from a client's bucket at `now`; returns false if the bucket is empty. */
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

  /** Returns whether a client has tried to take more tokens than its bucket had. */
  isOverdrawn(address: string, now: number): boolean {
    return this.byClient.size > 0 && this.byClient.get(clientKey(address))?.isOverdrawn(now) === true;
  }
}
