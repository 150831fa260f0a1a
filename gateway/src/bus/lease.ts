/** The minimum lease duration, in milliseconds. */
export const MIN_LEASE_MS = 500;

/**
 * The maximum lease duration, in milliseconds. Polls may be a day apart, but a dead process must be replaced
 * much sooner.
 */
export const MAX_LEASE_MS = 30_000;

/** Returns the lease duration for a poll interval, in milliseconds. */
export function leaseOf(intervalMs: number): number {
  return Math.round(Math.min(Math.max(intervalMs, MIN_LEASE_MS), MAX_LEASE_MS));
}
