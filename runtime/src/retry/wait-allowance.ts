/** How long the retries of one call may still wait, all of them together. */
export class WaitAllowance {
  private leftMs: number;

  /** @param limitMs Infinity for a call whose caller set a deadline, which is limit enough */
  constructor(limitMs: number) {
    this.leftMs = limitMs;
  }

  /** Whether a wait is still allowed. */
  has(ms: number): boolean {
    return ms <= this.leftMs;
  }

  /** Takes a wait off. */
  take(ms: number): void {
    this.leftMs -= ms;
  }
}
