import type { World } from "../world.ts";
import type { Repo } from "./accounts.ts";
import { QUOTA_SECONDS, quotaLimit, quotaOf } from "./caller.ts";
import { DEPTH, HISTORY_SECONDS } from "./page.ts";
import { clearEvents, type NewEvent, publishEvent } from "./publish.ts";
import { EventSource, type EventSourceOptions } from "./source.ts";

export interface RejectOptions {
  /** The duration, by the sandbox's clock. */
  readonly seconds: number;
  /** Default 403 for a secondary limit, 503 for an outage. */
  readonly status?: number;
  /**
   * Whether `Retry-After` states the remaining time. Default: true for a secondary limit, false for an
   * outage.
   */
  readonly retryAfter?: boolean;
  /** The rejected token. Default: every caller. */
  readonly token?: string;
}

/** Controls the event feed. All durations and later times follow the sandbox's clock. */
export interface SandboxEvents {
  /** Seconds announced in `X-Poll-Interval`; initially 60. */
  pollInterval: number;
  /** Status of requests above the quota; initially 403. */
  quotaStatus: 403 | 429;
  /** The feed's time in seconds: it starts at the seeded events and runs with the clock. */
  now(): number;
  /**
   * Adds an event and returns its id. With `created` in the past it appears among the older events, on the
   * page of that time; with `latency` it appears that many seconds after its creation.
   */
  publish(event: NewEvent): string;
  /**
   * Fills a timeline with events (300, or `count`), evenly spread over the 30 days that it covers, and
   * returns their ids, oldest first. From then on, each new or expired event removes one from the timeline.
   */
  fill(event: NewEvent, count?: number): string[];
  /** Removes every event, including the seeded ones: timelines are empty. */
  clear(): void;
  /** Starts to generate events, in place of any previous source. */
  start(options: EventSourceOptions): void;
  /** Stops generating events; events that already exist still appear after their latency. */
  stop(): void;
  /**
   * Uses up the quota of a token, or of callers without a token at this address, until the hour of the clock
   * ends.
   */
  exhaust(tokenOrAddress?: string): void;
  /** Starts a secondary limit: 403 (or 429) whatever the quota, also for conditional requests. */
  throttle(options: RejectOptions): void;
  /** Starts a temporary outage: 503. */
  outage(options: RejectOptions): void;
  /** Ends `throttle` and `outage`. */
  recover(): void;
  /** Moves a repository, `owner/name`; its former name is 301 from then on. */
  rename(from: string, to: string): void;
  /** Deletes a repository: 404 for every caller. Other timelines keep its events. */
  remove(repo: string): void;
  /** Adds a token for a user. */
  grant(token: string, login: string): void;
  /** Revokes a token: 401 from then on. */
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
 * Sets the feed's source of events, from the feed's current time on; without options, no events are
 * generated.
 */
export function setSource(world: World, options: EventSourceOptions | undefined): void {
  const source = options && new EventSource(options, world.feed.now());
  world.feed.catchUp = () => source?.catchUp(world.db, world.feed.now());
}

/** The controls for the feed's repositories and tokens. */
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

/** The controls of a world's event feed. */
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
