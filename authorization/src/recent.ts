/**
 * Reports whether a time is less than `ms` ago. A time in the future is not recent: the clock was set back,
 * and nobody knows by how much.
 */
export function isRecent(at: number, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}

/**
 * Reports whether a time noted by another process, whose clock may be ahead, is less than `ms` away in
 * either direction.
 */
export function isNear(at: number, now: number, ms: number): boolean {
  return Math.abs(now - at) < ms;
}
