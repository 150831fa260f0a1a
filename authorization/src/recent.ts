/**
 * Whether something that was noted at a time is less than `ms` ago. What lies in the future is not: the clock
 * was set back, and who knows when it will be recent again.
 */
export function isRecent(at: number, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}

/**
 * The same for what other processes have noted, whose clocks may be ahead:
 * less than `ms` away on either side.
 */
export function isNear(at: number, now: number, ms: number): boolean {
  return Math.abs(now - at) < ms;
}
