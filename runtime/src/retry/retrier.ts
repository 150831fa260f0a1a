import { ConnectError } from "@connectrpc/connect";
import { type Clock, fraction } from "connect-rest-codec/internal";
import { isTransient, neverSent } from "../breaker/verdict.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { RetryBudget } from "./retry-budget.ts";
import type { RetrySettings } from "./retry-options.ts";
import type { WaitAllowance } from "./wait-allowance.ts";

/** A failed attempt of a request. */
export interface FailedAttempt {
  readonly error: unknown;
  /** The number of attempts so far, including the failed attempt. */
  readonly attempts: number;
  readonly idempotent: boolean;
  /** The time of the deadline, on the clock's monotonic scale. Undefined if there is no deadline. */
  readonly expiresAt: number | undefined;
  /** The remaining time for which the call may wait. Each wait is deducted from it. */
  readonly allowance: WaitAllowance;
}

/** Decides whether and when requests to one upstream are retried. */
export class Retrier {
  private readonly settings: RetrySettings;
  private readonly clock: Clock;
  private readonly budget: RetryBudget;

  constructor(settings: RetrySettings, clock: Clock) {
    this.settings = settings;
    this.clock = clock;
    this.budget = new RetryBudget(settings.budget);
  }

  /** The maximum total delay of a call's retries in milliseconds. */
  get maxTotalDelayMs(): number {
    return this.settings.maxTotalDelayMs;
  }

  /** Counts a success, which earns retry tokens. */
  succeeded(): void {
    this.budget.succeeded();
  }

  /**
   * Returns the delay before the next attempt in milliseconds, and takes a retry token. Returns undefined if
   * the request must not be retried.
   */
  delay({ error, attempts, idempotent, expiresAt, allowance }: FailedAttempt): number | undefined {
    if (!(error instanceof ConnectError) || attempts >= this.limit(idempotent)) return undefined;
    // a request on a broken connection may have been executed (RFC 9110 section 9.2.2), even if the
    // connection was idle before: the client cannot distinguish a server that had already closed it from a
    // server that crashed during the request
    if (!idempotent && !neverSent(error)) return undefined;
    const requested = retryDelayOf(error);
    if (!isTransient(error, requested !== undefined)) return undefined;
    // adds a random delay, so that clients with the same retry delay do not all retry at the same moment
    const wait = (requested ?? 0) + this.backoff(attempts);
    if (expiresAt !== undefined && this.clock.monotonic() + wait >= expiresAt) return undefined;
    if (!allowance.has(wait) || !this.budget.take()) return undefined;
    allowance.take(wait);
    return wait;
  }

  private limit(idempotent: boolean): number {
    return idempotent ? this.settings.attempts : Math.min(this.settings.attempts, 2);
  }

  /** Returns an exponential backoff with full jitter. */
  private backoff(attempts: number): number {
    const { baseDelayMs, maxDelayMs } = this.settings;
    return Math.round(fraction(this.clock) * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1)));
  }
}
