/** The capacity of the bucket, in successes. */
const CAPACITY_SUCCESSES = 50;

/**
 * Limits the retries of all requests to an upstream together, as a token bucket: each success adds a fraction
 * of a token, each retry takes one. The bucket starts full, so that early retries are possible; while
 * everything fails, nothing is added.
 */
export class RetryBudget {
  private readonly perSuccess: number;
  private readonly capacity: number;
  private tokens: number;

  /** @param perSuccess tokens earned per success, above 0 */
  constructor(perSuccess: number) {
    this.perSuccess = perSuccess;
    this.capacity = Math.max(1, perSuccess * CAPACITY_SUCCESSES);
    this.tokens = this.capacity;
  }

  succeeded(): void {
    this.tokens = Math.min(this.capacity, this.tokens + this.perSuccess);
  }

  /** Takes a token; returns false if there is none left. */
  take(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
