import type { Database } from "../store/database.ts";
import { chance, pick } from "./chance.ts";
import { type Latency, LEAST_LATENCY, latencyOf, MOST_LATENCY } from "./latency.ts";
import { HISTORY_SECONDS } from "./page.ts";
import { PAYLOADS } from "./payloads.ts";
import { forgetEvents, publishEvent } from "./publish.ts";

/** Options for generated events. */
export interface EventSourceOptions {
  /**
   * The number of events per hour, more than 0 and at most 3,600,000. The hour is divided into equal
   * intervals, and each event is at a random time in its interval.
   */
  readonly perHour: number;
  /** The seed. The same seed generates the same events at the same intervals. Default: 1. */
  readonly seed?: number | string;
  /** The time from creation until the feed shows an event. Default: 30 s. */
  readonly latency?: Latency;
  /**
   * The fraction of late events, from 0 to 1. Late events appear `lateBy` after other events of the same
   * time. Default: 0.
   */
  readonly lateShare?: number;
  /** The additional latency of late events. Default: up to 6 hours. */
  readonly lateBy?: Latency;
  /** The logins of the actors. Default: `octavia` and `marvin`. */
  readonly actors?: readonly string[];
  /**
   * The names of the repositories, `owner/name`. Default: all repositories, including private repositories.
   */
  readonly repos?: readonly string[];
}

/**
 * The maximum number of events that are generated when the clock advances far. Only the newest are generated,
 * which are enough to fill the timelines.
 */
export const MOST_AT_ONCE = 5000;
const MOST_PER_HOUR = 3_600_000;
const HOUR = 3600;
const ACTORS = ["octavia", "marvin"];
/** The first number for generated payloads, which is greater than the numbers of the seeded events. */
const FIRST_NUMBER = 1000;

function check(options: EventSourceOptions): void {
  const { perHour, lateShare = 0 } = options;
  if (!(perHour > 0 && perHour <= MOST_PER_HOUR)) {
    throw new Error(
      `invalid number of events in an hour, expected more than 0 up to ${MOST_PER_HOUR}: ${perHour}`,
    );
  }
  if (!(lateShare >= 0 && lateShare <= 1)) {
    throw new Error(`invalid share of late events, expected 0 to 1: ${lateShare}`);
  }
}

/**
 * Generates events as the time of the feed advances. The nth event depends only on the seed and n, not on
 * when or how often the feed is read.
 */
export class EventSource {
  private readonly options: EventSourceOptions;
  private readonly start: number;
  private readonly seed: number | string;
  private next = 0;

  /** @param start the time of the first event, in seconds by the time of the feed */
  constructor(options: EventSourceOptions, start: number) {
    check(options);
    this.options = options;
    this.start = start;
    this.seed = options.seed ?? 1;
  }

  /** Creates the events that are due, in the order of creation. `now` is the time of the feed in seconds. */
  catchUp(db: Database, now: number): void {
    if (this.createdAt(this.next) > now) return;
    const passed = Math.floor(((now - this.start) * this.options.perHour) / HOUR);
    this.next = Math.max(this.next, passed - MOST_AT_ONCE);
    db.transaction(() => {
      const repos = reposOf(db, this.options.repos);
      for (; this.createdAt(this.next) <= now; this.next++) this.create(db, this.next, repos);
      forgetEvents(db, now - HISTORY_SECONDS);
    });
  }

  private createdAt(n: number): number {
    return this.start + Math.floor(((n + chance(this.seed, n, "moment")) * HOUR) / this.options.perHour);
  }

  private create(db: Database, n: number, repos: readonly string[]): void {
    const { seed } = this;
    const created = this.createdAt(n);
    const [type, payload] = pick(PAYLOADS, seed, n, "type") ?? PAYLOADS[0];
    const actor = pick(this.options.actors ?? ACTORS, seed, n, "actor");
    const repo = pick(repos, seed, n, "repo");
    if (actor === undefined || repo === undefined) return;
    const event = {
      type,
      actor,
      repo,
      payload: payload(FIRST_NUMBER + n),
      created,
      latency: this.latency(n, created),
    };
    publishEvent(db, event, created);
  }

  private latency(n: number, created: number): number {
    const { latency = LEAST_LATENCY, lateShare = 0, lateBy = [1, MOST_LATENCY] } = this.options;
    const usual = latencyOf(latency, created, this.seed, n, "latency");
    const late = chance(this.seed, n, "late") < lateShare;
    return late ? usual + latencyOf(lateBy, created, this.seed, n, "late by") : usual;
  }
}

/** Returns the named repositories that exist, or all repositories if none are named. */
function reposOf(db: Database, named: readonly string[] | undefined): string[] {
  const rows = db.all<{ owner: string; name: string }>("SELECT owner, name FROM feed_repos ORDER BY id");
  const all = rows.map(({ owner, name }) => `${owner}/${name}`);
  return named === undefined ? all : all.filter((name) => named.includes(name));
}
