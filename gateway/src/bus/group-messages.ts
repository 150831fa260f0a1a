import type { FeedEntryKind } from "connect-rest-runtime/internal";

/**
 * The maximum number of entry bytes per message. A multiple of 3, so that the concatenated base64 parts are
 * the base64 of the entry.
 */
export const PART_BYTES = 192 * 1024;

/**
 * The number of heartbeat intervals per lease. The lease lapses if no heartbeat arrives during one further
 * interval.
 */
export const BEATS = 3;

/** A part of an entry, in base64 because channels between processes carry JSON. */
export interface EntryPart {
  readonly type: "entry";
  readonly membership: number;
  readonly kind: FeedEntryKind;
  /** The index of the part. Part 0 starts the entry, or restarts it. */
  readonly part: number;
  readonly isLast: boolean;
  readonly data: string;
}

/** A message from a process of the group to the broker. Each process numbers its own memberships. */
export type ToBroker =
  | { readonly type: "join"; readonly membership: number; readonly feed: string; readonly intervalMs: number }
  | { readonly type: "leave"; readonly membership: number }
  /** Sets a new poll interval. */
  | { readonly type: "interval"; readonly membership: number; readonly intervalMs: number }
  /** Asks whether to lead or to follow. */
  | { readonly type: "settle"; readonly membership: number }
  | (EntryPart & { readonly id: number; readonly fence: number })
  /** A heartbeat, which the broker echoes. */
  | { readonly type: "beat" };

/** A message from the broker to a process of the group. */
export type FromBroker =
  | EntryPart
  /** The broker has sent all retained entries of the feed. */
  | { readonly type: "started"; readonly membership: number }
  | { readonly type: "lead"; readonly membership: number; readonly fence: number }
  | { readonly type: "follow"; readonly membership: number }
  /** The result of publishing an entry: false if its fence is outdated. */
  | {
      readonly type: "published";
      readonly membership: number;
      readonly id: number;
      readonly isCurrent: boolean;
    }
  | { readonly type: "beat" };
