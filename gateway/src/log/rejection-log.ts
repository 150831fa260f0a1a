import type { Logger } from "./logger.ts";

/** The minimum interval between two lines about the same limit, in milliseconds. */
const INTERVAL_MS = 1000;

/**
 * Returns a function that logs rejections: at most one line per second and limit, with the number of
 * rejections so far.
 */
export function createRejectionLog(log: Logger, now: () => number = Date.now): (limit: string) => void {
  const limits = new Map<string, { readonly loggedAt: number; unlogged: number }>();
  return (limit) => {
    const last = limits.get(limit);
    if (last !== undefined && now() - last.loggedAt < INTERVAL_MS) {
      last.unlogged += 1;
      return;
    }
    log.warn({ limit, rejected: 1 + (last?.unlogged ?? 0) }, "rejected");
    limits.set(limit, { loggedAt: now(), unlogged: 0 });
  };
}
