import { type ReportedStep, reportedSteps } from "connect-rest-codec/internal";
import type { Difference, DifferenceClass, DifferenceReport } from "connect-rest-runtime";
import { methodPath } from "../call/method-path.ts";
import type { Logger } from "./logger.ts";

/** The minimum interval between two lines about the same path, in milliseconds. */
const INTERVAL_MS = 60_000;

/** The maximum number of remembered paths; the oldest is forgotten first. */
const MAX_PLACES = 1000;

/**
 * The log level of each class. Additional fields have the lowest level, because adapters describe only part
 * of an API.
 */
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
 * Returns a function that logs differences between responses and their declaration: losses as warnings,
 * conversions as information, additions for debugging. Logs at most one line per minute and path, with the
 * number of suppressed lines.
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
    const key = JSON.stringify([method, as, ...reportedSteps(path).map(placeOf)]);
    const place = places.get(key);
    if (place !== undefined && now() - place.loggedAt < INTERVAL_MS) {
      place.unlogged += 1;
      return;
    }
    const unlogged = place === undefined || place.unlogged === 0 ? {} : { unlogged: place.unlogged };
    // Only the type is logged, because the value that follows it is the caller's data.
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

/** Returns a step without its index, because the elements of a list count as one place. */
function placeOf({ key, isCut }: ReportedStep): string | readonly unknown[] {
  return typeof key === "number" ? [] : isCut ? [key] : key;
}

function forgetOldest(places: Map<string, Place>): void {
  const [oldest] = places.keys();
  if (places.size > MAX_PLACES && oldest !== undefined) places.delete(oldest);
}
