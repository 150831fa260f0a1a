/** The content stored under a kind and a key. */
export interface Entry {
  /**
   * A string in a format that the caller chooses. Secrets that must be read back are sealed; see `sealed.ts`.
   */
  readonly value: string;
  /** The expiry, in milliseconds since the epoch; an expired entry counts as absent. Default: never. */
  readonly expiresAt?: number | undefined;
  /** The grant to which the entry belongs. The entry is removed together with the grant. Default: none. */
  readonly grant?: string | undefined;
  /**
   * The session to which the entry belongs. The entry is removed together with the session, which also
   * removes its grant. Default: none.
   */
  readonly session?: string | undefined;
}

/** An entry with its kind and key. */
export interface PlacedEntry extends Entry {
  readonly kind: string;
  readonly key: string;
}

/** A change that is part of a commit. */
export interface Change {
  readonly kind: string;
  readonly key: string;
  /** The new content: an entry, undefined to remove it, or no change. */
  readonly entry: Entry | "unchanged" | undefined;
  /**
   * The condition that this entry must meet for any of the changes to be made: the entry exists, does not
   * exist, or has this value. Default: no condition.
   */
  readonly expected?: "any" | "none" | { readonly value: string } | undefined;
}

/** The grant or session to which entries belong. */
export type Owner = { readonly grant: string } | { readonly session: string };

/**
 * State that outlives the process and that replicas share: registered clients, grants, tokens, sessions.
 * Every operation is atomic, even across processes, and durable once it has resolved. Operations reject only
 * with StoreErrors; the store recovers without intervention.
 *
 * Kinds are short names, one for each concept. If a row represents a secret (a token, code or cookie), its
 * key is a SHA-256 hash, see `hashOf`, so that the content of the store reveals no usable secret.
 */
export interface Store {
  get(kind: string, key: string): Promise<Entry | undefined>;
  /** Returns the given keys that have an entry. Accepts at most a few thousand keys. */
  existing(kind: string, keys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Adds or replaces an entry. */
  put(kind: string, key: string, entry: Entry): Promise<void>;
  /**
   * Removes an entry and returns it. If several callers take it concurrently, only one of them gets the
   * entry.
   */
  take(kind: string, key: string): Promise<Entry | undefined>;
  /**
   * Replaces an entry with the result of `change`, atomically; undefined means no entry. `change` may run
   * several times, and must have no side effects. Resolves to the new entry.
   */
  update(
    kind: string,
    key: string,
    change: (entry: Entry | undefined) => Entry | undefined,
  ): Promise<Entry | undefined>;
  /**
   * Makes all changes, or none if the condition of any change does not hold. Resolves to whether the changes
   * were made. There may be at most one change for each kind and key.
   */
  commit(changes: readonly Change[]): Promise<boolean>;
  /** Removes an entry. Resolves to whether the entry existed. */
  delete(kind: string, key: string): Promise<boolean>;
  /**
   * Atomically removes everything that belongs to a grant, or to a session with all its grants. Resolves to
   * the number of removed entries.
   */
  deleteBy(owner: Owner): Promise<number>;
  /** Returns the entries that directly belong to a grant or a session, at most a thousand. */
  listBy(owner: Owner): Promise<readonly PlacedEntry[]>;
  /**
   * Runs work that only one caller in all processes may do at a time, such as a refresh. The work may take
   * any amount of time. Other callers wait for at most `waitMs`, and are then rejected with `locked`. If the
   * process that holds the lock dies, it loses the lock after `LEASE_MS`.
   */
  withLock<T>(name: string, waitMs: number, work: () => Promise<T>): Promise<T>;
  /** Removes expired entries, at most a few thousand. Resolves to the number of removed entries. */
  deleteExpired(): Promise<number>;
  /** Resolves when the running operations have ended. */
  close(): Promise<void>;
}

/** Reports whether an entry meets the condition of a change. */
export function isExpected(entry: Entry | undefined, { expected }: Change): boolean {
  if (expected === undefined) return true;
  if (expected === "any") return entry !== undefined;
  return expected === "none" ? entry === undefined : entry?.value === expected.value;
}
