import type { Range } from "../errors/check-option.ts";

/**
 * When a request is sent again: where the failure will pass (no connection, a closed one, 502, 503, 429 that says
 * when), the method is idempotent, and nothing of the response has gone to the caller. A request that is not idempotent
 * is sent once more where no connection came to be, and never otherwise.
 */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included. Default: 3. */
  readonly attempts?: number | undefined;
  /** The longest wait before the second attempt; it doubles with each, and each is drawn from 0 to it. Default: 100 ms. */
  readonly baseDelayMs?: number | undefined;
  /** The longest wait, whatever the attempt. An upstream that says when is waited for as long as it says. Default: 2000 ms. */
  readonly maxDelayMs?: number | undefined;
  /**
   * How many further attempts every request that succeeds pays for, above 0 and at most 1. There is a reserve for
   * fifty requests, so an upstream that is down gets no load to speak of. Default: 0.2.
   */
  readonly budget?: number | undefined;
}

/** The options with their defaults. */
export type RetrySettings = Readonly<Record<keyof RetryOptions, number>>;

export const RETRY_DEFAULTS = { attempts: 3, baseDelayMs: 100, maxDelayMs: 2_000, budget: 0.2 } as const;

/** What each option can be. */
export const RETRY_RANGES: Readonly<Record<keyof RetryOptions, Range>> = {
  attempts: { unit: "attempts", max: 10 },
  baseDelayMs: { unit: "milliseconds", max: 60_000 },
  maxDelayMs: { unit: "milliseconds", max: 600_000 },
  budget: { unit: "a number of attempts for each request", min: 0, max: 1, fraction: true },
};
