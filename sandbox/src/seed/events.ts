import { newPush, PAYLOADS } from "../events/payloads.ts";
import { publishEvent } from "../events/publish.ts";
import type { Database } from "../store/database.ts";
import { EPOCH } from "./epoch.ts";

const ACCOUNTS = [
  [101, "octavia", "user"],
  [102, "marvin", "user"],
  [103, "quiet", "user"],
  [301, "octo", "organization"],
  [302, "empty-org", "organization"],
] as const;

const REPOS = [
  [201, "octo", "hello", 0, 201],
  [202, "marvin", "hello", 0, 201],
  [203, "octavia", "private-things", 1, 203],
  [204, "octavia", "tools", 0, 204],
  [205, "octo", "internal", 1, 205],
] as const;

/** The number of seeded events: more than fit into a timeline. */
const SEEDED_EVENTS = 420;
/** The number of seconds between events. The oldest event is within the 30 days of a timeline. */
const SPACING = 2400;

function seedAccounts(db: Database): void {
  for (const [id, login, kind] of ACCOUNTS) db.insert("feed_accounts", { id, login, kind });
  for (const [id, owner, name, hidden, network] of REPOS) {
    db.insert("feed_repos", { id, owner, name, private: hidden, network });
  }
  db.insert("feed_renames", { owner: "octo", name: "old-hello", repo: 201 });
  db.insert("feed_members", { org: "octo", login: "octavia" });
  db.insert("feed_watches", { login: "octavia", repo: 202 });
  db.insert("feed_watches", { login: "octavia", followed: "marvin" });
  db.insert("feed_watches", { login: "marvin", repo: 203 });
  db.insert("feed_watches", { login: "marvin", repo: 201 });
}

/**
 * Distributes the event types over the repositories. With a plain remainder, each repository would have only
 * some of the types.
 */
function repoFor(i: number): string {
  const turn = (i + Math.floor(i / PAYLOADS.length)) % 10;
  if (turn === 7) return "octavia/private-things";
  if (turn === 8) return "octo/internal";
  if (turn === 9) return "octavia/tools";
  return turn % 3 === 0 ? "marvin/hello" : "octo/hello";
}

/**
 * Seeds the feed. Every fifth push event has the new format. Two events far down in the public feed are
 * hidden.
 */
export function seedEvents(db: Database): void {
  seedAccounts(db);
  for (let i = 0; i < SEEDED_EVENTS; i++) {
    const [type, payload] = PAYLOADS[i % PAYLOADS.length] ?? PAYLOADS[0] ?? ["PublicEvent", () => ({})];
    const newer = type === "PushEvent" && i % 5 === 4;
    publishEvent(
      db,
      {
        type,
        actor: i % 4 === 0 ? "marvin" : "octavia",
        repo: repoFor(i),
        payload: newer ? newPush(i) : payload(i),
        created: EPOCH - (SEEDED_EVENTS - i) * SPACING,
        hidden: i === 200 || i === 201,
      },
      EPOCH,
    );
  }
}
