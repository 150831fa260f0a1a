/**
 * What may be done in bursts, and in the long run so often a second. Taking more than there is counts as a
 * debt, which is paid first. Times are in milliseconds.
 */
export class TokenBucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private left: number;
  private at: number;

  /** @param perSecond how many tokens come back each second, up to `burst` */
  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.left = burst;
    this.at = now;
  }

  /** Takes a token at `now`; false when there was none. */
  take(now: number): boolean {
    this.left = this.leftAt(now) - 1;
    this.at = now;
    return this.left >= 0;
  }

  /** Whether more was taken than there was. */
  isOverdrawn(now: number): boolean {
    return this.leftAt(now) < 0;
  }

  private leftAt(now: number): number {
    return Math.min(this.burst, this.left + ((now - this.at) / 1000) * this.perSecond);
  }
}
