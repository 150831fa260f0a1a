import type { Drift, DriftReport } from "connect-rest";
import { methodPath } from "../call/method-path.ts";
import type { Logger } from "./logger.ts";

/** One line for a place of drift in this time, in milliseconds. */
const INTERVAL_MS = 60_000;

/** Places that are remembered; beyond it the oldest is forgotten. */
const MAX_PLACES = 1000;

interface Place {
  readonly loggedAt: number;
  unlogged: number;
}

/** Returns a function that logs drift, at most one line a minute for each place, with the number left out. */
export function createDriftLog(log: Logger, now: () => number = Date.now): (report: DriftReport) => void {
  const places = new Map<string, Place>();
  const logOne = (method: string, upstream: string, { path, expected, got, kind }: Drift) => {
    // A list drifts as a whole.
    const key = `${method} ${path.replace(/\[\d+\]/g, "[]")} ${kind}`;
    const place = places.get(key);
    if (place !== undefined && now() - place.loggedAt < INTERVAL_MS) {
      place.unlogged += 1;
      return;
    }
    const unlogged = place === undefined || place.unlogged === 0 ? {} : { unlogged: place.unlogged };
    // The type alone: behind it may stand a value, and that is the caller's.
    log.warn({ method, upstream, path, expected, got: got.split(" ")[0], kind, ...unlogged }, "drift");
    places.delete(key);
    places.set(key, { loggedAt: now(), unlogged: 0 });
    forgetOldest(places);
  };
  return ({ method, upstream, drifts }) => {
    for (const drift of drifts) logOne(methodPath(method), upstream, drift);
  };
}

function forgetOldest(places: Map<string, Place>): void {
  const [oldest] = places.keys();
  if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
}
