import type { Entry, PlacedEntry } from "./store.ts";

/** A row as a driver returns it; pg has a bigint as a text. */
export type Row = Readonly<Record<string, unknown>>;

/** The entry of a row. */
export function entryOf(row: Row | undefined): Entry | undefined {
  if (row === undefined) return undefined;
  const { value, expires_at: expiresAt, grant_id: grant, session_id: session } = row;
  return {
    value: String(value),
    ...(expiresAt === null ? {} : { expiresAt: Number(expiresAt) }),
    ...(typeof grant === "string" ? { grant } : {}),
    ...(typeof session === "string" ? { session } : {}),
  };
}

/** The same with the place of the row. */
export function placedEntryOf(row: Row): PlacedEntry {
  return { kind: String(row.kind), key: String(row.key), value: "", ...entryOf(row) };
}
