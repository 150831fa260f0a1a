import type { FeedEntryKind } from "connect-rest-runtime/internal";

/**
 * How many bytes of an entry are in one message at most; a multiple of 3, so that the parts in base64, put
 * together, are the entry in base64.
 */
export const PART_BYTES = 192 * 1024;

/**
 * A lease is divided into so many intervals; it is over once more of them than that
 * have passed without a sign of life.
 */
export const BEATS = 3;

/** A part of an entry: JSON is what channels between processes carry, so bytes are in base64. */
export interface EntryPart {
  readonly type: "entry";
  readonly membership: number;
  readonly kind: FeedEntryKind;
  /** From 0 on; the first part begins the entry anew. */
  readonly part: number;
  readonly isLast: boolean;
  readonly data: string;
}

/** From a process of the group to its broker. Seats are numbered by each process for itself. */
export type ToBroker =
  | { readonly type: "join"; readonly membership: number; readonly feed: string; readonly intervalMs: number }
  | { readonly type: "leave"; readonly membership: number }
  /** How far polls are apart from now on. */
  | { readonly type: "interval"; readonly membership: number; readonly intervalMs: number }
  /** Asks whether to lead or to follow. */
  | { readonly type: "settle"; readonly membership: number }
  | (EntryPart & { readonly id: number; readonly fence: number })
  /** The process is alive. The broker sends the same back. */
  | { readonly type: "beat" };

/** From the broker to a process of the group. */
export type FromBroker =
  | EntryPart
  /** All that is kept of the feed has been sent. */
  | { readonly type: "started"; readonly membership: number }
  | { readonly type: "lead"; readonly membership: number; readonly fence: number }
  | { readonly type: "follow"; readonly membership: number }
  /** What became of an entry: false where its fence is out of date. */
  | {
      readonly type: "published";
      readonly membership: number;
      readonly id: number;
      readonly isCurrent: boolean;
    }
  | { readonly type: "beat" };
