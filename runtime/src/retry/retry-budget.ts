/** The capacity of the bucket, expressed as the number of successes that fill it. */
const CAPACITY_SUCCESSES = 50;

/**
 * Limits the retries of all requests to an upstream with a token bucket. Each success adds a fraction of a
 * token, and each retry takes one token. The bucket starts full, so that early retries are possible. While
 * all requests fail, no tokens are added.
 */
export class RetryBudget {
  private readonly perSuccess: number;
  private readonly capacity: number;
  private tokens: number;

  /** @param perSuccess the number of tokens earned per success, above 0 */
  constructor(perSuccess: number) {
    this.perSuccess = perSuccess;
    this.capacity = Math.max(1, perSuccess * CAPACITY_SUCCESSES);
    this.tokens = this.capacity;
  }

  succeeded(): void {
    this.tokens = Math.min(this.capacity, this.tokens + this.perSuccess);
  }

  /** Takes a token. Returns false if no token is left. */
  take(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
