import { linkTarget } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import { itemsOf, pageOf } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import { keysOf } from "../response/item-key.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { linkedRequest } from "../stream/page-link.ts";
import { percentEncode } from "../text/percent-encode.ts";
import type { FeedItem } from "./bus-entry.ts";
import { NOT_MODIFIED, requestPage, tagOf } from "./page.ts";

/** How many items a feed lists at most; those behind are not looked at. */
export const MAX_LISTED = 10_000;
/** The items that wait for the rest of their poll are at most so many bytes, beside those of one poll. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** A page as it was last read. */
interface KnownPage {
  readonly request: RestRequest;
  readonly etag: string | undefined;
  /** Newest first. */
  readonly keys: readonly string[];
  /** The request for the page behind it; undefined where there is none. */
  readonly next: RestRequest | undefined;
}

/** How a page is read. */
interface Reading {
  readonly index: number;
  /** How many of its items are looked at. */
  readonly room: number;
  readonly isKnown: (key: string) => boolean;
}

/** What a feed lists, and its items that may be new. */
export interface Listing {
  /** Newest first, each once. */
  readonly keys: readonly string[];
  /** Oldest first. Whether they are late is for the window to say. */
  readonly items: readonly FeedItem[];
  /** Every page was read, now or before. */
  readonly isComplete: boolean;
  /** The last page that is asked for has items: more may have been behind it. */
  readonly isFull: boolean;
}

/**
 * The pages of a feed, each with its own entity tag: pages are ordered by creation, so that a late item may
 * change the second page alone. Together they are one poll.
 */
export class FeedPages {
  private pages: KnownPage[] = [];
  private readonly onResponse: (response: ReadResponse) => void;
  /** What was read so far, for items that are on no page any more when a poll has failed in the middle. */
  private found = new Map<string, FeedItem>();

  /** @param onResponse is told of each response */
  constructor(onResponse: (response: ReadResponse) => void) {
    this.onResponse = onResponse;
  }

  /**
   * Asks every page. What is read stays read where a later page fails.
   *
   * @param first the request of the first page
   * @param isKnown whether an item need not be written
   * @returns whether every page was read; with the error of the one that was not
   */
  async poll(
    call: RunningCall<PollAdapter>,
    first: RestRequest,
    isKnown: (key: string) => boolean,
  ): Promise<{ readonly error?: unknown }> {
    const { feed } = call.adapter;
    const most = feed?.pages?.max ?? 1;
    let request: RestRequest | undefined = first;
    const pages: KnownPage[] = [];
    let room = MAX_LISTED;
    this.boundWaiting();
    try {
      for (let index = 0; request !== undefined && index < most && room > 0; index++) {
        const page: KnownPage = await this.read(call, request, { index, room, isKnown });
        pages.push(page);
        room -= page.keys.length;
        request = page.next;
      }
    } catch (error) {
      // the pages behind stay as they were read before
      this.pages = [...pages, ...this.pages.slice(pages.length)];
      return { error };
    }
    this.pages = pages;
    return {};
  }

  /** What was listed when each page was last read, and the items that came since this was asked last. */
  listing(most: number, isComplete: boolean): Listing {
    const keys = [...new Set(this.pages.flatMap((page) => page.keys))];
    const order = new Map(keys.map((key, index) => [key, index]));
    // what has moved off the pages before they were all read came before what is there
    const rank = (key: string) => order.get(key) ?? keys.length;
    const items = [...this.found.values()].sort((a, b) => rank(b.key) - rank(a.key));
    this.found.clear();
    const last = this.pages[most - 1];
    const count = this.pages.reduce((sum, page) => sum + page.keys.length, 0);
    const isFull = count >= MAX_LISTED || (last !== undefined && last.keys.length > 0);
    return { keys, items, isComplete, isFull };
  }

  /** A feed whose first poll is never done starts over before what was read of it is too much. */
  private boundWaiting(): void {
    let size = 0;
    for (const { bytes } of this.found.values()) size += bytes.length;
    if (this.found.size <= MAX_LISTED && size <= MAX_WAITING_BYTES) return;
    this.found.clear();
    this.pages = [];
  }

  private async read(
    call: RunningCall<PollAdapter>,
    request: RestRequest,
    { index, room, isKnown }: Reading,
  ): Promise<KnownPage> {
    const before = this.pages[index];
    const known = before !== undefined && isSame(before.request, request) ? before : undefined;
    const etag = known && mayGrow(known, index, call.adapter) ? undefined : known?.etag;
    const response = await requestPage(call, request, etag);
    this.onResponse(response);
    if (response.status === NOT_MODIFIED && known !== undefined) {
      return { ...known, keys: known.keys.slice(0, room), etag: tagOf(response) ?? known.etag };
    }
    const keys = await this.itemsOf(call, response, room, isKnown);
    const next = this.next(call, request, response, index, keys.length);
    return { request, etag: tagOf(response), keys, next };
  }

  /** Keeps the items of a page that are not known. */
  private async itemsOf(
    call: RunningCall<PollAdapter>,
    response: ReadResponse,
    room: number,
    isKnown: (key: string) => boolean,
  ): Promise<string[]> {
    const page = pageOf(call, response, [call.adapter.items]);
    const keys = keysOf(call.adapter, page, room);
    for (const [index, key] of keys.entries()) {
      if (isKnown(key) || this.found.has(key)) continue;
      // one by one: an item that is none is left out, and takes its key with it
      const [bytes] = await itemsOf(call, page, response, [index]);
      if (bytes !== undefined) this.found.set(key, { key, bytes, late: false });
    }
    return keys;
  }

  private next(
    call: RunningCall<PollAdapter>,
    request: RestRequest,
    response: ReadResponse,
    index: number,
    count: number,
  ): RestRequest | undefined {
    const { link, parameter } = call.adapter.feed?.pages ?? {};
    if (link !== undefined) {
      const target = () => linkTarget(response.header("link"), link) || undefined;
      return linkedRequest(call, request, "PAGE_LINK_REFUSED", target);
    }
    // numbers do not say where the pages end
    return count === 0 || parameter === undefined ? undefined : numbered(request, parameter, index + 2);
  }
}

/**
 * Whether a page may have come to be behind a page that has not changed. Its tag says nothing of that, and a
 * 304 has no links: a last page that is full is read again.
 */
function mayGrow({ keys, next }: KnownPage, index: number, { feed }: PollAdapter): boolean {
  const { size, max = 1 } = feed?.pages ?? {};
  return next === undefined && size !== undefined && keys.length >= size && index + 1 < max;
}

function numbered(request: RestRequest, parameter: string, page: number): RestRequest {
  const others = request.queryString
    .split("&")
    .filter((pair) => pair !== "" && !new URLSearchParams(`?${pair}`).has(parameter));
  return { ...request, queryString: [...others, `${percentEncode(parameter)}=${page}`].join("&") };
}

function isSame(a: RestRequest, b: RestRequest): boolean {
  return a.path === b.path && a.queryString === b.queryString;
}
