import type { Store } from "./store.ts";

/** Where state is kept. */
export type StorePlace = { readonly file: string } | { readonly postgresUrl: string };

/**
 * Opens a store, and brings it to the newest version. Rejects with a StoreError where that is not possible.
 */
export async function openStore(place: StorePlace): Promise<Store> {
  // one of the two, and that only where there is state
  if ("file" in place) {
    const { SqliteStore } = await import("./sqlite-store.ts");
    return new SqliteStore({ file: place.file });
  }
  const { PostgresStore } = await import("./postgres-store.ts");
  const store = new PostgresStore({ url: place.postgresUrl });
  try {
    await store.connect();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}
