import { linkTarget } from "connect-rest-codec/internal";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import { aroundItems, feedKeys, itemsOf, pageOf, report } from "../call/messages.ts";
import type { RunningCall } from "../call/running-call.ts";
import type { ReadResponse } from "../response/read-response.ts";
import { linkedRequest } from "../stream/page-link.ts";
import { percentEncode } from "../text/percent-encode.ts";
import { Pacer } from "../time/pacer.ts";
import type { FeedItem } from "./bus-entry.ts";
import { NOT_MODIFIED, requestPage, tagOf } from "./page.ts";

/** The maximum number of items in a feed. Further items are ignored. */
export const MAX_LISTED = 10_000;

/** A page in its last known state. */
interface KnownPage {
  readonly request: RestRequest;
  readonly etag: string | undefined;
  /** Newest first. */
  readonly keys: readonly string[];
  /** The request for the next page. Undefined if there is no next page. */
  readonly next: RestRequest | undefined;
}

/** The input for reading a page. */
interface Reading {
  readonly index: number;
  /** The maximum number of further items to read. */
  readonly room: number;
  readonly isKnown: (key: string) => boolean;
}

/** The items that the pages of a poll list, including items that may be new. */
export interface Listing {
  /** The keys of the items, newest first, without duplicates. */
  readonly keys: readonly string[];
  /** The items that may be new, oldest first. The window decides which of them are late. */
  readonly items: readonly FeedItem[];
  /** The number of pages that were read. */
  readonly pages: number;
  /** Whether all pages of the feed were read. */
  readonly isComplete: boolean;
  /** Whether further items may follow, because the last allowed page has items. */
  readonly isFull: boolean;
}

/**
 * The pages of a feed. Each page has a separate entity tag: pages are ordered by creation, so a late item may
 * change only the second page. Each poll reads all pages.
 */
export class FeedPages {
  private pages: KnownPage[] = [];
  private readonly onResponse: (response: ReadResponse) => void;

  /** @param onResponse called with each response */
  constructor(onResponse: (response: ReadResponse) => void) {
    this.onResponse = onResponse;
  }

  /**
   * Requests pages until a request fails.
   *
   * @param first the request for the first page
   * @param limit the maximum number of pages to request, if some pages must not be requested yet
   * @param isKnown reports whether an item is known and need not be encoded
   * @returns the result, with the error of the failed page if a request failed
   */
  async poll(
    call: RunningCall<PollAdapter>,
    first: RestRequest,
    limit: number,
    isKnown: (key: string) => boolean,
  ): Promise<{ readonly listing: Listing; readonly error?: unknown }> {
    const most = call.adapter.feed?.pages?.max ?? 1;
    const found = new Map<string, FeedItem>();
    const pages: KnownPage[] = [];
    let next: RestRequest | undefined = first;
    let room = MAX_LISTED;
    let failure: { readonly error?: unknown } = {};
    try {
      while (next !== undefined && pages.length < Math.min(limit, most) && room > 0) {
        const reading = {
          index: pages.length,
          room,
          isKnown: (key: string) => isKnown(key) || found.has(key),
        };
        const read = await this.read(call, next, reading);
        for (const item of read.items) found.set(item.key, item);
        pages.push(read.page);
        room -= read.page.keys.length;
        next = read.page.next;
      }
    } catch (error) {
      failure = { error };
    }
    const isComplete = next === undefined || pages.length === most || room <= 0;
    // pages that were not read keep their last known state
    this.pages = isComplete ? pages : [...pages, ...this.pages.slice(pages.length)];
    const listing = {
      keys: [...new Set(pages.flatMap(({ keys }) => keys))],
      items: [...found.values()].reverse(),
      pages: pages.length,
      isComplete,
      isFull: room <= 0 || (pages[most - 1]?.keys.length ?? 0) > 0,
    };
    return { listing, ...failure };
  }

  private async read(
    call: RunningCall<PollAdapter>,
    request: RestRequest,
    { index, room, isKnown }: Reading,
  ): Promise<{ readonly page: KnownPage; readonly items: readonly FeedItem[] }> {
    const before = this.pages[index];
    const known = before !== undefined && isSame(before.request, request) ? before : undefined;
    const etag = known && mayGrow(known, index, call.adapter) ? undefined : known?.etag;
    const response = await requestPage(call, request, etag);
    this.onResponse(response);
    if (response.status === NOT_MODIFIED && known !== undefined) {
      const page = { ...known, keys: known.keys.slice(0, room), etag: tagOf(response) ?? known.etag };
      return { page, items: [] };
    }
    const { keys, items } = await newItems(call, response, room, isKnown);
    const next = this.next(call, request, response, index, keys.length);
    return { page: { request, etag: tagOf(response), keys, next }, items };
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
    // page numbers do not show which page is the last
    return count === 0 || parameter === undefined ? undefined : numbered(request, parameter, index + 2);
  }
}

/** Returns the keys on a page, and the items that are not known. */
async function newItems(
  call: RunningCall<PollAdapter>,
  response: ReadResponse,
  room: number,
  isKnown: (key: string) => boolean,
): Promise<{ readonly keys: readonly string[]; readonly items: readonly FeedItem[] }> {
  const page = pageOf(call, response, [call.adapter.items]);
  report(call, aroundItems(call, page, response));
  const keys = feedKeys(call, page, room);
  const items = new Map<string, FeedItem>();
  const pacer = new Pacer(call.context.signal);
  for (const [index, key] of keys.entries()) {
    if (isKnown(key) || items.has(key)) continue;
    await pacer.items();
    // items are decoded one by one, so that an invalid item is skipped together with its key
    const [bytes] = await itemsOf(call, page, response, [index]);
    if (bytes !== undefined) items.set(key, { key, bytes, late: false });
  }
  return { keys, items: [...items.values()] };
}

/**
 * Reports whether an unchanged page may now have a next page. Neither its tag nor a 304 shows that, so a full
 * last page is read again.
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
