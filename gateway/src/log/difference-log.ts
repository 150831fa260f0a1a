import { type ReportedStep, reportedSteps } from "connect-rest-codec/internal";
import type { Difference, DifferenceClass, DifferenceReport } from "connect-rest-runtime";
import { DIFFERENCE_CLASSES } from "connect-rest-runtime/internal";
import { methodPath } from "../call/method-path.ts";
import type { Logger } from "./logger.ts";

/** The minimum interval between two lines about the same place, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * The maximum number of places that are distinguished per method. The keys of an object may be data, for
 * example identifiers; such an object must not fill the memory, the log or the list of differences.
 */
const MAX_PLACES_PER_METHOD = 100;

/** The maximum number of distinguished places of all methods. */
const MAX_PLACES = 10_000;

/**
 * The log level of each class. Additional fields have the lowest level, because adapters describe only part
 * of an API.
 */
const LEVELS: Readonly<Record<DifferenceClass, "debug" | "info" | "warn">> = {
  additional: "debug",
  converted: "info",
  lost: "warn",
};

/**
 * The sightings of a difference at one place of a method's responses. The indexes of lists do not distinguish
 * places.
 */
export interface SeenDifference {
  readonly method: string;
  readonly upstream: string;
  /** The JSON path of the first sighting. */
  readonly path: string;
  readonly class: DifferenceClass;
  readonly expected: string;
  /** The received JSON type. */
  readonly got: string;
  /** The number of characters of a received string or number; `>40` above 40. Absent for other types. */
  readonly length?: string;
  readonly count: number;
  /** The times of the first and the last sighting (RFC 3339). */
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** The differences of a process since its start. */
export interface SeenDifferences {
  /** The most recent first sighting first. */
  readonly differences: readonly SeenDifference[];
  /** The number of differences at places beyond the maximum number of distinguished places. */
  readonly notListed: number;
}

/** A difference without its value, because a value is the caller's data. */
type Sighting = Pick<
  SeenDifference,
  "method" | "upstream" | "path" | "class" | "expected" | "got" | "length"
>;

interface Place {
  readonly sighting: Sighting;
  readonly firstAt: number;
  // biome-ignore-start lint/plugin: counts up
  lastAt: number;
  count: number;
  loggedAt: number;
  unlogged: number;
  // biome-ignore-end lint/plugin: counts up
}

export interface DifferenceLogOptions {
  /** Returns the current time, in milliseconds since 1970. Default: Date.now. */
  readonly now?: () => number;
  /** Called for the first sighting of each difference. */
  readonly onFirst?: (sighting: Sighting) => void;
}

/**
 * Logs and lists differences between responses and their declaration. The first sighting of a difference is
 * logged at level `info` or above. Later ones are logged at the level of their class, at most once a minute
 * per place, with the number of lines that were not logged.
 */
export class DifferenceLog {
  private readonly log: Logger;
  private readonly now: () => number;
  private readonly onFirst: (sighting: Sighting) => void;
  private readonly methods = new Map<string, Map<string, Place>>();
  private placeCount = 0;
  /** The differences at places that are not distinguished, by method and class. */
  private readonly others = new Map<string, Place>();

  constructor(log: Logger, { now = Date.now, onFirst = () => undefined }: DifferenceLogOptions = {}) {
    this.log = log;
    this.now = now;
    this.onFirst = onFirst;
  }

  record({ method, upstream, differences, counts }: DifferenceReport): void {
    const further = { ...counts };
    for (const difference of differences) {
      this.see(sightingOf(methodPath(method), upstream, difference), difference.path);
      further[difference.class]--;
    }
    for (const as of DIFFERENCE_CLASSES) {
      if (further[as] > 0) this.placeOfOthers(methodPath(method), as).count += further[as];
    }
  }

  list(): SeenDifferences {
    const places = [...this.methods.values()].flatMap((each) => [...each.values()]);
    const differences = places
      .sort((a, b) => b.firstAt - a.firstAt)
      .map(({ sighting, count, firstAt, lastAt }) => {
        return { ...sighting, count, firstSeen: timeText(firstAt), lastSeen: timeText(lastAt) };
      });
    const notListed = [...this.others.values()].reduce((sum, { count }) => sum + count, 0);
    return { differences, notListed };
  }

  private see(sighting: Sighting, path: string): void {
    const { method, class: as, got } = sighting;
    const places = getOrAdd(this.methods, method, () => new Map<string, Place>());
    const key = JSON.stringify([as, got, ...reportedSteps(path).map(placeOf)]);
    let place = places.get(key);
    if (place === undefined) {
      if (places.size >= MAX_PLACES_PER_METHOD || this.placeCount >= MAX_PLACES) {
        place = this.placeOfOthers(method, as);
      } else {
        place = newPlace(sighting, this.now());
        places.set(key, place);
        this.placeCount++;
        this.onFirst(sighting);
      }
    }
    place.count++;
    place.lastAt = this.now();
    this.write(place, sighting);
  }

  private write(place: Place, sighting: Sighting): void {
    const isFirst = place.count === 1 && place.sighting === sighting;
    const level = LEVELS[sighting.class];
    if (isFirst) {
      this.log[level === "debug" ? "info" : level]({ ...sighting, first: true }, "difference");
    } else if (place.lastAt - place.loggedAt < INTERVAL_MS) {
      place.unlogged++;
      return;
    } else if (!this.log.isLevelEnabled(level)) {
      return;
    } else {
      const unlogged = place.unlogged === 0 ? {} : { unlogged: place.unlogged };
      this.log[level]({ ...sighting, ...unlogged }, "difference");
    }
    place.loggedAt = place.lastAt;
    place.unlogged = 0;
  }

  /** Returns the place for all differences of a method that are not distinguished. */
  private placeOfOthers(method: string, as: DifferenceClass): Place {
    const sighting = { method, upstream: "", path: "", class: as, expected: "", got: "" };
    return getOrAdd(this.others, `${method} ${as}`, () => ({
      ...newPlace(sighting, this.now()),
      loggedAt: Number.NEGATIVE_INFINITY,
    }));
  }
}

function newPlace(sighting: Sighting, at: number): Place {
  return { sighting, firstAt: at, lastAt: at, count: 0, loggedAt: at, unlogged: 0 };
}

function sightingOf(
  method: string,
  upstream: string,
  { path, expected, got, class: as }: Difference,
): Sighting {
  const [type = "", ...words] = got.split(" ");
  const text = words.join(" ");
  const length = text.endsWith("…") ? ">40" : String(text.length - (type === "string" ? 2 : 0));
  const hasLength = type === "string" || type === "number";
  return { method, upstream, path, class: as, expected, got: type, ...(hasLength && { length }) };
}

/** Returns a step without its index, because the elements of a list count as one place. */
function placeOf({ key, isCut }: ReportedStep): string | readonly unknown[] {
  return typeof key === "number" ? [] : isCut ? [key] : key;
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
