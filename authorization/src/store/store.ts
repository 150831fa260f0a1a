/** What is stored under a kind and a key. */
export interface Entry {
  /** A text of its owner's making. What must be read back and is secret is sealed; see `sealed.ts`. */
  readonly value: string;
  /** In milliseconds since the epoch; from then on the entry is as if it were not there. Default: never. */
  readonly expiresAt?: number | undefined;
  /** The grant that it belongs to; it goes with it. Default: none. */
  readonly grant?: string | undefined;
  /**
   * The session of a person at a third party that it belongs to. It goes with it,
   * and so does the rest of its grant. Default: none.
   */
  readonly session?: string | undefined;
}

/** An entry with its place. */
export interface PlacedEntry extends Entry {
  readonly kind: string;
  readonly key: string;
}

/** One of several changes that are made together. */
export interface Change {
  readonly kind: string;
  readonly key: string;
  /** What is there from then on: an entry, undefined for none, or what was there before. */
  readonly entry: Entry | "unchanged" | undefined;
  /**
   * What has to be there for any of the changes to be made: any entry, none, or one of this value. Default:
   * whatever.
   */
  readonly expected?: "any" | "none" | { readonly value: string } | undefined;
}

/** To whom entries belong. */
export type Owner = { readonly grant: string } | { readonly session: string };

/**
 * State that outlives the process and is shared by replicas: registered clients, grants, tokens, sessions.
 * Every operation is atomic, also among processes, and durable once it has resolved. Rejects with StoreErrors
 * alone; the store recovers by itself.
 *
 * Kinds are short names, one for each concept. Keys of rows that stand for a secret (tokens, codes, cookies)
 * are their SHA-256 hashes, see `hashOf`, so that who reads the store can use none of them.
 */
export interface Store {
  get(kind: string, key: string): Promise<Entry | undefined>;
  /** Which of these keys have an entry: at most some thousands of keys. */
  existing(kind: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds or replaces an entry. */
  put(kind: string, key: string, entry: Entry): Promise<void>;
  /** Removes an entry and returns it: of any number of callers at the same time, one gets it. */
  take(kind: string, key: string): Promise<Entry | undefined>;
  /**
   * Replaces an entry by what `change` makes of it, with nobody else in between; undefined stands for no
   * entry. `change` may run several times, and must do nothing else. Resolves with the new entry.
   */
  update(
    kind: string,
    key: string,
    change: (entry: Entry | undefined) => Entry | undefined,
  ): Promise<Entry | undefined>;
  /**
   * Makes all changes, or none of them where one finds something else than it expects. Resolves with whether
   * they were made. At most one change for a place.
   */
  commit(changes: readonly Change[]): Promise<boolean>;
  /** Resolves with whether there was one. */
  delete(kind: string, key: string): Promise<boolean>;
  /**
   * Removes all that belongs to a grant, or to a session with all its grants, at once.
   * Resolves with their number.
   */
  deleteBy(owner: Owner): Promise<number>;
  /** What belongs to a grant or a session itself, at most a thousand entries. */
  listBy(owner: Owner): Promise<readonly PlacedEntry[]>;
  /**
   * Runs work that only one caller in all processes may do at a time, e.g. a refresh, for however long it
   * takes. Others wait, at most for `waitMs`, and are rejected with `locked` then. Who dies loses the lock
   * after `LEASE_MS`.
   */
  withLock<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T>;
  /** Removes entries that have expired, at most some thousands. Resolves with their number. */
  deleteExpired(): Promise<number>;
  /** Resolves when what runs has ended. */
  close(): Promise<void>;
}

/** Whether what is there is what a change expects. */
export function isExpected(entry: Entry | undefined, { expected }: Change): boolean {
  if (expected === undefined) return true;
  if (expected === "any") return entry !== undefined;
  return expected === "none" ? entry === undefined : entry?.value === expected.value;
}
