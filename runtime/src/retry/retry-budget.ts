/** For how many requests there is a reserve of further attempts. */
const RESERVE_REQUESTS = 50;

/**
 * Bounds the further attempts of all requests to an upstream together: each request that succeeds puts a part of a
 * token in, each further attempt takes one out. It is full at first, so that there is something to spend before much
 * has succeeded; while everything fails nothing comes in.
 */
export class RetryBudget {
  private readonly perSuccess: number;
  private readonly capacity: number;
  private tokens: number;

  /** @param perSuccess tokens for each request that succeeds, above 0 */
  constructor(perSuccess: number) {
    this.perSuccess = perSuccess;
    this.capacity = Math.max(1, perSuccess * RESERVE_REQUESTS);
    this.tokens = this.capacity;
  }

  succeeded(): void {
    this.tokens = Math.min(this.capacity, this.tokens + this.perSuccess);
  }

  /** Takes a token; false where there is none. */
  take(): boolean {
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
