import type { Database } from "../store/database.ts";
import { seedBlogs } from "./blogs.ts";
import { seedCommunities } from "./communities.ts";
import { seedCredentials } from "./credentials.ts";
import { seedEvents } from "./events.ts";
import { seedPosts } from "./posts.ts";
import { seedFilters, seedSocial } from "./social.ts";

/**
 * Fills an empty database. Does not change a database that contains data. Every start writes the same bytes.
 */
export function seed(db: Database, now: number): void {
  if (db.get("SELECT value FROM settings WHERE name = 'seeded_at'")) return;
  db.transaction(() => {
    seedCredentials(db);
    seedBlogs(db);
    seedPosts(db);
    seedSocial(db);
    seedCommunities(db);
    seedFilters(db);
    seedEvents(db);
    db.insert("settings", { name: "seeded_at", value: String(now) });
  });
}

/** Fills a database again. Copies the result of the first time, since tests call this function often. */
export function reseed(db: Database, now: number): void {
  if (db.restore()) {
    db.run("UPDATE settings SET value = ? WHERE name = 'seeded_at'", String(now));
    return;
  }
  db.clear();
  seed(db, now);
  db.keep();
}

/** Returns the time at which the database was seeded, in seconds by the clock of that start. */
export function seededAt(db: Database): number {
  return Number(db.get<{ value: string }>("SELECT value FROM settings WHERE name = 'seeded_at'")?.value ?? 0);
}
