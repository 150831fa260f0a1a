/**
 * Shares feeds among processes: of all members of a feed, one at a time polls, and all receive its results.
 * Without a bus, each process polls for itself.
 */
export interface FeedBus {
  /**
   * Joins a feed for as long as this process watches it. `member` may be called even before this function
   * returns.
   */
  join(feed: FeedName, member: FeedMember): FeedMembership;
}

/** The information about a feed that a bus receives: neither credentials nor their owner. */
export interface FeedName {
  /**
   * Identifies the feed: a keyed hash of method, upstream, request and identity, 32 characters of base64url.
   * Its key is the key of the resume tokens, so processes share feeds only if they share that key.
   */
  readonly key: string;
  /** The feed is polled without credentials. Nobody else may read the entries of other feeds. */
  readonly isPublic: boolean;
  /** The poll interval until the upstream sets one. */
  readonly intervalMs: number;
}

/** One process's part in a feed. */
export interface FeedMember {
  /**
   * Receives the stored entries of the feed, once and before any other call: the newest `window` entry, the
   * `news` entries after it, and the newest `poll` entry, oldest first; nothing for a feed that was never
   * polled.
   */
  start(entries: readonly Uint8Array[]): void;
  /** Polls from now on, until `follow`; entries are published with this fence. */
  lead(fence: bigint): void;
  /** Stops polling immediately: another member polls, or the lease was lost. */
  follow(): void;
  /**
   * Receives an entry of another process. Entries are validated like any other input.
   *
   * @throws FeedEntryInvalid for an invalid entry, which the bus drops and counts
   */
  entry(bytes: Uint8Array): void;
}

/**
 * The kind of an entry, which determines how long a bus stores it. A `window` entry is the whole state of the
 * feed: earlier entries may be dropped. A `news` entry adds to the earlier entries. A `poll` entry only has
 * the time of the last poll: the newest one is enough.
 */
export type FeedEntryKind = "window" | "news" | "poll";

/** The membership of a process in a feed, from `join` to `leave`. */
export interface FeedMembership {
  /**
   * Publishes an entry. Returns false if the fence is out of date; the poller then stops. Never rejects:
   * entries that cannot be sent yet are buffered up to a limit and sent later.
   */
  publish(entry: Uint8Array, fence: bigint, kind: FeedEntryKind): Promise<boolean>;
  /**
   * Sets the poll interval. The lease duration follows it, so that another member takes over within two
   * intervals.
   */
  interval(ms: number): void;
  /** Ends the membership of this process. `member` is not called any more. */
  leave(): Promise<void>;
}

const NO_ENTRIES: readonly Uint8Array[] = [];

/** The bus of a single process, which always polls and publishes to nobody. */
export const LOCAL_BUS: FeedBus = {
  join(_feed, member) {
    member.start(NO_ENTRIES);
    member.lead(1n);
    return {
      publish: () => Promise.resolve(true),
      interval: () => undefined,
      leave: () => Promise.resolve(),
    };
  },
};
