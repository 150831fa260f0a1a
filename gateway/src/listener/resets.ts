import type { Limits } from "../limits.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * Streams that have lived this long, in milliseconds, end when they like:
 * their number is bounded by their concurrency.
 */
const EARLY_MS = 1000;

/**
 * Only streams that have lived less than this, in milliseconds, count for all connections of a client: those
 * that the gateway cuts in a crowd are older, and what a client gives up has mostly run for longer.
 */
const RAPID_MS = 100;

/** What is known of a stream that was reset. */
export interface Reset {
  /** How long it was open, in milliseconds. */
  readonly ageMs: number;
  /** The timeout that the client gave it, in milliseconds; undefined for none. */
  readonly timeoutMs: number | undefined;
}

/**
 * Tells an attack by resets (CVE-2023-44487, and CVE-2025-8671 where the peer makes the server reset) from
 * calls that are given up. Resets are free that end what has lived long or has reached the deadline that its
 * client gave it. Of the others as many are as a connection may have streams, since a client may give up all
 * its calls at once; beyond that, `resetsPerSecond`.
 */
export class ResetBudget {
  /** How many early resets may come at once. */
  readonly burst: number;
  private readonly isClientBeyond: (now: number) => boolean;
  private readonly bucket: TokenBucket;

  /** @param isClientBeyond counts a rapid reset for the client; true when its connections had too many */
  constructor(
    { resetsPerSecond, streamsPerConnection }: Limits,
    now: number,
    isClientBeyond: (now: number) => boolean,
  ) {
    this.isClientBeyond = isClientBeyond;
    this.burst = Math.max(resetsPerSecond, streamsPerConnection);
    this.bucket = new TokenBucket(this.burst, resetsPerSecond, now);
  }

  /** Counts a reset at `now`, in milliseconds; true when it is beyond the limit. */
  isExceeded(reset: Reset, now: number): boolean {
    if (!isEarly(reset)) return false;
    const isBeyond = !this.bucket.take(now);
    const isClientBeyond = reset.ageMs < RAPID_MS && this.isClientBeyond(now);
    return isClientBeyond || isBeyond;
  }
}

/**
 * Half of a timeout counts as all of it: what the client waited before and the network took is not seen here.
 */
function isEarly({ ageMs, timeoutMs }: Reset): boolean {
  return ageMs < EARLY_MS && (timeoutMs === undefined || ageMs < timeoutMs / 2);
}
