import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { SCHEMA } from "./schema.ts";

/** The state of the sandbox in SQLite: in memory, or in a file that remains after the process ends. */
export class Database {
  private readonly connection: DatabaseSync;
  private readonly statements = new Map<string, StatementSync>();
  private depth = 0;
  private kept = false;

  constructor(file: string) {
    this.connection = new DatabaseSync(file, { timeout: 5000 });
    if (file !== ":memory:") this.connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    this.connection.exec(SCHEMA);
  }

  private prepare(sql: string): StatementSync {
    const known = this.statements.get(sql);
    if (known) return known;
    const fresh = this.connection.prepare(sql);
    this.statements.set(sql, fresh);
    return fresh;
  }

  /** Returns the first row, or `undefined`. Does not check the type of the row. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values) as Row | undefined;
  }

  all<Row>(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.prepare(sql).all(...values) as Row[];
  }

  /** Runs a statement, and returns the number of rows that it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  /** Returns the column `n` of the first row, or 0 if there is no row. */
  count(sql: string, ...values: SQLInputValue[]): number {
    return this.get<{ n: number | null }>(sql, ...values)?.n ?? 0;
  }

  /** Inserts a row. `undefined` becomes NULL. */
  insert(table: string, row: Record<string, SQLInputValue | undefined>): void {
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    const values = names.map((name) => row[name] ?? null);
    this.run(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${marks})`, ...values);
  }

  /** Runs `work` in one transaction. An error rolls it back. Nested calls join the outer transaction. */
  transaction<T>(work: () => T): T {
    if (this.depth > 0) return work();
    this.connection.exec("BEGIN IMMEDIATE");
    this.depth++;
    try {
      const result = work();
      this.connection.exec("COMMIT");
      return result;
    } catch (error) {
      this.connection.exec("ROLLBACK");
      throw error;
    } finally {
      this.depth--;
    }
  }

  private tables(): string[] {
    const rows = this.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'");
    return rows.map(({ name }) => name);
  }

  /** Empties every table. */
  clear(): void {
    this.transaction(() => {
      for (const name of this.tables()) this.run(`DELETE FROM ${name}`);
    });
  }

  /** Copies every table in memory, for `restore`. May be called only once. */
  keep(): void {
    this.connection.exec("ATTACH ':memory:' AS kept");
    for (const name of this.tables()) {
      this.connection.exec(`CREATE TABLE kept.${name} AS SELECT * FROM main.${name}`);
    }
    this.kept = true;
  }

  /** Restores every table from the copy. Returns false if there is no copy. */
  restore(): boolean {
    if (!this.kept) return false;
    this.transaction(() => {
      for (const name of this.tables()) {
        this.run(`DELETE FROM main.${name}`);
        this.run(`INSERT INTO main.${name} SELECT * FROM kept.${name}`);
      }
    });
    return true;
  }

  close(): void {
    this.connection.close();
  }
}
