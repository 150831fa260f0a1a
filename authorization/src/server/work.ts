import { AsyncLocalStorage } from "node:async_hooks";
import type { Change, Entry, Store } from "../store/store.ts";

/** How often an exchange is run again that has been overtaken by another. */
const TRIES = 5;

/** Whose work it is. */
export interface WorkContext {
  /** The session that grants of this work are bound to. */
  readonly session?: string | undefined;
  /** The browser that flows of this work are bound to, and without which they are not found. */
  readonly browser?: string | undefined;
}

/**
 * What one exchange reads and changes. Its changes are made together at its end, so that a code is never
 * redeemed without its tokens, nor a refresh token replaced without the next one: whatever fails or dies in
 * between has changed nothing.
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
   * @param expected what has to be there until the end; default: what an earlier change of this place expects
   */
  put(kind: string, key: string, entry: Entry | undefined, expected?: Change["expected"]): void {
    const before = this.changes.get(placeOf(kind, key));
    this.changes.set(placeOf(kind, key), { kind, key, entry, expected: before?.expected ?? expected });
  }

  /** Makes the changes only if there is something at this place until then. */
  require(kind: string, key: string): void {
    const place = placeOf(kind, key);
    if (!this.changes.has(place)) this.changes.set(place, { kind, key, entry: "unchanged", expected: "any" });
  }

  /** Resolves with whether the changes were made. */
  commit(): Promise<boolean> {
    const changes = [...this.changes.values()];
    return changes.length === 0 ? Promise.resolve(true) : this.store.commit(changes);
  }
}

const current = new AsyncLocalStorage<Work>();

/** The work that the running code belongs to. */
export function currentWork(): Work {
  const work = current.getStore();
  if (work === undefined) {
    throw new Error("the store of the authorization server is used outside of an exchange");
  }
  return work;
}

/**
 * Runs an exchange, and again where another has overtaken it. What it has changed is there when this
 * resolves, unless `isLost` says of the result that the exchange has failed half way.
 * Rejects with a StoreError.
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
