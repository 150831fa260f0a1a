/**
 * Reports whether a time is less than `ms` ago. A time in the future is not recent, because the clock was set
 * back by an unknown amount.
 */
export function isRecent(at: number, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}

/**
 * Reports whether a time recorded by another process is less than `ms` away in either direction. The clock of
 * that process may be ahead.
 */
export function isNear(at: number, now: number, ms: number): boolean {
  return Math.abs(now - at) < ms;
}
