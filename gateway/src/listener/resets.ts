import type { Limits } from "../limits.ts";
import { TokenBucket } from "./token-bucket.ts";

/**
 * The age of a stream in milliseconds above which its reset is not counted. The limit of concurrent streams
 * bounds the number of such streams.
 */
const EARLY_MS = 1000;

/**
 * The age of a stream in milliseconds up to which its reset also counts across all connections of the client.
 * Streams that the gateway cuts under contention are older, and most calls that a client cancels have run for
 * longer.
 */
const RAPID_MS = 100;

/** A reset stream. */
export interface Reset {
  /** How long the stream was open, in milliseconds. */
  readonly ageMs: number;
  /** The timeout set by the client, in milliseconds; undefined without a timeout. */
  readonly timeoutMs: number | undefined;
}

/**
 * Distinguishes reset attacks (CVE-2023-44487, and CVE-2025-8671, in which the peer provokes resets by the
 * server) from canceled calls. Resets of long-lived streams, and of streams that have reached their client's
 * deadline, are not counted. For other resets, the allowed burst is the stream limit of a connection, since a
 * client may cancel all of its calls at the same time. Over the burst, `resetsPerSecond` applies.
 */
export class ResetBudget {
  /** The number of early resets allowed in a burst. */
  readonly burst: number;
  private readonly isClientBeyond: (now: number) => boolean;
  private readonly bucket: TokenBucket;

  /**
   * @param isClientBeyond counts a rapid reset for the client; returns true if the client's connections
   *   together exceed the limit
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
 * Returns whether a reset counts. A stream that was open for half of its timeout counts as timed out, because
 * the time that the call has spent in the client and on the network is unknown here.
 */
function isEarly({ ageMs, timeoutMs }: Reset): boolean {
  return ageMs < EARLY_MS && (timeoutMs === undefined || ageMs < timeoutMs / 2);
}
