import { ConnectError } from "@connectrpc/connect";
import { neverSent, willPass } from "../breaker/verdict.ts";
import { retryDelayOf } from "../errors/retry-info.ts";
import { type Clock, fraction } from "../time/clock.ts";
import { RetryBudget } from "./retry-budget.ts";
import type { RetrySettings } from "./retry-options.ts";

/** A request that failed. */
export interface FailedAttempt {
  readonly error: unknown;
  /** How often it was sent, this time included. */
  readonly attempts: number;
  readonly idempotent: boolean;
  /** When the deadline passes, on the clock's monotonic scale; undefined for none. */
  readonly expiresAt: number | undefined;
}

/** Decides whether and when requests to one upstream are sent again. */
export class Retrier {
  private readonly settings: RetrySettings;
  private readonly clock: Clock;
  private readonly budget: RetryBudget;

  constructor(settings: RetrySettings, clock: Clock) {
    this.settings = settings;
    this.clock = clock;
    this.budget = new RetryBudget(settings.budget);
  }

  /** Counts a request that succeeded: it pays for attempts of others. */
  succeeded(): void {
    this.budget.succeeded();
  }

  /** How long to wait before the next attempt, in milliseconds, which is then paid for; undefined for none. */
  delay({ error, attempts, idempotent, expiresAt }: FailedAttempt): number | undefined {
    if (!(error instanceof ConnectError) || attempts >= this.limit(idempotent)) return undefined;
    // a request on a connection that broke may have been carried out (RFC 9110 section 9.2.2), also on one that had
    // been idle: nothing tells a server that closed it before from one that died of it
    if (!idempotent && !neverSent(error)) return undefined;
    const told = retryDelayOf(error);
    if (!willPass(error, told !== undefined)) return undefined;
    // those who were told the same time should not come back at the same moment
    const wait = (told ?? 0) + this.backoff(attempts);
    if (expiresAt !== undefined && this.clock.monotonic() + wait >= expiresAt) return undefined;
    return this.budget.take() ? wait : undefined;
  }

  private limit(idempotent: boolean): number {
    return idempotent ? this.settings.attempts : Math.min(this.settings.attempts, 2);
  }

  /** Exponential, with full jitter. */
  private backoff(attempts: number): number {
    const { baseDelayMs, maxDelayMs } = this.settings;
    return Math.round(fraction(this.clock) * Math.min(maxDelayMs, baseDelayMs * 2 ** (attempts - 1)));
  }
}
