import type { FeedStart } from "../adapter/adapter.ts";
import type { Batch, BatchWriter } from "./batch-writer.ts";
import type { TokenIds } from "./token-ids.ts";
import type { FeedWindow } from "./window.ts";

/** Where a watcher wants to start. */
export interface StartPoint extends FeedStart {
  /** The content of its token. */
  readonly ids: TokenIds | undefined;
}

/** What a watcher starts with. */
export interface Start {
  readonly batches: readonly Batch[];
  /** What its token has and the feed does not know. */
  readonly ahead: TokenIds | undefined;
}

/**
 * What a watcher starts with at the position of the window; undefined while what its request names may be on
 * a page that could not be read.
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
    // nothing in front of it is late; and where it is not listed any more, nobody knows what was behind it
    return { batches: writer.batches(items, isCut || newer === undefined), ahead: undefined };
  }
  const { items, isCut } = window.missing(() => backlog !== true);
  return { batches: writer.batches(items, isCut || isPartial), ahead: undefined };
}
