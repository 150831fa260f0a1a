import type { FeedEntryKind } from "connect-rest-runtime/internal";

/**
 * The maximum number of entry bytes per message; a multiple of 3, so that the concatenated base64 parts are
 * the base64 of the entry.
 */
export const PART_BYTES = 192 * 1024;

/**
 * The number of heartbeat intervals per lease. The lease lapses after one more interval than this without a
 * heartbeat.
 */
export const BEATS = 3;

/** A part of an entry, in base64 because channels between processes carry JSON. */
export interface EntryPart {
  readonly type: "entry";
  readonly membership: number;
  readonly kind: FeedEntryKind;
  /** Starts at 0; the first part restarts the entry. */
  readonly part: number;
  readonly isLast: boolean;
  readonly data: string;
}

/** From a process of the group to its broker. Each process numbers its own memberships. */
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

/** From the broker to a process of the group. */
export type FromBroker =
  | EntryPart
  /** All kept entries of the feed have been sent. */
  | { readonly type: "started"; readonly membership: number }
  | { readonly type: "lead"; readonly membership: number; readonly fence: number }
  | { readonly type: "follow"; readonly membership: number }
  /** The result for an entry: false if its fence is outdated. */
  | {
      readonly type: "published";
      readonly membership: number;
      readonly id: number;
      readonly isCurrent: boolean;
    }
  | { readonly type: "beat" };
