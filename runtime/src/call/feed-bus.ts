/**
 * Shares feeds among processes. Only one member of a feed polls at a time, and all members receive its
 * results. Without a bus, each process polls for itself.
 */
export interface FeedBus {
  /**
   * Joins a feed for as long as this process watches the feed. The bus may call `member` even before this
   * function returns.
   */
  join(feed: FeedName, member: FeedMember): FeedMembership;
}

/** The description of a feed for a bus. It contains neither credentials nor their owner. */
export interface FeedName {
  /**
   * Identifies the feed: a keyed hash of method, upstream, request and identity, 32 characters of base64url.
   * The hash uses the key of the resume tokens, so processes share feeds only if they share that key.
   */
  readonly key: string;
  /**
   * Whether the feed is polled without credentials. The entries of a feed that is polled with credentials
   * must stay secret.
   */
  readonly isPublic: boolean;
  /** The poll interval until the upstream sets one. */
  readonly intervalMs: number;
}

/** One process's part in a feed. */
export interface FeedMember {
  /**
   * Receives the stored entries of the feed, once and before any other call, oldest first: the newest
   * `window` entry, the `news` entries after it, and the newest `poll` entry. A feed that was never polled
   * has no entries.
   */
  start(entries: readonly Uint8Array[]): void;
  /** Starts polling, until `follow` is called. Entries are published with this fence. */
  lead(fence: bigint): void;
  /** Stops polling immediately, because another member polls or the lease has expired. */
  follow(): void;
  /**
   * Receives an entry of another process. The member validates entries like any other input.
   *
   * @throws FeedEntryInvalid for an invalid entry, which the bus drops and counts
   */
  entry(bytes: Uint8Array): void;
}

/**
 * The kind of an entry, which determines how long a bus stores the entry. A `window` entry is the whole state
 * of the feed: earlier entries may be dropped. A `news` entry adds to the earlier entries. A `poll` entry
 * contains only the time of the last poll: the newest `poll` entry is enough.
 */
export type FeedEntryKind = "window" | "news" | "poll";

/** The membership of a process in a feed, from `join` to `leave`. */
export interface FeedMembership {
  /**
   * Publishes an entry. Resolves to false if the fence is out of date; the process must then stop polling.
   * Never rejects: entries that cannot be sent yet are buffered up to a limit and sent later.
   */
  publish(entry: Uint8Array, fence: bigint, kind: FeedEntryKind): Promise<boolean>;
  /**
   * Sets the poll interval, which determines the lease duration: another member takes over within two
   * intervals.
   */
  interval(ms: number): void;
  /** Ends the membership of this process. The bus no longer calls `member`. */
  leave(): Promise<void>;
}

const NO_ENTRIES: readonly Uint8Array[] = [];

/** The bus of a single process, which always polls and publishes nothing. */
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
