/** The shortest lease. */
export const MIN_LEASE_MS = 500;

/** The longest lease: polls may be a day apart, but nobody waits that long for a process that is gone. */
export const MAX_LEASE_MS = 30_000;

/** How long the lease of a feed lasts whose polls are so far apart, in milliseconds. */
export function leaseOf(intervalMs: number): number {
  return Math.round(Math.min(Math.max(intervalMs, MIN_LEASE_MS), MAX_LEASE_MS));
}
