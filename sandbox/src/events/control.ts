import type { World } from "../world.ts";
import type { Repo } from "./accounts.ts";
import { QUOTA_SECONDS, quotaLimit, quotaOf } from "./caller.ts";
import { DEPTH, HISTORY_SECONDS } from "./page.ts";
import { clearEvents, type NewEvent, publishEvent } from "./publish.ts";
import { EventSource, type EventSourceOptions } from "./source.ts";

export interface RejectOptions {
  /** The duration of the rejection, by the clock of the sandbox. */
  readonly seconds: number;
  /** The status. Default: 403 for a secondary limit, 503 for an outage. */
  readonly status?: number;
  /**
   * Whether `Retry-After` states the remaining time. Default: true for a secondary limit, false for an
   * outage.
   */
  readonly retryAfter?: boolean;
  /** The rejected token. Default: every caller. */
  readonly token?: string;
}

/** Controls the event feed. All times and durations are by the clock of the sandbox. */
export interface SandboxEvents {
  /** The number of seconds in `X-Poll-Interval`. Initially 60. */
  pollInterval: number;
  /** The status of requests above the quota. Initially 403. */
  quotaStatus: 403 | 429;
  /**
   * Returns the time of the feed in seconds. It starts at the time of the seeded events, and advances with
   * the clock.
   */
  now(): number;
  /**
   * Adds an event and returns its id. If `created` is in the past, the event appears among the older events,
   * on the page for that time. With `latency`, the event appears that many seconds after its creation.
   */
  publish(event: NewEvent): string;
  /**
   * Fills a timeline with events, evenly distributed over the 30 days of a timeline, and returns their ids,
   * oldest first. Default: 300 events. From then on, each new event replaces the oldest event, and old events
   * expire.
   */
  fill(event: NewEvent, count?: number): string[];
  /** Removes every event, including the seeded events, so that timelines are empty. */
  clear(): void;
  /** Starts to generate events. Replaces the previous source, if any. */
  start(options: EventSourceOptions): void;
  /** Stops generating events. Existing events still appear after their latency. */
  stop(): void;
  /**
   * Uses up the quota of a token, or of callers without a token at an address, until the end of the current
   * hour.
   */
  exhaust(tokenOrAddress?: string): void;
  /**
   * Starts a secondary limit: all requests, including conditional requests, get 403 (or 429) regardless of
   * the quota.
   */
  throttle(options: RejectOptions): void;
  /** Starts a temporary outage: requests get 503. */
  outage(options: RejectOptions): void;
  /** Ends `throttle` and `outage`. */
  recover(): void;
  /** Renames a repository, `owner/name`. From then on, its former name returns 301. */
  rename(from: string, to: string): void;
  /** Deletes a repository, which then returns 404 to every caller. Other timelines keep its events. */
  remove(repo: string): void;
  /** Adds a token for a user. */
  grant(token: string, login: string): void;
  /** Revokes a token. From then on, requests with it get 401. */
  revoke(token: string): void;
}

function requireKnown(world: World, fullName: string): Repo {
  const [owner = "", name = ""] = fullName.split("/");
  const repo = world.db.get<Repo>("SELECT * FROM feed_repos WHERE owner = ? AND name = ?", owner, name);
  if (!repo) throw new Error(`unknown repository: ${fullName}`);
  return repo;
}

function fill(world: World, event: NewEvent, count: number): string[] {
  world.feed.catchUp();
  const now = world.feed.now();
  const step = HISTORY_SECONDS / count;
  return world.db.transaction(() =>
    Array.from({ length: count }, (_, i) =>
      publishEvent(world.db, { ...event, created: now - Math.floor((count - 1 - i) * step) }, now),
    ),
  );
}

function reject(
  world: World,
  message: string,
  options: Required<Omit<RejectOptions, "token">>,
  token?: string,
): void {
  const { status, retryAfter, seconds } = options;
  world.feed.rejections.push({
    status,
    message,
    until: world.clock.now() + seconds * 1000,
    retryAfter,
    token,
  });
}

function rename(world: World, from: string, to: string): void {
  const repo = requireKnown(world, from);
  const [owner = "", name = ""] = to.split("/");
  if (!/^[^/]+\/[^/]+$/.test(to)) throw new Error(`invalid name, expected owner/name: ${to}`);
  world.db.transaction(() => {
    world.db.run("DELETE FROM feed_renames WHERE owner = ? AND name = ?", owner, name);
    world.db.run("UPDATE feed_repos SET owner = ?, name = ? WHERE id = ?", owner, name, repo.id);
    world.db.insert("feed_renames", { owner: repo.owner, name: repo.name, repo: repo.id });
  });
}

/**
 * Sets the source of events. The source begins at the current time of the feed. Without options, no events
 * are generated.
 */
export function setSource(world: World, options: EventSourceOptions | undefined): void {
  const source = options && new EventSource(options, world.feed.now());
  world.feed.catchUp = () => source?.catchUp(world.db, world.feed.now());
}

/** Returns the controls for the repositories and tokens of the feed. */
function things(world: World): Pick<SandboxEvents, "rename" | "remove" | "grant" | "revoke"> {
  const { db } = world;
  return {
    rename: (from, to) => rename(world, from, to),
    remove: (repo) => {
      db.run("DELETE FROM feed_repos WHERE id = ?", requireKnown(world, repo).id);
    },
    grant: (token, login) => {
      db.run("DELETE FROM feed_tokens WHERE token = ?", token);
      db.insert("feed_tokens", { token, kind: "fine-grained", login });
    },
    revoke: (token) => {
      db.run("DELETE FROM feed_tokens WHERE token = ?", token);
    },
  };
}

/** Returns the controls for the event feed of a world. */
export function feedControl(world: World): SandboxEvents {
  const { feed } = world;
  return {
    get pollInterval() {
      return feed.pollInterval;
    },
    set pollInterval(seconds) {
      feed.pollInterval = seconds;
    },
    get quotaStatus() {
      return feed.quotaStatus;
    },
    set quotaStatus(status) {
      feed.quotaStatus = status;
    },
    now: () => feed.now(),
    publish: (event) => {
      feed.catchUp();
      return publishEvent(world.db, event, feed.now());
    },
    clear: () => {
      feed.catchUp();
      clearEvents(world.db);
    },
    fill: (event, count = DEPTH) => fill(world, event, count),
    start: (options) => {
      feed.catchUp();
      setSource(world, options);
    },
    stop: () => {
      feed.catchUp();
      setSource(world, undefined);
    },
    exhaust: (subject = "127.0.0.1") => {
      const known = world.db.get("SELECT 1 FROM feed_tokens WHERE token = ?", subject) !== undefined;
      world.meter.exhaust(quotaOf(subject), quotaLimit(world, known), QUOTA_SECONDS);
    },
    throttle: ({ token, ...options }) => {
      const message = "You have exceeded a secondary rate limit";
      reject(world, message, { status: 403, retryAfter: true, ...options }, token);
    },
    outage: ({ token, ...options }) => {
      reject(world, "Service unavailable", { status: 503, retryAfter: false, ...options }, token);
    },
    recover: () => {
      feed.rejections = [];
    },
    ...things(world),
  };
}
