import type { Range } from "../errors/check-option.ts";

/**
 * When an upstream is left alone for a while: calls then fail at once with UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN.
 * After the cooling time one call goes through; if it succeeds, all do. Each base address has a breaker of its own.
 */
export interface BreakerOptions {
  /** So many failures, one after the other. Default: 5. */
  readonly failures?: number | undefined;
  /** How many of the last requests are looked at for `ratio`. Default: 20. */
  readonly window?: number | undefined;
  /** The part of them that fails, above 0 and at most 1. Default: 0.5. */
  readonly ratio?: number | undefined;
  /** The first cooling time; it about doubles whenever the call after it fails too. Default: 5000 ms. */
  readonly coolingMs?: number | undefined;
  /** The longest cooling time. Default: 60 000 ms. */
  readonly maxCoolingMs?: number | undefined;
}

/** The options with their defaults. */
export type BreakerSettings = Readonly<Record<keyof BreakerOptions, number>>;

export const BREAKER_DEFAULTS = {
  failures: 5,
  window: 20,
  ratio: 0.5,
  coolingMs: 5_000,
  maxCoolingMs: 60_000,
} as const;

/** What each option can be. */
export const BREAKER_RANGES: Readonly<Record<keyof BreakerOptions, Range>> = {
  failures: { unit: "failures", max: 10_000 },
  window: { unit: "requests", max: 10_000 },
  ratio: { unit: "a part of the requests", min: 0, max: 1, fraction: true },
  coolingMs: { unit: "milliseconds", max: 86_400_000 },
  maxCoolingMs: { unit: "milliseconds", max: 86_400_000 },
};
