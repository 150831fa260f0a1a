import type { FeedItem } from "./bus-entry.ts";
import { type Listing, MAX_LISTED } from "./pages.ts";
import { SeenKeys } from "./seen-keys.ts";
import { MAX_TOKEN_IDS } from "./token-ids.ts";

/** How many bytes of items are kept for those who want everything that is listed. */
const MAX_BYTES = 8 * 1024 * 1024;
/** How many keys of items that are listed no more a token holds: some are gone for one poll only. */
const MAX_GONE = 100;

/** What a poll has brought. */
export interface News {
  /** Items that were not known, oldest first. */
  readonly items: readonly FeedItem[];
  /** These, and known ones that were not kept: they had left the feed, and have come back. */
  readonly found: readonly FeedItem[];
  /** More happened than the feed lists. */
  readonly gap: boolean;
  /** The feed lists other items than before. */
  readonly changed: boolean;
}

/** How much of a feed is known. */
export interface Extent {
  /** The feed lists as much as it ever does. */
  readonly isFull: boolean;
  /** See FeedWindow. */
  readonly reach: number | undefined;
}

/** Items that somebody lacks. */
export interface Missing {
  /** Oldest first. */
  readonly items: readonly FeedItem[];
  /** Some are not kept any more. */
  readonly isCut: boolean;
}

/** What a feed lists, as far as it is known, and what it has listed before. */
export class FeedWindow {
  /** Whether it is known what the feed lists. */
  isKnown = false;
  /** The feed lists as much as it ever does. */
  isFull = false;
  /**
   * How many of the keys that are listed were read without a hole between them, from the newest on; undefined
   * where the last poll has read every page.
   */
  reach: number | undefined;
  private listed: readonly string[] = [];
  /**
   * The keys that left the list with the last poll, which was the first one to read every page. A watcher
   * that waited for that poll has not received their items.
   */
  private left: readonly string[] = [];
  /** The items that are listed or left, but for the oldest where all are too many bytes. */
  private items: ReadonlyMap<string, Uint8Array> = new Map();
  /** The oldest of them, where all are too many bytes. */
  private cut: ReadonlySet<string> = new Set();
  private readonly seen = new SeenKeys();

  /** Whether an item was seen before. */
  has(key: string): boolean {
    return this.seen.has(key);
  }

  /** Whether an item that is listed need not be read. */
  keeps(key: string): boolean {
    return this.has(key) && (this.items.has(key) || this.cut.has(key));
  }

  /** The keys of everything that is remembered. */
  get seenKeys(): Iterable<string> {
    return this.seen.all;
  }

  /** Whether something listed between the newest item and this point may have been missed. */
  reaches(isPoint: (key: string) => boolean): boolean {
    return this.listed.slice(0, this.reach).some(isPoint);
  }

  /** The keys of what is listed, newest first. */
  get keys(): readonly string[] {
    return this.listed;
  }

  /** The keys of what a start by a token or an id may lack, newest first. */
  get keysOfStarts(): readonly string[] {
    return this.left.length === 0 ? this.listed : [...this.listed, ...this.left];
  }

  /** Takes over what a poll of this process has read. */
  read({ keys: onPages, items, isComplete, isFull }: Listing): News {
    // who starts now gets also what was on pages that could not be read
    const keys = isComplete ? onPages : [...new Set([...onPages, ...this.listed])].slice(0, MAX_LISTED);
    const late = this.unseenBehind(keys);
    const marked = items.map((item) => (late.has(item.key) ? { ...item, late: true } : item));
    const isApart = this.isKnown && !isComplete && isDisjoint(onPages, this.listed);
    const news = isComplete
      ? this.apply(keys, marked, { isFull, reach: undefined })
      : this.apply(keys, marked, { isFull: this.isFull, reach: this.reachOf(onPages) });
    // what is between them may have left the feed by the time its page can be read
    return { ...news, gap: news.gap || (isApart && news.items.length > 0) };
  }

  /**
   * Takes over what is listed now.
   *
   * @param listed keys, newest first, each once
   * @param items those that may be new
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

  /** What somebody does not know of what is listed, or of other keys. */
  missing(isKnown: (key: string) => boolean, keys = this.listed): Missing {
    const items: FeedItem[] = [];
    let [late, isCut] = [false, false];
    // newest first: what is behind something known came later than that
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

  /** What is behind a key is older; undefined where it is not there. */
  newerThan(key: string): ReadonlySet<string> | undefined {
    const keys = this.keysOfStarts;
    const index = keys.indexOf(key);
    return index < 0 ? undefined : new Set(keys.slice(0, index));
  }

  /** The keys that a token holds: what is listed, then what was seen last. */
  *tokenKeys(pending: ReadonlySet<string> | undefined): Generator<string, undefined> {
    for (const key of this.listed) if (pending?.has(key) !== true) yield key;
    let left = Math.min(MAX_TOKEN_IDS - this.listed.length, MAX_GONE);
    // every message of a large page has a token
    if (left <= 0) return;
    const listed = new Set(this.listed);
    for (const key of [...this.seen.all].reverse()) {
      if (left <= 0) return;
      if (listed.has(key) || pending?.has(key) === true) continue;
      left--;
      yield key;
    }
  }

  /** The keys behind one that was seen before, of items that were not. */
  private unseenBehind(keys: readonly string[]): ReadonlySet<string> {
    const first = keys.findIndex((key) => this.has(key));
    return new Set(first < 0 ? [] : keys.slice(first).filter((key) => !this.has(key)));
  }

  /** How far is known without a hole what is listed, after a poll that could read these keys only. */
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
