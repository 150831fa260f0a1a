/** The remaining time that all retries of one call together may wait. */
export class WaitAllowance {
  private leftMs: number;

  /** @param limitMs Infinity for a call whose caller set a deadline, which is a sufficient limit */
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
