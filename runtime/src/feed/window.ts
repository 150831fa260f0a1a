import type { FeedItem } from "./bus-entry.ts";
import { type Listing, MAX_LISTED } from "./pages.ts";
import { SeenKeys } from "./seen-keys.ts";
import { MAX_TOKEN_IDS } from "./token-ids.ts";

/** The maximum size, in bytes, of the items that are kept for watchers that start with all listed items. */
const MAX_BYTES = 8 * 1024 * 1024;
/**
 * The maximum number of unlisted keys in a token. Such keys are needed because some items disappear for only
 * one poll.
 */
const MAX_GONE = 100;

/** The changes that a poll has found. */
export interface News {
  /** The items that were unknown, oldest first. */
  readonly items: readonly FeedItem[];
  /** The new items, and known items that had left the feed and have returned. */
  readonly found: readonly FeedItem[];
  /** Whether more items were added than the feed lists. */
  readonly gap: boolean;
  /** Whether the list of items has changed. */
  readonly changed: boolean;
}

/** The known part of a feed. */
export interface Extent {
  /** Whether the feed lists its maximum number of items. */
  readonly isFull: boolean;
  /** See FeedWindow. */
  readonly reach: number | undefined;
}

/** The items that a watcher lacks. */
export interface Missing {
  /** Oldest first. */
  readonly items: readonly FeedItem[];
  /** Whether some items are missing because they are no longer kept. */
  readonly isCut: boolean;
}

/** The known items that a feed lists now, and the keys of items that it listed before. */
export class FeedWindow {
  /** Whether the content of the feed is known. */
  isKnown = false;
  /** Whether the feed lists its maximum number of items. */
  isFull = false;
  /**
   * The number of newest listed keys that are known to have no gap. Undefined if the last poll has read every
   * page.
   */
  reach: number | undefined;
  private listed: readonly string[] = [];
  /**
   * The keys that left the list in the last poll, if that poll was the first to read every page. Watchers
   * that waited for this poll have not received these items.
   */
  private left: readonly string[] = [];
  /**
   * The items that are listed or have left the list. The oldest are dropped if the total size exceeds the
   * maximum.
   */
  private items: ReadonlyMap<string, Uint8Array> = new Map();
  /** The keys of items that were dropped from `items` because of the maximum size. */
  private cut: ReadonlySet<string> = new Set();
  private readonly seen = new SeenKeys();

  /** Reports whether an item was seen before. */
  has(key: string): boolean {
    return this.seen.has(key);
  }

  /** Reports whether a listed item is kept and need not be read again. */
  keeps(key: string): boolean {
    return this.has(key) && (this.items.has(key) || this.cut.has(key));
  }

  /** All remembered keys. */
  get seenKeys(): Iterable<string> {
    return this.seen.all;
  }

  /** Reports whether a key is among the newest keys, which are known to have no gap. */
  reaches(isPoint: (key: string) => boolean): boolean {
    return this.listed.slice(0, this.reach).some(isPoint);
  }

  /** The keys of the listed items, newest first. */
  get keys(): readonly string[] {
    return this.listed;
  }

  /** The keys of items that a watcher may lack if it starts from a token or an id, newest first. */
  get keysOfStarts(): readonly string[] {
    return this.left.length === 0 ? this.listed : [...this.listed, ...this.left];
  }

  /** Applies the pages that a poll of this process has read. */
  read({ keys: onPages, items, isComplete, isFull }: Listing): News {
    // the items of pages that could not be read stay listed for new watchers
    const keys = isComplete ? onPages : [...new Set([...onPages, ...this.listed])].slice(0, MAX_LISTED);
    const late = this.unseenBehind(keys);
    const marked = items.map((item) => (late.has(item.key) ? { ...item, late: true } : item));
    const isApart = this.isKnown && !isComplete && isDisjoint(onPages, this.listed);
    const news = isComplete
      ? this.apply(keys, marked, { isFull, reach: undefined })
      : this.apply(keys, marked, { isFull: this.isFull, reach: this.reachOf(onPages) });
    // items on the unread pages may leave the feed before their page can be read
    return { ...news, gap: news.gap || (isApart && news.items.length > 0) };
  }

  /**
   * Applies the current list.
   *
   * @param listed keys, newest first, without duplicates
   * @param items the items that may be new
   */
  apply(listed: readonly string[], items: readonly FeedItem[], { isFull, reach }: Extent): News {
    const changed =
      reach !== this.reach ||
      listed.length !== this.listed.length ||
      listed.some((key, index) => key !== this.listed[index]);
    const news = items.filter(({ key }) => !this.has(key));
    const isApart = this.isKnown && !listed.some((key) => this.has(key));
    const bytes = new Map([...this.items, ...items.map((item) => [item.key, item.bytes] as const)]);
    this.left = this.reach !== undefined && reach === undefined ? without(this.listed, listed) : [];
    this.isKnown = true;
    this.isFull = isFull;
    this.reach = reach;
    this.listed = listed;
    this.keep(this.keysOfStarts, bytes);
    this.seen.see(
      listed,
      news.map(({ key }) => key),
    );
    return { items: news, found: items, gap: isApart && isFull && news.length > 0, changed };
  }

  /** Returns the items with these keys, by default the listed keys, that a watcher does not know. */
  missing(isKnown: (key: string) => boolean, keys = this.listed): Missing {
    const items: FeedItem[] = [];
    let [late, isCut] = [false, false];
    // keys are newest first, so an unknown item after a known one is late
    for (const key of keys) {
      const bytes = this.items.get(key);
      if (isKnown(key)) {
        late = true;
      } else if (bytes !== undefined) {
        items.push({ key, bytes, late });
      } else if (this.cut.has(key)) {
        isCut = true;
      }
    }
    return { items: items.reverse(), isCut };
  }

  /** Returns the keys that are newer than a key, or undefined if the key is not listed. */
  newerThan(key: string): ReadonlySet<string> | undefined {
    const keys = this.keysOfStarts;
    const index = keys.indexOf(key);
    return index < 0 ? undefined : new Set(keys.slice(0, index));
  }

  /** Yields the keys for a token: first the listed keys, then the most recently seen keys. */
  *tokenKeys(pending: ReadonlySet<string> | undefined): Generator<string, undefined> {
    for (const key of this.listed) if (pending?.has(key) !== true) yield key;
    let left = Math.min(MAX_TOKEN_IDS - this.listed.length, MAX_GONE);
    // avoids work on large pages, where every message has a separate token
    if (left <= 0) return;
    const listed = new Set(this.listed);
    for (const key of [...this.seen.all].reverse()) {
      if (left <= 0) return;
      if (listed.has(key) || pending?.has(key) === true) continue;
      left--;
      yield key;
    }
  }

  /** Returns the keys that were not seen before and follow a key that was. */
  private unseenBehind(keys: readonly string[]): ReadonlySet<string> {
    const first = keys.findIndex((key) => this.has(key));
    return new Set(first < 0 ? [] : keys.slice(first).filter((key) => !this.has(key)));
  }

  /** Returns the number of newest keys without a gap, after a poll that could read only these keys. */
  private reachOf(onPages: readonly string[]): number {
    const read = new Set(onPages);
    const above = this.listed.slice(0, this.reach);
    const below = this.listed.slice(above.length);
    if (onPages.length > 0 && isDisjoint(onPages, this.listed)) return read.size;
    for (const key of below.some((each) => read.has(each)) ? this.listed : above) read.add(key);
    return Math.min(read.size, MAX_LISTED);
  }

  private keep(listed: readonly string[], bytes: ReadonlyMap<string, Uint8Array>): void {
    const items = new Map<string, Uint8Array>();
    const cut = new Set<string>();
    let size = 0;
    for (const key of listed) {
      const item = bytes.get(key);
      if (item === undefined) {
        if (this.cut.has(key)) cut.add(key);
        continue;
      }
      size += item.length;
      if (size > MAX_BYTES) {
        cut.add(key);
      } else {
        items.set(key, item);
      }
    }
    this.items = items;
    this.cut = cut;
  }
}

function without(some: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return some.filter((key) => !known.has(key));
}

function isDisjoint(some: readonly string[], others: readonly string[]): boolean {
  const known = new Set(others);
  return !some.some((key) => known.has(key));
}
