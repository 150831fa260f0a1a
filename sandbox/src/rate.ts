import type { Clock } from "./clock.ts";

/** The state of a window once a call has been counted. */
export interface Window {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly used: number;
  /** The number of whole seconds until the next window, at least 1. */
  readonly resetIn: number;
}

/** Counts calls in windows that are aligned to the clock: a minute, an hour, a calendar day (UTC). */
export class RateMeter {
  private readonly clock: Clock;
  private readonly used = new Map<string, { window: number; used: number }>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Counts a call, unless the window is full or `cost` is 0. */
  count(subject: string, limit: number, seconds: number, cost = 1): Window {
    const now = this.clock.seconds();
    const window = Math.floor(now / seconds);
    const key = `${seconds} ${subject}`;
    let state = this.used.get(key);
    if (state?.window !== window) {
      state = { window, used: 0 };
      this.used.set(key, state);
    }
    const allowed = state.used + cost <= limit;
    if (allowed) state.used += cost;
    const remaining = Math.max(0, Math.min(limit - state.used, Number.MAX_SAFE_INTEGER));
    return { allowed, limit, remaining, used: state.used, resetIn: (window + 1) * seconds - now };
  }

  /** Uses up the current window. */
  exhaust(subject: string, limit: number, seconds: number): void {
    this.count(subject, limit, seconds, this.count(subject, limit, seconds, 0).remaining);
  }

  /** Resets every count. */
  clear(): void {
    this.used.clear();
  }
}
