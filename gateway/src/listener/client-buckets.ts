import { clientKey } from "../call/client-key.ts";
import { TokenBucket } from "./token-bucket.ts";

/** The number of clients to remember; the least recently seen client is removed first. */
const MAX_CLIENTS = 10_000;

/**
 * Token buckets of clients, by address. Buckets outlive connections, so a client that reconnects keeps its
 * bucket. Times are in milliseconds.
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

  /** Takes a token of a client at `now`; returns false if the client had none. */
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

  /** Returns whether a client has taken more tokens than it had. */
  isOverdrawn(address: string, now: number): boolean {
    return this.byClient.size > 0 && this.byClient.get(clientKey(address))?.isOverdrawn(now) === true;
  }
}
