import type { Range } from "../errors/check-option.ts";

/** How the limits that an upstream is known to set are kept. */
export interface RateLimitOptions {
  /**
   * The part of each limit that this process may use, above 0 and at most 1, where others use the rest: 0.25 for one
   * of four replicas. Of a limit's requests so many are left, rounded down, but never less than one. Default: 1.
   */
  readonly share?: number | undefined;
}

/** The options with their defaults. */
export type RateLimitSettings = Readonly<Record<keyof RateLimitOptions, number>>;

export const RATE_LIMIT_DEFAULTS = { share: 1 } as const;

/** What each option can be. */
export const RATE_LIMIT_RANGES: Readonly<Record<keyof RateLimitOptions, Range>> = {
  share: { unit: "a part of each limit", min: 0, max: 1, fraction: true },
};

/** The requests of a limit that are left to a share of it. */
export function shareOf(requests: number, share: number): number {
  // what is a whole number but for the error of the multiplication, is one: 0.29 of 100
  return Math.max(1, Math.floor(requests * share + 1e-9));
}
