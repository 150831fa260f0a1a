/**
 * Limits a rate, and allows bursts. Taking more tokens than are available creates a debt, which later tokens
 * repay first. Times are in milliseconds.
 */
export class TokenBucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private left: number;
  private at: number;

  /** @param perSecond the number of tokens added per second, up to `burst` */
  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.left = burst;
    this.at = now;
  }

  /** Takes a token at `now`; returns false if the bucket was empty. */
  take(now: number): boolean {
    this.left = this.leftAt(now) - 1;
    this.at = now;
    return this.left >= 0;
  }

  /** Returns whether more tokens were taken than were available. */
  isOverdrawn(now: number): boolean {
    return this.leftAt(now) < 0;
  }

  private leftAt(now: number): number {
    return Math.min(this.burst, this.left + ((now - this.at) / 1000) * this.perSecond);
  }
}
