import type { World } from "../world.ts";
import type { Repo } from "./accounts.ts";
import { QUOTA_SECONDS, quotaLimit, quotaOf } from "./caller.ts";
import { DEPTH, HISTORY_SECONDS } from "./page.ts";
import { clearEvents, type NewEvent, publishEvent } from "./publish.ts";
import { EventSource, type EventSourceOptions } from "./source.ts";

export interface RejectOptions {
  /** How long it lasts, by the clock. */
  readonly seconds: number;
  /** Default 403 for a secondary limit, 503 for an outage. */
  readonly status?: number;
  /**
   * Whether `Retry-After` says how long it lasts. Default: true for a secondary limit, false for an outage.
   */
  readonly retryAfter?: boolean;
  /** The token concerned. Default: every caller. */
  readonly token?: string;
}

/** The event feed's controls. Whatever lasts or comes later does so by the sandbox's clock. */
export interface SandboxEvents {
  /** Seconds announced in `X-Poll-Interval`; 60 at first. */
  pollInterval: number;
  /** What a used-up quota is rejected with; 403 at first. */
  quotaStatus: 403 | 429;
  /** The feed's time in seconds: it started at the seeded events and runs with the clock. */
  now(): number;
  /**
   * Adds an event and returns its id. With `created` in the past it appears among the older events, on
   * whatever page that is; with `latency` it appears so many seconds after its creation.
   */
  publish(event: NewEvent): string;
  /**
   * Adds as many events as a timeline holds (300, or `count`), evenly spread over the 30 days that it goes
   * back, and returns their ids, oldest first. From then on one leaves the timeline whenever another comes,
   * and when its time is over.
   */
  fill(event: NewEvent, count?: number): string[];
  /** Forgets every event, the seeded ones too: timelines are empty. */
  clear(): void;
  /** Lets events come into being by themselves from now on, in place of what did so before. */
  start(options: EventSourceOptions): void;
  /** Ends that; what was created and is not shown yet still arrives. */
  stop(): void;
  /**
   * Uses up the quota of a token, or of callers without one at this address,
   * until the hour of the clock ends.
   */
  exhaust(tokenOrAddress?: string): void;
  /** A secondary limit: 403 (or 429) in spite of the quota, also for conditional requests. */
  throttle(options: RejectOptions): void;
  /** 503 for a time. */
  outage(options: RejectOptions): void;
  /** Ends what `throttle` and `outage` began. */
  recover(): void;
  /** Moves a repository, `owner/name`; its former name is 301 from now on. */
  rename(from: string, to: string): void;
  /** Deletes a repository: 404 for everybody. Other timelines keep its events. */
  remove(repo: string): void;
  /** Another token for a user. */
  grant(token: string, login: string): void;
  /** Makes a token invalid: 401 from now on. */
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

/** Lets the feed's source create events, from the feed's time on; without options none is created. */
export function setSource(world: World, options: EventSourceOptions | undefined): void {
  const source = options && new EventSource(options, world.feed.now());
  world.feed.catchUp = () => source?.catchUp(world.db, world.feed.now());
}

/** The controls over the repositories and tokens of the feed. */
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
