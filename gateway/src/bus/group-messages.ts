import type { FeedEntryKind } from "connect-rest";

/**
 * How many bytes of an entry are in one message at most; a multiple of 3, so that the parts of an entry in base64 are that of the
 * whole.
 */
export const PART_BYTES = 192 * 1024;

/** The largest entry, in bytes. */
export const MAX_ENTRY_BYTES = 16 * 1024 * 1024;

/** After so many times without a sign of life within a lease, the lease is over. */
export const BEATS = 3;

/** A part of an entry: JSON is what channels between processes carry, so bytes are in base64. */
export interface EntryPart {
  readonly type: "entry";
  readonly seat: number;
  readonly kind: FeedEntryKind;
  /** From 0 on; the first part begins the entry anew. */
  readonly part: number;
  readonly isLast: boolean;
  readonly data: string;
}

/** From a process of the group to its broker. Seats are numbered by each process for itself. */
export type ToBroker =
  | { readonly type: "join"; readonly seat: number; readonly feed: string; readonly intervalMs: number }
  | { readonly type: "leave"; readonly seat: number }
  /** Polls are now so far apart. */
  | { readonly type: "interval"; readonly seat: number; readonly intervalMs: number }
  /** Which of the two is it: lead or follow? */
  | { readonly type: "settle"; readonly seat: number }
  | (EntryPart & { readonly id: number; readonly fence: number })
  /** The process is alive. It is answered by the same. */
  | { readonly type: "beat" };

/** From the broker to a process of the group. */
export type FromBroker =
  | EntryPart
  /** What is kept of the feed was sent. */
  | { readonly type: "started"; readonly seat: number }
  | { readonly type: "lead"; readonly seat: number; readonly fence: number }
  | { readonly type: "follow"; readonly seat: number }
  /** What became of an entry: false where its fence is out of date. */
  | { readonly type: "published"; readonly seat: number; readonly id: number; readonly isCurrent: boolean }
  | { readonly type: "beat" };
