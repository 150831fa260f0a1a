/** The weight of the newest request in the average. */
const WEIGHT = 0.1;

/** The minimum duration of an aborted request that counts as late. */
const MIN_LATE_MS = 100;

/** The minimum duration for a method that has never responded, so that its latency is unknown. */
const UNKNOWN_LATE_MS = 1_000;

/**
 * An aborted request counts as late if it took at least this multiple of the method's usual latency. Callers
 * choose their deadlines, and may choose them too short.
 */
const LATE_FACTOR = 2;

/** The usual latencies of an upstream's methods. */
export class Latencies {
  /** The average latency of each method, in milliseconds. */
  private readonly usual = new Map<string, number>();

  add(method: string, ms: number): void {
    const before = this.usual.get(method);
    this.usual.set(method, before === undefined ? ms : before + WEIGHT * (ms - before));
  }

  /** Reports whether a request that was aborted after `ms` had exceeded the usual latency of its method. */
  isLate(method: string, ms: number): boolean {
    const usual = this.usual.get(method);
    return ms >= (usual === undefined ? UNKNOWN_LATE_MS : Math.max(MIN_LATE_MS, LATE_FACTOR * usual));
  }
}
