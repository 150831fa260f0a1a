import { AsyncLocalStorage } from "node:async_hooks";
import type { Change, Entry, Store } from "../store/store.ts";

/** The maximum number of attempts for an exchange that conflicts with other exchanges. */
const TRIES = 5;

/** The context of an exchange. */
export interface WorkContext {
  /** The session to which grants made in this work are bound. */
  readonly session?: string | undefined;
  /** The browser to which flows made in this work are bound. Other browsers cannot find these flows. */
  readonly browser?: string | undefined;
}

/**
 * The reads and writes of one exchange. All changes are made together at the end of the exchange. A code is
 * thus never redeemed without tokens being issued, and a refresh token is never used without a successor.
 * After a failure or crash, nothing has changed.
 */
export class Work {
  private readonly store: Store;
  private readonly changes = new Map<string, Change>();
  readonly context: WorkContext;

  constructor(store: Store, context: WorkContext = {}) {
    this.store = store;
    this.context = context;
  }

  async get(kind: string, key: string): Promise<Entry | undefined> {
    const change = this.changes.get(placeOf(kind, key));
    if (change !== undefined && change.entry !== "unchanged") return change.entry;
    return this.store.get(kind, key);
  }

  /**
   * @param expected the condition on the entry at the end; default: the condition of an earlier change of
   *   this entry
   */
  put(kind: string, key: string, entry: Entry | undefined, expected?: Change["expected"]): void {
    const before = this.changes.get(placeOf(kind, key));
    this.changes.set(placeOf(kind, key), { kind, key, entry, expected: before?.expected ?? expected });
  }

  /** Makes the commit conditional on this entry still existing. */
  require(kind: string, key: string): void {
    const place = placeOf(kind, key);
    if (!this.changes.has(place)) this.changes.set(place, { kind, key, entry: "unchanged", expected: "any" });
  }

  /** Makes the changes. Resolves to whether they were made. */
  commit(): Promise<boolean> {
    const changes = [...this.changes.values()];
    return changes.length === 0 ? Promise.resolve(true) : this.store.commit(changes);
  }
}

const current = new AsyncLocalStorage<Work>();

/** Returns the work of the current asynchronous context. */
export function currentWork(): Work {
  const work = current.getStore();
  if (work === undefined) {
    throw new Error("the store of the authorization server is used outside of an exchange");
  }
  return work;
}

/**
 * Runs an exchange, and retries it after a conflict. When the promise resolves, the changes have been stored,
 * unless `isLost` reports that the exchange failed halfway. Rejects with a StoreError.
 */
export async function runWork<T>(
  store: Store,
  run: () => Promise<T>,
  options: WorkContext & { readonly isLost?: (result: T) => boolean } = {},
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const work = new Work(store, options);
    const result = await current.run(work, run);
    if (options.isLost?.(result) === true || (await work.commit())) return result;
    if (tries === TRIES) throw new Error("an exchange was overtaken by others time and again");
  }
}

function placeOf(kind: string, key: string): string {
  return `${kind}\n${key}`;
}
