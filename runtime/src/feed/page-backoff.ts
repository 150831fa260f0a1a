import { waitAfterFailure } from "./failure-backoff.ts";

/** A page of a feed that has failed. */
export interface FailedPage {
  /** How many pages are before it. */
  readonly index: number;
  readonly error: unknown;
}

/** The page that keeps failing and is asked ever more seldom, while the pages before it are polled. */
export class PageBackoff {
  private failed: FailedPage | undefined;
  private failures = 0;
  /** On the clock's monotonic scale. */
  private until = 0;

  /** How many pages a poll at this time asks for. */
  limitAt(now: number): number {
    return this.failed !== undefined && now < this.until ? this.failed.index : Number.POSITIVE_INFINITY;
  }

  /** The error that is waited out. */
  get error(): unknown {
    return this.failed?.error;
  }

  /**
   * Lets a page rest that a poll could not read.
   *
   * @param now when the poll was over, on the clock's monotonic scale
   * @returns whether asking again makes sense
   */
  fail(page: FailedPage, intervalMs: number, now: number): boolean {
    this.failures = page.index === this.failed?.index ? this.failures + 1 : 0;
    const wait = waitAfterFailure({ error: page.error, intervalMs, failures: this.failures });
    this.failed = page;
    this.until = now + (wait ?? 0);
    return wait !== undefined;
  }

  /** Every page was read. */
  clear(): void {
    this.failed = undefined;
  }
}
