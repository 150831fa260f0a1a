/** How much the newest request counts in the average. */
const WEIGHT = 0.1;

/** A shorter deadline says nothing about an upstream that did not respond within it. */
const MIN_LATE_MS = 100;

/** The same for a method that has not responded yet, so that nobody knows how long it takes. */
const UNKNOWN_LATE_MS = 1_000;

/**
 * How many times its usual latency a method may take: deadlines are for their callers to choose,
 * and may be too short.
 */
const LATE_FACTOR = 2;

/** How long the methods of an upstream usually take. */
export class Latencies {
  /** By method, in milliseconds. */
  private readonly usual = new Map<string, number>();

  add(method: string, ms: number): void {
    const before = this.usual.get(method);
    this.usual.set(method, before === undefined ? ms : before + WEIGHT * (ms - before));
  }

  /** Whether a request that was given up after some time had more than the time that it usually takes. */
  isLate(method: string, ms: number): boolean {
    const usual = this.usual.get(method);
    return ms >= (usual === undefined ? UNKNOWN_LATE_MS : Math.max(MIN_LATE_MS, LATE_FACTOR * usual));
  }
}
