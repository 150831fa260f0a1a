import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "./store-error.ts";

/**
 * The steps that lead from each version of the tables to the next. Released steps never change; new steps are
 * appended.
 */
const MIGRATIONS = [
  `CREATE TABLE entries (
     kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
     expires_at INTEGER, grant_id TEXT, session_id TEXT,
     PRIMARY KEY (kind, key)
   ) WITHOUT ROWID;
   CREATE INDEX entries_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
   CREATE INDEX entries_grant ON entries (grant_id) WHERE grant_id IS NOT NULL;
   CREATE INDEX entries_session ON entries (session_id) WHERE session_id IS NOT NULL;`,
] as const;

/**
 * Migrates the tables of a file to the newest version. Several processes may try concurrently.
 *
 * @throws StoreError if the file has a newer version
 */
export function migrateSqlite(database: DatabaseSync): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (version > MIGRATIONS.length) {
      const text = `the store is of version ${version}, and this program knows ${MIGRATIONS.length}; run a newer one, or name another file`;
      throw new StoreError("failed", text);
    }
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}
