import { Pool, type PoolClient } from "pg";
import { migratePostgres } from "./postgres-migrations.ts";
import { entryOf, placedEntryOf, type Row } from "./row.ts";
import { type Change, type Entry, isExpected, type Owner, type PlacedEntry, type Store } from "./store.ts";
import { StoreError, type StoreFailure } from "./store-error.ts";
import { withLock } from "./with-lock.ts";

export interface PostgresStoreOptions {
  /** `postgres://user:password@host/database?sslmode=verify-full` */
  readonly url: string;
  /** The maximum number of connections. Default: 10. */
  readonly connections?: number | undefined;
  /** The time limit for connecting and for each statement, in milliseconds. Default: 3000. */
  readonly timeoutMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const CONNECTIONS = 10;
const TIMEOUT_MS = 3000;
const TRIES = 4;
const LISTED = 1000;
const SWEPT = 5000;
const COLUMNS = "kind, key, value, expires_at, grant_id, session_id";
const PUT = `INSERT INTO connect_rest_entries (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
  grant_id = excluded.grant_id, session_id = excluded.session_id`;
/**
 * Deletes rows in the order in which `commit` locks them. If two transactions locked the same rows in
 * different orders, they would wait one second, until PostgreSQL aborts one of them.
 */
const deleteWhere = (column: "grant_id" | "session_id") =>
  `WITH held AS (SELECT kind, key FROM connect_rest_entries WHERE ${column} = $1
    ORDER BY kind COLLATE "C", key COLLATE "C" FOR UPDATE)
  DELETE FROM connect_rest_entries AS entry USING held
  WHERE entry.kind = held.kind AND entry.key = held.key AND entry.${column} = $1 RETURNING entry.kind`;
const ALIVE = "(expires_at IS NULL OR expires_at > $3)";

/** A store in PostgreSQL 12 or newer, for several replicas. Its table is created on first use. */
export class PostgresStore implements Store {
  private readonly pool: Pool;
  private readonly now: () => number;
  private ready: Promise<void> | undefined;

  constructor({
    url,
    connections = CONNECTIONS,
    timeoutMs = TIMEOUT_MS,
    now = Date.now,
  }: PostgresStoreOptions) {
    this.now = now;
    this.pool = new Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      statement_timeout: timeoutMs,
      application_name: "connect-rest",
      allowExitOnIdle: true,
    });
    // ignore errors of idle connections: the next operation gets a new connection
    this.pool.on("error", () => undefined);
  }

  /**
   * Connects, and migrates the tables to the newest version. Rejects with a StoreError. May be called again.
   */
  connect(): Promise<void> {
    this.ready ??= this.withClient(migratePostgres).catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    return this.ready;
  }

  async get(kind: string, key: string): Promise<Entry | undefined> {
    const sql = `SELECT ${COLUMNS} FROM connect_rest_entries WHERE kind = $1 AND key = $2 AND ${ALIVE}`;
    const [row] = await this.query(sql, [kind, key, this.now()]);
    return entryOf(row);
  }

  async existing(kind: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    const sql = `SELECT ${COLUMNS} FROM connect_rest_entries WHERE kind = $1 AND key = ANY($2) AND ${ALIVE}`;
    const rows = await this.query(sql, [kind, keys, this.now()]);
    return new Set(rows.map(({ key }) => String(key)));
  }

  async put(kind: string, key: string, entry: Entry): Promise<void> {
    await this.query(PUT, parametersOf(kind, key, entry));
  }

  async take(kind: string, key: string): Promise<Entry | undefined> {
    const sql = `DELETE FROM connect_rest_entries WHERE kind = $1 AND key = $2 AND ${ALIVE} RETURNING ${COLUMNS}`;
    const [row] = await this.query(sql, [kind, key, this.now()]);
    return entryOf(row);
  }

  async update(
    kind: string,
    key: string,
    change: (entry: Entry | undefined) => Entry | undefined,
  ): Promise<Entry | undefined> {
    await this.connect();
    return this.withClient((client) =>
      inTransaction(client, async () => {
        const before = await this.hold(client, kind, key);
        const after = change(before);
        if (after !== before) await replace(client, kind, key, after);
        return after;
      }),
    );
  }

  async commit(changes: readonly Change[]): Promise<boolean> {
    await this.connect();
    // a fixed order, so that two commits to the same keys do not deadlock
    const ordered = changes.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
    return this.withClient((client) =>
      inTransaction(client, async () => {
        for (const change of ordered) {
          if (change.expected === undefined) continue;
          if (!isExpected(await this.hold(client, change.kind, change.key), change)) return false;
        }
        for (const { kind, key, entry } of ordered) {
          if (entry !== "unchanged") await replace(client, kind, key, entry);
        }
        return true;
      }),
    );
  }

  async delete(kind: string, key: string): Promise<boolean> {
    const sql = "DELETE FROM connect_rest_entries WHERE kind = $1 AND key = $2 RETURNING kind";
    return (await this.query(sql, [kind, key])).length > 0;
  }

  async deleteBy(owner: Owner): Promise<number> {
    if ("session" in owner) {
      const grants = new Set(
        (await this.listBy(owner)).flatMap(({ grant }) => (grant === undefined ? [] : [grant])),
      );
      let sum = 0;
      for (const grant of grants) sum += await this.deleteBy({ grant });
      return sum + (await this.query(deleteWhere("session_id"), [owner.session])).length;
    }
    const sql = deleteWhere("grant_id");
    const first = await this.query(sql, [owner.grant]);
    // the first statement may have waited for transactions that had locked the grant, and did not see the
    // rows that they added
    return first.length + (await this.query(sql, [owner.grant])).length;
  }

  async listBy(owner: Owner): Promise<readonly PlacedEntry[]> {
    const [column, id] = "grant" in owner ? ["grant_id", owner.grant] : ["session_id", owner.session];
    const sql = `SELECT ${COLUMNS} FROM connect_rest_entries WHERE ${column} = $1 AND (expires_at IS NULL OR expires_at > $2) LIMIT ${LISTED}`;
    const rows = await this.query(sql, [id, this.now()]);
    return rows.map(placedEntryOf);
  }

  withLock<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    return withLock(this, name, waitMs, work, this.now);
  }

  async deleteExpired(): Promise<number> {
    const expired = `SELECT kind, key FROM connect_rest_entries WHERE expires_at <= $1 LIMIT ${SWEPT} FOR UPDATE SKIP LOCKED`;
    const sql = `DELETE FROM connect_rest_entries WHERE (kind, key) IN (${expired}) RETURNING kind`;
    return (await this.query(sql, [this.now()])).length;
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  /** Locks a kind and key until the end of the transaction, even if there is no row yet. */
  private async hold(client: PoolClient, kind: string, key: string): Promise<Entry | undefined> {
    // a row that does not exist yet cannot be locked
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [placeOf({ kind, key })]);
    const sql = `SELECT ${COLUMNS} FROM connect_rest_entries WHERE kind = $1 AND key = $2 AND ${ALIVE} FOR UPDATE`;
    const { rows } = await client.query<Row>(sql, [kind, key, this.now()]);
    return entryOf(rows[0]);
  }

  private async query(sql: string, parameters: readonly unknown[]): Promise<Row[]> {
    await this.connect();
    return this.withClient(async (client) => (await client.query<Row>(sql, [...parameters])).rows);
  }

  /**
   * Runs work on a connection. Retries the work if PostgreSQL has aborted it in favor of another transaction.
   */
  private async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.once(work);
      } catch (error) {
        if (tries === TRIES || !isOvertaken(error)) throw error;
      }
    }
  }

  private async once<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined;
    let failure: unknown;
    try {
      client = await this.pool.connect();
      return await work(client);
    } catch (error) {
      failure = error;
      throw storeErrorOf(error);
    } finally {
      // a failed connection may still be in a transaction, or be dead
      client?.release(failure !== undefined);
    }
  }
}

function placeOf({ kind, key }: { readonly kind: string; readonly key: string }): string {
  return `${kind}\n${key}`;
}

async function replace(
  client: PoolClient,
  kind: string,
  key: string,
  entry: Entry | undefined,
): Promise<void> {
  if (entry === undefined) {
    await client.query("DELETE FROM connect_rest_entries WHERE kind = $1 AND key = $2", [kind, key]);
  } else {
    await client.query(PUT, parametersOf(kind, key, entry));
  }
}

async function inTransaction<T>(client: PoolClient, work: () => Promise<T>): Promise<T> {
  await client.query("BEGIN");
  const result = await work();
  await client.query("COMMIT");
  return result;
}

function parametersOf(kind: string, key: string, entry: Entry): unknown[] {
  const { value, expiresAt, grant = null, session = null } = entry;
  return [kind, key, value, expiresAt === undefined ? null : bigintOf(expiresAt), grant, session];
}

/** Converts a time to the column type, which accepts neither fractions nor infinity. */
function bigintOf(time: number): number {
  return Math.min(Math.ceil(time), Number.MAX_SAFE_INTEGER);
}

/**
 * The failures by error class (https://www.postgresql.org/docs/current/errcodes-appendix.html). Network
 * errors have no class.
 */
const FAILURES: ReadonlyArray<readonly [RegExp, StoreFailure]> = [
  [/^(?:53100|53200|53400|54)/, "full"],
  [/^(?:55P03|57014|40001|40P01)/, "locked"],
  [/^(?:08|57P|28|3D|53300|25006|E[A-Z]+$)/, "unreachable"],
];

/** Reports whether an error is a deadlock or a failed serialization, after which nothing has changed. */
function isOvertaken(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return /^(?:40001|40P01)$/.test(String(Object(cause).code));
}

const TEXTS: Readonly<Record<StoreFailure, string>> = {
  full: "PostgreSQL has no space left",
  locked: "PostgreSQL took too long",
  unreachable: "PostgreSQL cannot be reached",
  failed: "PostgreSQL failed",
};

function storeErrorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  const failure =
    code === undefined ? "unreachable" : (FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? "failed");
  return new StoreError(failure, code === undefined ? TEXTS[failure] : `${TEXTS[failure]}: ${code}`, error);
}
