import type { BreakerSettings } from "./breaker-options.ts";

/** How the last requests ended. */
export class Outcomes {
  private readonly limits: Pick<BreakerSettings, "failures" | "window" | "ratio">;
  /** A ring: whether each failed. */
  private failed: boolean[] = [];
  private next = 0;
  private failures = 0;
  private inSuccession = 0;

  constructor(limits: Pick<BreakerSettings, "failures" | "window" | "ratio">) {
    this.limits = limits;
  }

  /** Counts a request; true when it is one failure too many. */
  add(success: boolean): boolean {
    const { failures, window, ratio } = this.limits;
    this.failures += (success ? 0 : 1) - (this.failed[this.next] === true ? 1 : 0);
    this.failed[this.next] = !success;
    this.next = (this.next + 1) % window;
    this.inSuccession = success ? 0 : this.inSuccession + 1;
    if (success) return false;
    return (
      this.inSuccession >= failures ||
      // a part of a few requests is no measure
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
