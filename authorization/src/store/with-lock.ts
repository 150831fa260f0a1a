import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

/** The kind of rows that represent locks. */
const LOCK_KIND = "lock";

/** The interval at which a waiting process tries to get a lock, in milliseconds. */
const TRY_MS = 25;

/** The interval at which a holder extends its lease, in milliseconds. */
const RENEW_MS = 500;

/**
 * The time after which the holder of an unchanged row counts as dead, in milliseconds: four missed extensions
 * of the lease.
 */
export const LEASE_MS = 2500;

/** How long a row for which nobody waits is kept, in milliseconds. */
const FORGET_MS = 60_000;

/**
 * Implements the locks of a store as rows. A row contains the ID of the holder, and a number that changes
 * while the holder is alive. A waiting process measures for how long the row has not changed, so it does not
 * depend on the clock of another process.
 */
export async function withLock<T>(
  store: Pick<Store, "update">,
  name: string,
  waitMs: number,
  work: () => Promise<T>,
  now: () => number,
): Promise<T> {
  const holder = randomUUID();
  const row = (beat: number) => ({ value: `${holder} ${beat}`, expiresAt: now() + FORGET_MS });
  await acquire(store, name, waitMs, row(0));
  let beats = 0;
  const renew = setInterval(() => {
    beats += 1;
    const next = row(beats);
    // if an extension fails, the next one may still be in time
    store
      .update(LOCK_KIND, name, (entry) => (entry?.value.startsWith(holder) === true ? next : entry))
      .catch(() => undefined);
  }, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renew);
    // a lock that cannot be released expires
    await store
      .update(LOCK_KIND, name, (entry) => (entry?.value.startsWith(holder) === true ? undefined : entry))
      .catch(() => undefined);
  }
}

async function acquire(
  store: Pick<Store, "update">,
  name: string,
  waitMs: number,
  mine: { readonly value: string; readonly expiresAt: number },
): Promise<void> {
  const until = performance.now() + waitMs;
  let seen: string | undefined;
  let seenAt = performance.now();
  for (;;) {
    const isDead = performance.now() - seenAt >= LEASE_MS;
    const lock = await store.update(LOCK_KIND, name, (entry) => {
      return entry === undefined || (isDead && entry.value === seen) ? mine : entry;
    });
    if (lock?.value === mine.value) return;
    if (lock?.value !== seen) [seen, seenAt] = [lock?.value, performance.now()];
    if (performance.now() > until) throw new StoreError("locked", `the lock ${name} is held by others`);
    await sleep(TRY_MS);
  }
}
