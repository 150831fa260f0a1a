import { waitAfterFailure } from "./failure-backoff.ts";

/** A page of a feed that could not be read. */
export interface FailedPage {
  /** The number of pages before this page. */
  readonly index: number;
  readonly error: unknown;
}

/** The backoff of a page that fails repeatedly. The pages before it are polled as usual. */
export class PageBackoff {
  private failed: FailedPage | undefined;
  private failures = 0;
  /** The end of the backoff, on the clock's monotonic scale. */
  private until = 0;

  /** Returns the number of pages that a poll may currently request. */
  limitAt(now: number): number {
    return this.failed !== undefined && now < this.until ? this.failed.index : Number.POSITIVE_INFINITY;
  }

  /** The error of the page while its backoff lasts. */
  get error(): unknown {
    return this.failed?.error;
  }

  /**
   * Starts the backoff of a page that a poll could not read.
   *
   * @param now the time at which the poll ended, on the clock's monotonic scale
   * @returns whether requesting the page again can help
   */
  fail(page: FailedPage, intervalMs: number, now: number): boolean {
    this.failures = page.index === this.failed?.index ? this.failures + 1 : 0;
    const wait = waitAfterFailure({ error: page.error, intervalMs, failures: this.failures });
    this.failed = page;
    this.until = now + (wait ?? 0);
    return wait !== undefined;
  }

  /** Ends the backoff, because every page was read. */
  clear(): void {
    this.failed = undefined;
  }
}
