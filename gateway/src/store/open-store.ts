import { PostgresStore } from "./postgres-store.ts";
import { SqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";

/** Where state is kept. */
export type StorePlace = { readonly file: string } | { readonly postgresUrl: string };

/** Opens a store, and brings it to the newest version. Rejects with a StoreError where that is not possible. */
export async function openStore(place: StorePlace): Promise<Store> {
  if ("file" in place) return new SqliteStore({ file: place.file });
  const store = new PostgresStore({ url: place.postgresUrl });
  try {
    await store.connect();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
