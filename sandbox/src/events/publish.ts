import { isoDate } from "../clock.ts";
import type { JsonObject } from "../json.ts";
import type { Database } from "../store/database.ts";
import type { Account, Repo } from "./accounts.ts";
import { eventText } from "./page.ts";

const FIRST_EVENT_ID = 52_000_000_001;

/** A new event. `publish` fills in absent fields. */
export interface NewEvent {
  readonly type: string;
  /** The login of a seeded account. */
  readonly actor: string;
  /** The name of a seeded repository, `owner/name`. */
  readonly repo: string;
  readonly payload: JsonObject;
  readonly public?: boolean;
  /** The creation time in seconds since 1970. Default: now, by the time of the feed. */
  readonly created?: number;
  /** The number of seconds from creation until the feed shows the event. Default: 0. */
  readonly latency?: number;
  /** Whether the event counts for paging but is not shown, which makes pages short. */
  readonly hidden?: boolean;
  /** Keys to add to the event, or to replace in the event. `undefined` removes a key. */
  readonly change?: Record<string, unknown>;
}

const BASE = "https://api.feed.example";

function person(account: Account): JsonObject {
  const avatar = `https://avatars.feed.example/u/${account.id}?`;
  const url = `${BASE}/${account.kind === "user" ? "users" : "orgs"}/${account.login}`;
  return { id: account.id, login: account.login, external_avatar_id: "", url, avatar_url: avatar };
}

/** Adds an event to its feeds, and returns the event's id. */
export function publishEvent(db: Database, event: NewEvent, now: number): string {
  const [owner = "", name = ""] = event.repo.split("/");
  const repo = db.get<Repo>("SELECT * FROM feed_repos WHERE owner = ? AND name = ?", owner, name);
  const actor = db.get<Account>("SELECT * FROM feed_accounts WHERE login = ?", event.actor);
  if (!repo || !actor) throw new Error(`unknown actor or repository: ${event.actor}, ${event.repo}`);
  const org = db.get<Account>(
    "SELECT * FROM feed_accounts WHERE login = ? AND kind = 'organization'",
    repo.owner,
  );
  const id = Math.max(FIRST_EVENT_ID, db.count("SELECT MAX(id) AS n FROM feed_events") + 1);
  const created = event.created ?? now;
  const open = event.public ?? repo.private === 0;
  const { login, ...rest } = person(actor);
  const body: JsonObject = {
    id: String(id),
    type: event.type,
    actor: { id: rest.id, login, display_login: login, ...rest },
    repo: {
      id: repo.id,
      name: `${repo.owner}/${repo.name}`,
      url: `${BASE}/repos/${repo.owner}/${repo.name}`,
    },
    payload: event.payload,
    public: open,
    created_at: isoDate(created),
    ...(org ? { org: person(org) } : {}),
    ...event.change,
  };
  db.insert("feed_events", {
    id,
    type: event.type,
    actor: actor.login,
    repo: repo.id,
    org: org?.login,
    public: open ? 1 : 0,
    created,
    hidden: event.hidden ? 1 : 0,
    body: eventText(body),
  });
  const latency = Math.max(0, event.latency ?? 0);
  if (latency > 0) db.insert("feed_arrivals", { event: id, visible: created + latency });
  return String(id);
}

/**
 * Removes events that are no longer in any timeline. Keeps the newest event, so that its id is not reused.
 */
export function forgetEvents(db: Database, created: number): void {
  const which = "SELECT id FROM feed_events WHERE created <= ? AND id < (SELECT MAX(id) FROM feed_events)";
  db.run(`DELETE FROM feed_arrivals WHERE event IN (${which})`, created);
  db.run(`DELETE FROM feed_events WHERE id IN (${which})`, created);
}

/**
 * Removes every event. Keeps the newest id on an event that is too old for every timeline, so that the id is
 * not reused.
 */
export function clearEvents(db: Database): void {
  db.transaction(() => {
    db.run("UPDATE feed_events SET created = 0");
    forgetEvents(db, 0);
    db.run("DELETE FROM feed_arrivals");
  });
}
