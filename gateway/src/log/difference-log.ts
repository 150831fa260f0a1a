import type { Difference, DifferenceClass, DifferenceReport } from "connect-rest-runtime";
import { methodPath } from "../call/method-path.ts";
import type { Logger } from "./logger.ts";

/** One line for a place in this time, in milliseconds. */
const INTERVAL_MS = 60_000;

/** Places that are remembered; beyond it the oldest is forgotten. */
const MAX_PLACES = 1000;

/** How much each class matters: a description is a slice of an API, and what is beside it is no news. */
const LEVELS: Readonly<Record<DifferenceClass, "debug" | "info" | "warn">> = {
  additional: "debug",
  converted: "info",
  lost: "warn",
};

interface Place {
  readonly loggedAt: number;
  // biome-ignore lint/plugin: counts up
  unlogged: number;
}

/**
 * Returns a function that logs how responses differ from their description: what is lost as a warning, what
 * is converted as information, and what is additional for debugging. At most one line a minute for each
 * place, with the number left out.
 */
export function createDifferenceLog(
  log: Logger,
  now: () => number = Date.now,
): (report: DifferenceReport) => void {
  const places = new Map<string, Place>();
  const logOne = (method: string, upstream: string, difference: Difference) => {
    const { path, expected, got, class: as } = difference;
    const level = LEVELS[as];
    if (!log.isLevelEnabled(level)) return;
    // A list differences as a whole.
    const key = `${method} ${path.replace(/\[\d+\]/g, "[]")} ${as}`;
    const place = places.get(key);
    if (place !== undefined && now() - place.loggedAt < INTERVAL_MS) {
      place.unlogged += 1;
      return;
    }
    const unlogged = place === undefined || place.unlogged === 0 ? {} : { unlogged: place.unlogged };
    // The type alone: behind it may stand a value, and that is the caller's.
    const line = { method, upstream, path, expected, got: got.split(" ")[0], class: as, ...unlogged };
    log[level](line, "difference");
    places.delete(key);
    places.set(key, { loggedAt: now(), unlogged: 0 });
    forgetOldest(places);
  };
  return ({ method, upstream, differences }) => {
    for (const difference of differences) logOne(methodPath(method), upstream, difference);
  };
}

function forgetOldest(places: Map<string, Place>): void {
  const [oldest] = places.keys();
  if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
}
