import type { Range } from "../errors/check-option.ts";

/**
 * The conditions under which the circuit of an upstream opens. While it is open, calls fail immediately with
 * UNAVAILABLE, reason UPSTREAM_CIRCUIT_OPEN. After the cooldown, one probe decides whether the circuit
 * closes. Each base address has its own circuit.
 */
export interface BreakerOptions {
  /** The number of consecutive failures that opens the circuit. Default: 5. */
  readonly failures?: number | undefined;
  /** The number of recent requests from which `ratio` is computed. Default: 20. */
  readonly window?: number | undefined;
  /**
   * The fraction of failed requests in the window that opens the circuit, above 0 and at most 1. Default:
   * 0.5.
   */
  readonly ratio?: number | undefined;
  /** The first cooldown in milliseconds. It roughly doubles each time the probe fails. Default: 5000. */
  readonly cooldownMs?: number | undefined;
  /** The longest cooldown in milliseconds. Default: 60 000. */
  readonly maxCooldownMs?: number | undefined;
}

/** The options with their defaults. */
export type BreakerSettings = Readonly<Record<keyof BreakerOptions, number>>;

export const BREAKER_DEFAULTS = {
  failures: 5,
  window: 20,
  ratio: 0.5,
  cooldownMs: 5_000,
  maxCooldownMs: 60_000,
} as const;

/** The valid values of each option. */
export const BREAKER_RANGES: Readonly<Record<keyof BreakerOptions, Range>> = {
  failures: { unit: "failures", max: 10_000 },
  window: { unit: "requests", max: 10_000 },
  ratio: { unit: "a fraction of the requests", min: 0, max: 1, fraction: true },
  cooldownMs: { unit: "milliseconds", max: 86_400_000 },
  maxCooldownMs: { unit: "milliseconds", max: 86_400_000 },
};
