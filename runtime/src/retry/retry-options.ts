import type { Range } from "../errors/check-option.ts";

/**
 * When a request is retried: the failure is transient (no connection, a closed one, 502, 503, or 429 with a retry delay),
 * the method is idempotent, and no part of the response has reached the caller. A request that is not idempotent is
 * retried once where no connection was established, and never otherwise.
 */
export interface RetryOptions {
  /** The most attempts of a request, the first one included. Default: 3. */
  readonly attempts?: number | undefined;
  /** The longest backoff before the second attempt; it doubles with each attempt, with full jitter. Default: 100 ms. */
  readonly baseDelayMs?: number | undefined;
  /** The longest backoff of any attempt. A retry delay that the upstream asks for comes on top. Default: 2000 ms. */
  readonly maxDelayMs?: number | undefined;
  /**
   * Retry tokens earned per success, above 0 and at most 1; each retry costs one token. The bucket starts full, with
   * the tokens of fifty successes, and stays empty while an upstream is down. Default: 0.2.
   */
  readonly budget?: number | undefined;
}

/** The options with their defaults. */
export type RetrySettings = Readonly<Record<keyof RetryOptions, number>>;

export const RETRY_DEFAULTS = { attempts: 3, baseDelayMs: 100, maxDelayMs: 2_000, budget: 0.2 } as const;

/** The valid values of each option. */
export const RETRY_RANGES: Readonly<Record<keyof RetryOptions, Range>> = {
  attempts: { unit: "attempts", max: 10 },
  baseDelayMs: { unit: "milliseconds", max: 60_000 },
  maxDelayMs: { unit: "milliseconds", max: 600_000 },
  budget: { unit: "retry tokens per success", min: 0, max: 1, fraction: true },
};
