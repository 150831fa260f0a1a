import type { PoolClient } from "pg";
import { StoreError } from "./store-error.ts";

/**
 * The steps that lead from each version of the tables to the next. Released steps never change; new steps are
 * appended.
 */
const MIGRATIONS = [
  `CREATE TABLE connect_rest_entries (
     kind text NOT NULL, key text NOT NULL, value text NOT NULL,
     expires_at bigint, grant_id text, session_id text,
     PRIMARY KEY (kind, key)
   );
   CREATE INDEX connect_rest_entries_expiry ON connect_rest_entries (expires_at) WHERE expires_at IS NOT NULL;
   CREATE INDEX connect_rest_entries_grant ON connect_rest_entries (grant_id) WHERE grant_id IS NOT NULL;
   CREATE INDEX connect_rest_entries_session ON connect_rest_entries (session_id) WHERE session_id IS NOT NULL;`,
] as const;

/**
 * The number of the advisory lock that makes replicas migrate one at a time. The number is arbitrary but
 * unique.
 */
const LOCK = 2_025_032_614;

/** Migrates the tables of a database to the newest version. Several replicas may try concurrently. */
export async function migratePostgres(client: PoolClient): Promise<void> {
  await client.query("BEGIN");
  await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
  await client.query("CREATE TABLE IF NOT EXISTS connect_rest_version (version integer NOT NULL)");
  const { rows } = await client.query<{ version: number }>("SELECT version FROM connect_rest_version");
  const version = rows[0]?.version ?? 0;
  if (version > MIGRATIONS.length) {
    const text = `the store is of version ${version}, and this program knows ${MIGRATIONS.length}; run a newer one, or name another database`;
    throw new StoreError("failed", text);
  }
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
  if (version < MIGRATIONS.length) {
    await client.query("DELETE FROM connect_rest_version");
    await client.query("INSERT INTO connect_rest_version VALUES ($1)", [MIGRATIONS.length]);
  }
  await client.query("COMMIT");
}
