import type { Store } from "./store.ts";

/** Where state is stored. */
export type StorePlace = { readonly file: string } | { readonly postgresUrl: string };

/** Opens a store, and migrates it to the newest version. Rejects with a StoreError on failure. */
export async function openStore(place: StorePlace): Promise<Store> {
  // import only the driver that is used
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
