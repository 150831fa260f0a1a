import type { FeedItem } from "./bus-entry.ts";
import { MAX_TOKEN_IDS } from "./token-ids.ts";

/** How many keys are remembered beside those that are listed. */
const REMEMBERED = 4096;
/** How many bytes of items are kept for those who want everything that is listed. */
const MAX_BYTES = 8 * 1024 * 1024;
/** How many keys of items that are listed no more a token holds: some are gone for one poll only. */
const MAX_GONE = 100;

/** What a poll has brought. */
export interface News {
  /** Items that were not known, oldest first. */
  readonly items: readonly FeedItem[];
  /** None of what was known is listed any more. */
  readonly isApart: boolean;
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
  private listed: readonly string[] = [];
  /** The items that are listed, but for the oldest where all are too many bytes. */
  private items: ReadonlyMap<string, Uint8Array> = new Map();
  /** The oldest of them, where all are too many bytes. */
  private cut: ReadonlySet<string> = new Set();
  /** Least recently seen first. */
  private readonly known = new Set<string>();

  /** Whether an item was seen before. */
  has(key: string): boolean {
    return this.known.has(key);
  }

  /** The keys of everything that is remembered. */
  get knownKeys(): Iterable<string> {
    return this.known;
  }

  /** The keys of what is listed, newest first. */
  get keys(): readonly string[] {
    return this.listed;
  }

  /** Whether the keys that are listed differ from those. */
  differs(listed: readonly string[]): boolean {
    return listed.length !== this.listed.length || listed.some((key, index) => key !== this.listed[index]);
  }

  /**
   * Takes over what is listed now.
   *
   * @param listed keys, newest first, each once
   * @param items those that may be new
   */
  apply(listed: readonly string[], items: readonly FeedItem[]): News {
    const isApart = !listed.some((key) => this.known.has(key));
    const news = items.filter(({ key }) => !this.known.has(key));
    const bytes = new Map([...this.items, ...news.map((item) => [item.key, item.bytes] as const)]);
    this.listed = listed;
    this.keep(listed, bytes);
    this.remember(listed, news);
    return { items: news, isApart };
  }

  /** What is listed and not known to somebody. */
  missing(isKnown: (key: string) => boolean): Missing {
    const items: FeedItem[] = [];
    let [late, isCut] = [false, false];
    // newest first: what is behind something known came later than that
    for (const key of this.listed) {
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

  /** What is behind a key is older; undefined where it is not listed. */
  newerThan(key: string): ReadonlySet<string> | undefined {
    const index = this.listed.indexOf(key);
    return index < 0 ? undefined : new Set(this.listed.slice(0, index));
  }

  /** The keys that a token holds: what is listed, then what was seen last. */
  *tokenKeys(isPending: (key: string) => boolean): Generator<string, undefined> {
    const listed = new Set(this.listed);
    for (const key of this.listed) if (!isPending(key)) yield key;
    let left = Math.min(MAX_TOKEN_IDS - listed.size, MAX_GONE);
    for (const key of [...this.known].reverse()) {
      if (left <= 0) return;
      if (listed.has(key) || isPending(key)) continue;
      left--;
      yield key;
    }
  }

  private remember(listed: readonly string[], news: readonly FeedItem[]): void {
    for (const key of [...news.map((item) => item.key), ...listed.toReversed()]) {
      // seen again is seen last
      this.known.delete(key);
      this.known.add(key);
    }
    for (const key of this.known) {
      if (this.known.size <= REMEMBERED + listed.length) return;
      this.known.delete(key);
    }
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
