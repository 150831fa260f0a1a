import type { BreakerSettings } from "./breaker-options.ts";

/** A sliding window of the outcomes of recent requests. */
export class Outcomes {
  private readonly limits: Pick<BreakerSettings, "failures" | "window" | "ratio">;
  /** A ring buffer: whether each request failed. */
  private failed: boolean[] = [];
  private next = 0;
  private failures = 0;
  private inSuccession = 0;

  constructor(limits: Pick<BreakerSettings, "failures" | "window" | "ratio">) {
    this.limits = limits;
  }

  /** Records an outcome; true when the circuit has to open. */
  add(success: boolean): boolean {
    const { failures, window, ratio } = this.limits;
    this.failures += (success ? 0 : 1) - (this.failed[this.next] === true ? 1 : 0);
    this.failed[this.next] = !success;
    this.next = (this.next + 1) % window;
    this.inSuccession = success ? 0 : this.inSuccession + 1;
    if (success) return false;
    return (
      this.inSuccession >= failures ||
      // a ratio of few requests says little
      (this.failed.length >= window && this.failures >= ratio * window)
    );
  }

  clear(): void {
    this.failed = [];
    this.next = 0;
    this.failures = 0;
    this.inSuccession = 0;
  }
}
