import type { FeedStart } from "../adapter/adapter.ts";
import type { Batch, BatchWriter } from "./batch-writer.ts";
import type { TokenIds } from "./token-ids.ts";
import type { FeedWindow } from "./window.ts";

/** The start position that a watcher requests. */
export interface StartPoint extends FeedStart {
  /** The decoded token of the watcher. */
  readonly ids: TokenIds | undefined;
}

/** The first messages of a watcher. */
export interface Start {
  readonly batches: readonly Batch[];
  /** The keys in the watcher's token that the feed has not discovered yet. */
  readonly ahead: TokenIds | undefined;
}

/**
 * Returns the first messages of a watcher at the current position. Returns undefined while the item that the
 * request names may be on a page that could not be read.
 */
export function startAt(
  { ids, after, backlog }: StartPoint,
  window: FeedWindow,
  writer: BatchWriter,
): Start | undefined {
  const isPartial = window.reach !== undefined;
  if (ids !== undefined) {
    if (isPartial && !window.reaches((key) => ids.has(key))) return undefined;
    const ahead = ids.without(window.seenKeys);
    const { items, isCut } = window.missing((key) => ids.has(key), window.keysOfStarts);
    const isApart = items.length > 0 && !window.keysOfStarts.some((key) => ids.has(key));
    return { batches: writer.batches(items, isCut || (isApart && window.isFull), ahead), ahead };
  }
  if (after !== undefined) {
    if (isPartial && !window.reaches((key) => key === after)) return undefined;
    const newer = window.newerThan(after);
    const { items, isCut } = window.missing(
      (key) => newer !== undefined && !newer.has(key),
      window.keysOfStarts,
    );
    // no item before the start item is late; if the start item is no longer listed, the newer items are
    // unknown
    return { batches: writer.batches(items, isCut || newer === undefined), ahead: undefined };
  }
  const { items, isCut } = window.missing(() => backlog !== true);
  return { batches: writer.batches(items, isCut || isPartial), ahead: undefined };
}
