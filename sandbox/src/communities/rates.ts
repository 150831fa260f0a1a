import { reject } from "../http/response.ts";
import type { World } from "../world.ts";

/** A limit on the number of uses in a window, whose length is in seconds. */
export interface RateRule {
  readonly limit: number;
  readonly seconds: number;
}

/** Counts one use in every window. If a window is full, counts none, and throws 429 with `Retry-After`. */
export function useWindows(world: World, subject: string, detail: string, rules: readonly RateRule[]): void {
  const { meter } = world;
  for (const { limit, seconds } of rules) {
    const window = meter.count(subject, limit, seconds, 0);
    if (window.remaining > 0) continue;
    throw reject(429, detail, 0, { "retry-after": String(window.resetIn) });
  }
  for (const { limit, seconds } of rules) meter.count(subject, limit, seconds);
}
