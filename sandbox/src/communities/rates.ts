import { reject } from "../http/response.ts";
import type { World } from "../world.ts";

/** A number of uses per window of seconds. */
export interface RateRule {
  readonly limit: number;
  readonly seconds: number;
}

/** Counts one use in every window, or in none: 429 with `Retry-After` when a window is full. */
export function useWindows(world: World, subject: string, detail: string, rules: readonly RateRule[]): void {
  const { meter } = world;
  for (const { limit, seconds } of rules) {
    const window = meter.count(subject, limit, seconds, 0);
    if (window.remaining > 0) continue;
    throw reject(429, detail, 0, { "retry-after": String(window.resetIn) });
  }
  for (const { limit, seconds } of rules) meter.count(subject, limit, seconds);
}
