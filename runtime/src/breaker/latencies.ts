/** The weight of the newest request in the average. */
const WEIGHT = 0.1;

/** A shorter deadline says nothing about an upstream that missed it. */
const MIN_LATE_MS = 100;

/** The same for a method that has never responded, so that its latency is unknown. */
const UNKNOWN_LATE_MS = 1_000;

/**
 * The maximum ratio of a method's latency to its usual one: callers choose their deadlines, which may be too
 * short.
 */
const LATE_FACTOR = 2;

/** The usual latency of an upstream's methods. */
export class Latencies {
  /** By method, in milliseconds. */
  private readonly usual = new Map<string, number>();

  add(method: string, ms: number): void {
    const before = this.usual.get(method);
    this.usual.set(method, before === undefined ? ms : before + WEIGHT * (ms - before));
  }

  /** Reports whether a request that was aborted after some time had more than its usual time. */
  isLate(method: string, ms: number): boolean {
    const usual = this.usual.get(method);
    return ms >= (usual === undefined ? UNKNOWN_LATE_MS : Math.max(MIN_LATE_MS, LATE_FACTOR * usual));
  }
}
