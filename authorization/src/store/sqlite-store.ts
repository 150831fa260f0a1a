import { chmodSync, closeSync, existsSync, openSync, statSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { entryOf, placedEntryOf, type Row } from "./row.ts";
import { migrateSqlite } from "./sqlite-migrations.ts";
import { type Change, type Entry, isExpected, type Owner, type PlacedEntry, type Store } from "./store.ts";
import { StoreError } from "./store-error.ts";
import { withLock } from "./with-lock.ts";

export interface SqliteStoreOptions {
  /**
   * The path of the file. A missing file is created with mode 0600; its folder must exist. With `:memory:`,
   * all data is lost when the process ends.
   */
  readonly file: string;
  /** The maximum time that an operation waits for a locked file, in milliseconds. Default: 3000. */
  readonly waitMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

const WAIT_MS = 3000;

/** How long SQLite itself waits for a lock, in milliseconds. Such a wait blocks this process. */
const BLOCKING_MS = 5;

/** The delay before the next attempt at a locked file, in milliseconds. */
const RETRY_MS = 10;

const LISTED = 1000;

/**
 * The maximum number of expired rows that are removed in one step, so that other operations need not wait
 * long.
 */
const SWEPT = 5000;

/** SQLite result codes without their extensions (https://www.sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

const OF_OWNER = {
  grant: "grant_id = ?",
  session: "session_id = ?",
} as const;

/**
 * A store in an SQLite file: for one process, or for several on one machine. With a write-ahead log (WAL), a
 * killed process loses no stored data, and the file stays consistent after a crash of the machine.
 */
export class SqliteStore implements Store {
  private readonly file: string;
  private readonly waitMs: number;
  private readonly now: () => number;
  private opened: Opened | undefined;
  private isClosed = false;

  /** @throws StoreError if the file cannot be opened, or has a newer version */
  constructor({ file, waitMs = WAIT_MS, now = Date.now }: SqliteStoreOptions) {
    this.file = file;
    this.waitMs = waitMs;
    this.now = now;
    if (file !== ":memory:") createFile(file);
    this.opened = this.open();
  }

  get(kind: string, key: string): Promise<Entry | undefined> {
    return this.attempt(({ get }) => entryOf(get.get(kind, key, this.now())));
  }

  existing(kind: string, keys: readonly string[]): Promise<ReadonlySet<string>> {
    return this.attempt(({ existing }) => {
      const rows = existing.all(kind, JSON.stringify(keys), this.now());
      return new Set(rows.map(({ key }) => String(key)));
    });
  }

  put(kind: string, key: string, entry: Entry): Promise<void> {
    return this.attempt((opened) => insert(opened, kind, key, entry));
  }

  take(kind: string, key: string): Promise<Entry | undefined> {
    return this.attempt(({ take }) => {
      const row = take.get(kind, key);
      return row !== undefined && isAlive(row, this.now()) ? entryOf(row) : undefined;
    });
  }

  update(
    kind: string,
    key: string,
    change: (entry: Entry | undefined) => Entry | undefined,
  ): Promise<Entry | undefined> {
    return this.attempt((opened) =>
      inTransaction(opened.database, () => {
        const before = entryOf(opened.get.get(kind, key, this.now()));
        const after = change(before);
        if (after === undefined) {
          opened.remove.run(kind, key);
        } else if (after !== before) {
          insert(opened, kind, key, after);
        }
        return after;
      }),
    );
  }

  commit(changes: readonly Change[]): Promise<boolean> {
    return this.attempt((opened) =>
      inTransaction(opened.database, () => {
        const now = this.now();
        const isGood = changes.every((change) => {
          return (
            change.expected === undefined ||
            isExpected(entryOf(opened.get.get(change.kind, change.key, now)), change)
          );
        });
        if (!isGood) return false;
        for (const { kind, key, entry } of changes) {
          if (entry === "unchanged") continue;
          if (entry === undefined) {
            opened.remove.run(kind, key);
          } else {
            insert(opened, kind, key, entry);
          }
        }
        return true;
      }),
    );
  }

  delete(kind: string, key: string): Promise<boolean> {
    return this.attempt(({ remove }) => Number(remove.run(kind, key).changes) > 0);
  }

  deleteBy(owner: Owner): Promise<number> {
    return this.attempt(({ removeGrant, removeSession }) => {
      const { changes } =
        "grant" in owner ? removeGrant.run(owner.grant) : removeSession.run(owner.session, owner.session);
      return Number(changes);
    });
  }

  listBy(owner: Owner): Promise<readonly PlacedEntry[]> {
    return this.attempt(({ listGrant, listSession }) => {
      const now = this.now();
      const rows = "grant" in owner ? listGrant.all(owner.grant, now) : listSession.all(owner.session, now);
      return rows.map(placedEntryOf);
    });
  }

  withLock<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T> {
    return withLock(this, name, waitMs, work, this.now);
  }

  deleteExpired(): Promise<number> {
    return this.attempt(({ sweep }) => Number(sweep.run(this.now()).changes));
  }

  close(): Promise<void> {
    this.isClosed = true;
    this.shut();
    return Promise.resolve();
  }

  /** Retries an operation while another process locks the file, without blocking this process. */
  private async attempt<T>(work: (opened: Opened) => T): Promise<T> {
    const until = performance.now() + this.waitMs;
    for (;;) {
      try {
        this.opened ??= this.reopen();
        this.checkFile(this.opened);
        return work(this.opened);
      } catch (error) {
        const code = codeOf(error);
        if (code !== BUSY && code !== LOCKED) throw this.failed(error);
        if (performance.now() > until) {
          throw new StoreError("locked", `${this.file} is locked by another process`, error);
        }
      }
      await sleep(RETRY_MS);
    }
  }

  /** If the file may have been replaced, makes the next operation open it again. */
  private failed(error: unknown): StoreError {
    if (error instanceof StoreError) return error;
    const code = codeOf(error);
    if (code === FULL) return new StoreError("full", `no space is left for ${this.file}`, error);
    if (code === READONLY || code === IOERR || code === CANTOPEN || code === NOTADB) {
      this.shut();
      return new StoreError("unreachable", `${this.file} cannot be used`, error);
    }
    return new StoreError("failed", `${this.file} failed`, error);
  }

  /** Rejects a write to a file that has been deleted. The write would be lost when the process ends. */
  private checkFile({ inode }: Opened): void {
    if (inode === undefined || inodeOf(this.file) === inode) return;
    this.shut();
    throw new StoreError("unreachable", `${this.file} is gone, or another file has taken its place`);
  }

  private reopen(): Opened {
    if (this.isClosed) throw new StoreError("unreachable", `${this.file} is closed`);
    // do not create a new file: it would be empty, and the old file may return
    if (!existsSync(this.file)) throw new StoreError("unreachable", `${this.file} is gone`);
    return this.open();
  }

  private open(): Opened {
    try {
      const database = new DatabaseSync(this.file, { timeout: BLOCKING_MS });
      return { ...prepare(database, this.waitMs), inode: inodeOf(this.file) };
    } catch (error) {
      throw this.failed(error);
    }
  }

  private shut(): void {
    try {
      this.opened?.database.close();
    } catch {
      // the file is unusable, which explains the original error
    }
    this.opened = undefined;
  }
}

interface Opened extends Statements {
  /** The inode of the open file; undefined for a database in memory. */
  readonly inode: number | undefined;
}

interface Statements {
  readonly database: DatabaseSync;
  readonly get: StatementSync;
  readonly existing: StatementSync;
  readonly put: StatementSync;
  readonly take: StatementSync;
  readonly remove: StatementSync;
  readonly removeGrant: StatementSync;
  readonly removeSession: StatementSync;
  readonly listGrant: StatementSync;
  readonly listSession: StatementSync;
  readonly sweep: StatementSync;
}

function prepare(database: DatabaseSync, waitMs: number): Statements {
  // at the start another process may be migrating the file; later, operations must not block
  database.exec(`PRAGMA busy_timeout = ${waitMs}`);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  migrateSqlite(database);
  database.exec(`PRAGMA busy_timeout = ${BLOCKING_MS}`);
  const alive = "(expires_at IS NULL OR expires_at > ?)";
  const columns = "kind, key, value, expires_at, grant_id, session_id";
  return {
    database,
    get: database.prepare(`SELECT ${columns} FROM entries WHERE kind = ? AND key = ? AND ${alive}`),
    existing: database.prepare(
      `SELECT key FROM entries WHERE kind = ? AND key IN (SELECT value FROM json_each(?)) AND ${alive}`,
    ),
    put: database.prepare(`INSERT OR REPLACE INTO entries(${columns}) VALUES (?, ?, ?, ?, ?, ?)`),
    take: database.prepare(`DELETE FROM entries WHERE kind = ? AND key = ? RETURNING ${columns}`),
    remove: database.prepare("DELETE FROM entries WHERE kind = ? AND key = ?"),
    removeGrant: database.prepare(`DELETE FROM entries WHERE ${OF_OWNER.grant}`),
    removeSession: database.prepare(
      `DELETE FROM entries WHERE ${OF_OWNER.session} OR grant_id IN (SELECT grant_id FROM entries WHERE ${OF_OWNER.session})`,
    ),
    listGrant: database.prepare(
      `SELECT ${columns} FROM entries WHERE ${OF_OWNER.grant} AND ${alive} LIMIT ${LISTED}`,
    ),
    listSession: database.prepare(
      `SELECT ${columns} FROM entries WHERE ${OF_OWNER.session} AND ${alive} LIMIT ${LISTED}`,
    ),
    sweep: database.prepare(
      `DELETE FROM entries WHERE (kind, key) IN (SELECT kind, key FROM entries WHERE expires_at <= ? LIMIT ${SWEPT})`,
    ),
  };
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

function insert({ put }: Statements, kind: string, key: string, entry: Entry): void {
  const { value, expiresAt, grant = null, session = null } = entry;
  // SQLite could not return a larger integer exactly, and such an entry practically never expires
  const time = expiresAt === undefined || expiresAt > Number.MAX_SAFE_INTEGER ? null : expiresAt;
  put.run(kind, key, value, time, grant, session);
}

function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // if the disk is full, SQLite has already ended the transaction
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function isAlive({ expires_at: expiresAt }: Row, now: number): boolean {
  return typeof expiresAt !== "number" || expiresAt > now;
}

function createFile(file: string): void {
  try {
    closeSync(openSync(file, "a", 0o600));
    // other users may be able to read an existing file
    chmodSync(file, 0o600);
  } catch (error) {
    throw new StoreError("unreachable", `${file} cannot be written: ${String(error)}`, error);
  }
}

/** Returns the SQLite result code without its extension. */
function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
