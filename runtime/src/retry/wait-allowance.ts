/** The remaining time for which all retries of one call together may wait. */
export class WaitAllowance {
  private leftMs: number;

  /** @param limitMs Infinity for a call whose caller set a deadline, which limits the waits */
  constructor(limitMs: number) {
    this.leftMs = limitMs;
  }

  /** Reports whether a wait is still allowed. */
  has(ms: number): boolean {
    return ms <= this.leftMs;
  }

  /** Deducts a wait. */
  take(ms: number): void {
    this.leftMs -= ms;
  }
}
