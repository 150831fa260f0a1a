import type { Store } from "../store/store.ts";
import { withLock } from "../store/with-lock.ts";

/** The store of a process that a test kills. */
export interface Mortal extends Store {
  /** Stops all further access to the store, and all responses. */
  die(): void;
}

/**
 * Returns a store as one process uses it, until the process is killed.
 *
 * @param operations the number of operations that the process may begin before it is killed. Default:
 *   unlimited
 */
export function mortal(store: Store, operations = Number.POSITIVE_INFINITY): Mortal {
  let left = operations;
  const kill = () => {
    left = 0;
  };
  const dying: Mortal = new Proxy(store as Mortal, {
    get: (_, name) => {
      if (name === "die") return kill;
      // the operations on the lock count as well
      if (name === "withLock") {
        return <T>(lock: string, waitMs: number, work: () => Promise<T>) =>
          withLock(dying, lock, waitMs, work, Date.now);
      }
      const found: unknown = Reflect.get(store, name);
      if (typeof found !== "function") return found;
      return (...values: unknown[]): unknown => {
        left -= 1;
        return left < 0 ? new Promise(() => undefined) : found.apply(store, values);
      };
    },
  });
  return dying;
}
