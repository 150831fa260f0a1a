import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Entry, Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

/** The kind of rows that are locks. */
const LOCK_KIND = "lock";

/** How often a lock that is taken is tried, in milliseconds. */
const TRY_MS = 25;

/** Locks of a store as rows with a lease: the holder's id, until it expires. */
export async function withLock<T>(
  store: Pick<Store, "update">,
  name: string,
  leaseMs: number,
  work: () => Promise<T>,
  now: () => number,
): Promise<T> {
  const holder = randomUUID();
  await acquire(store, name, leaseMs, holder, now);
  try {
    return await work();
  } finally {
    // what cannot be given back expires
    await store
      .update(LOCK_KIND, name, (entry) => (entry?.value === holder ? undefined : entry))
      .catch(() => undefined);
  }
}

/**
 * One that ends far beyond a lease is left from before the clock was set back:
 * its holder had to end long ago, or is dead.
 */
function isHeld({ expiresAt = 0 }: Entry, leaseMs: number, now: number): boolean {
  return expiresAt - now <= 2 * leaseMs;
}

async function acquire(
  store: Pick<Store, "update">,
  name: string,
  leaseMs: number,
  holder: string,
  now: () => number,
): Promise<void> {
  const until = performance.now() + 2 * leaseMs;
  for (;;) {
    const lock = await store.update(LOCK_KIND, name, (entry) => {
      return entry !== undefined && isHeld(entry, leaseMs, now())
        ? entry
        : { value: holder, expiresAt: now() + leaseMs };
    });
    if (lock?.value === holder) return;
    if (performance.now() > until) throw new StoreError("locked", `the lock ${name} is held by others`);
    await sleep(TRY_MS);
  }
}
