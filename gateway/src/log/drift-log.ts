import type { Logger } from "./logger.ts";

/** One place where an upstream's answer is not what its description says. */
export interface DriftEvent {
  /** Full name of the method. */
  readonly method: string;
  /** Where in the JSON. */
  readonly path: string;
  readonly expected: string;
  /** The JSON type that came, never the value. */
  readonly got: string;
  readonly kind: string;
}

/** One line for a place of drift in this time, in milliseconds. */
const intervalMs = 60_000;

/** Places that are told apart; beyond it the oldest is forgotten. */
const maxPlaces = 1000;

interface Place {
  loggedAt: number;
  unlogged: number;
}

/** Returns a function that logs drift, at most one line a minute for each place, with the number left out. */
export function createDriftLog(log: Logger, now: () => number = Date.now): (drift: DriftEvent) => void {
  const places = new Map<string, Place>();
  return (drift) => {
    const key = `${drift.method} ${drift.path} ${drift.kind}`;
    const place = places.get(key);
    if (place !== undefined && now() - place.loggedAt < intervalMs) {
      place.unlogged += 1;
      return;
    }
    const { method, path, expected, got, kind } = drift;
    const unlogged = place?.unlogged ?? 0;
    log.warn({ method, path, expected, got, kind, ...(unlogged > 0 ? { unlogged } : {}) }, "drift");
    places.delete(key);
    places.set(key, { loggedAt: now(), unlogged: 0 });
    forgetOldest(places);
  };
}

function forgetOldest(places: Map<string, Place>): void {
  const [oldest] = places.keys();
  if (places.size > maxPlaces && oldest !== undefined) places.delete(oldest);
}
