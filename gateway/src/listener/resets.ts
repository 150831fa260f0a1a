import type { Limits } from "../limits.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * The age in milliseconds from which reset streams are not counted, because the limit of concurrent streams
 * bounds their number.
 */
const EARLY_MS = 1000;

/**
 * The age in milliseconds up to which resets also count across all connections of a client. Streams that the
 * gateway cuts under contention are older, and most calls that a client cancels have run for longer.
 */
const RAPID_MS = 100;

/** A reset stream. */
export interface Reset {
  /** The time that the stream was open, in milliseconds. */
  readonly ageMs: number;
  /** The timeout set by the client, in milliseconds; undefined without a timeout. */
  readonly timeoutMs: number | undefined;
}

/**
 * Distinguishes reset attacks (CVE-2023-44487, and CVE-2025-8671, in which the peer provokes resets by the
 * server) from cancelled calls. Resets of long-lived streams, and of streams that have reached their client's
 * deadline, are not counted. The burst of other resets equals the stream limit of a connection, since a
 * client may cancel all of its calls at the same time. Over the burst, `resetsPerSecond` applies.
 */
export class ResetBudget {
  /** The number of early resets allowed in a burst. */
  readonly burst: number;
  private readonly isClientBeyond: (now: number) => boolean;
  private readonly bucket: TokenBucket;

  /**
   * @param isClientBeyond counts a rapid reset for the client; returns true if its connections exceed the
   *   limit
   */
  constructor(
    { resetsPerSecond, streamsPerConnection }: Limits,
    now: number,
    isClientBeyond: (now: number) => boolean,
  ) {
    this.isClientBeyond = isClientBeyond;
    this.burst = Math.max(resetsPerSecond, streamsPerConnection);
    this.bucket = new TokenBucket(this.burst, resetsPerSecond, now);
  }

  /** Counts a reset at `now`, in milliseconds; returns true if it exceeds the limit. */
  isExceeded(reset: Reset, now: number): boolean {
    if (!isEarly(reset)) return false;
    const isBeyond = !this.bucket.take(now);
    const isClientBeyond = reset.ageMs < RAPID_MS && this.isClientBeyond(now);
    return isClientBeyond || isBeyond;
  }
}

/**
 * Returns whether a reset counts. Half of a timeout counts as the whole timeout, because the time before
 * arrival and on the network is unknown here.
 */
function isEarly({ ageMs, timeoutMs }: Reset): boolean {
  return ageMs < EARLY_MS && (timeoutMs === undefined || ageMs < timeoutMs / 2);
}
