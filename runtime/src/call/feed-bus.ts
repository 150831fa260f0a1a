/**
 * Shares feeds among processes: of all that take part in a feed, one at a time polls, and all get what it
 * finds. Without one, each process polls for itself.
 */
export interface FeedBus {
  /**
   * Takes part in a feed for as long as it is watched here. `member` is called from then on,
   * also before this returns.
   */
  join(feed: FeedName, member: FeedMember): FeedMembership;
}

/** What a bus may know of a feed: neither credentials nor whose they are. */
export interface FeedName {
  /**
   * Tells the feed from others: a keyed hash of method, upstream, request and identity, 32 characters of
   * base64url. The key is that of the resume tokens, so that processes share feeds only where they share it.
   */
  readonly key: string;
  /** It is polled without credentials. The entries of other feeds are for nobody else to read. */
  readonly isPublic: boolean;
  /** How long polls are apart before the upstream has said so. */
  readonly intervalMs: number;
}

/** One process's part in a feed. */
export interface FeedMember {
  /**
   * What the bus keeps of the feed, before anything else and once: the newest `window` entry, the `news`
   * behind it, and the newest `poll`, oldest first; nothing for a feed that nobody has polled.
   */
  start(entries: readonly Uint8Array[]): void;
  /** Poll from now on, until `follow`; entries are published with this fence. */
  lead(fence: bigint): void;
  /** Another one polls, or the lease was lost: stop polling at once. */
  follow(): void;
  /**
   * An entry of another process. It is input like any other.
   *
   * @throws FeedEntryInvalid for what is no entry, which the bus drops and counts
   */
  entry(bytes: Uint8Array): void;
}

/**
 * What a bus keeps of an entry. `window` is all that the feed holds: entries before it may be forgotten.
 * `news` adds to the entries before it. `poll` says only when the last poll was: the newest one is enough.
 */
export type FeedEntryKind = "window" | "news" | "poll";

/** A place in a feed, from `join` to `leave`. */
export interface FeedMembership {
  /**
   * Publishes an entry. False when the fence is out of date; whoever polls then stops. It never rejects: what
   * cannot be sent now is kept within a limit and sent later.
   */
  publish(entry: Uint8Array, fence: bigint, kind: FeedEntryKind): Promise<boolean>;
  /** Polls are now so far apart: leases follow, so that another one takes over within two intervals. */
  interval(ms: number): void;
  /** Ends the part of this process. `member` is called no more. */
  leave(): Promise<void>;
}

const NO_ENTRIES: readonly Uint8Array[] = [];

/** The bus of a process on its own: it always polls, and nobody else is told. */
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
