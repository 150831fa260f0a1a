import type { Range } from "../errors/check-option.ts";

/** How this process enforces the declared rate limits of an upstream. */
export interface RateLimitOptions {
  /**
   * The fraction of each limit that this process may use, above 0 and at most 1, e.g. 0.25 for one of four
   * replicas. The resulting number of requests is rounded down, but is at least one. Default: 1.
   */
  readonly share?: number | undefined;
}

/** The options with their defaults. */
export type RateLimitSettings = Readonly<Record<keyof RateLimitOptions, number>>;

export const RATE_LIMIT_DEFAULTS = { share: 1 } as const;

/** The valid values of each option. */
export const RATE_LIMIT_RANGES: Readonly<Record<keyof RateLimitOptions, Range>> = {
  share: { unit: "a fraction of each limit", min: 0, max: 1, fraction: true },
};

/** Returns the number of requests in a share of a limit. */
export function shareOf(requests: number, share: number): number {
  // compensates for floating-point errors, e.g. 0.29 of 100
  return Math.max(1, Math.floor(requests * share + 1e-9));
}
