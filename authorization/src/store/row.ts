import type { Entry, PlacedEntry } from "./store.ts";

/** A row as a driver returns it. pg returns a bigint as a string. */
export type Row = Readonly<Record<string, unknown>>;

/** Returns the entry of a row. */
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

/** Returns the entry of a row, with its kind and key. */
export function placedEntryOf(row: Row): PlacedEntry {
  return { kind: String(row.kind), key: String(row.key), value: "", ...entryOf(row) };
}
