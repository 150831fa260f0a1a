import type { Range } from "../errors/check-option.ts";

/**
 * Options for retries. A request is retried if the failure is transient, the method is idempotent, no part of
 * the response has reached the caller, and the wait fits the caller's deadline or `maxTotalDelayMs`.
 * Transient failures are: no connection; a broken connection; a response whose code is UNAVAILABLE (by
 * default 425, 502, 503 and 520 to 530); and a response whose code is RESOURCE_EXHAUSTED (429, 507, or by a
 * rule) if the upstream states a retry delay. Other responses are never retried, even if they have a
 * `Retry-After` header. A request that is not idempotent is retried once if no connection was established,
 * and never otherwise.
 */
export interface RetryOptions {
  /** The maximum number of attempts of a request, including the first attempt. Default: 3. */
  readonly attempts?: number | undefined;
  /**
   * The maximum backoff before the second attempt, in milliseconds. It doubles with each attempt, with full
   * jitter. Default: 100.
   */
  readonly baseDelayMs?: number | undefined;
  /**
   * The maximum backoff before any attempt, in milliseconds. A retry delay that the upstream requests is
   * added to the backoff. Default: 2000.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * The maximum total delay of all retries of a call whose caller set no deadline, in milliseconds. A call
   * that would have to wait longer fails immediately, with the upstream's error and its google.rpc.RetryInfo.
   * Default: 2000.
   */
  readonly maxTotalDelayMs?: number | undefined;
  /**
   * The number of retry tokens that a success earns, above 0 and at most 1. Each retry costs one token. The
   * bucket starts full, with the tokens of fifty successes, and stays empty while an upstream is down.
   * Default: 0.2.
   */
  readonly budget?: number | undefined;
}

/** The options with their defaults. */
export type RetrySettings = Readonly<Record<keyof RetryOptions, number>>;

export const RETRY_DEFAULTS = {
  attempts: 3,
  baseDelayMs: 100,
  maxDelayMs: 2_000,
  maxTotalDelayMs: 2_000,
  budget: 0.2,
} as const;

/** The valid values of each option. */
export const RETRY_RANGES: Readonly<Record<keyof RetryOptions, Range>> = {
  attempts: { unit: "attempts", max: 10 },
  baseDelayMs: { unit: "milliseconds", max: 60_000 },
  maxDelayMs: { unit: "milliseconds", max: 600_000 },
  maxTotalDelayMs: { unit: "milliseconds", max: 86_400_000 },
  budget: { unit: "retry tokens per success", min: 0, max: 1, fraction: true },
};
