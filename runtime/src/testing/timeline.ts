import type { FetchFunction, FetchInit, FetchResponse } from "../http/fetch-function.ts";

/** A request for a page, with the ids that the timeline returned. */
export interface TimelineRequest {
  readonly path: string;
  readonly page: number;
  readonly status: number;
  readonly tag: string | undefined;
  readonly authorization: string | undefined;
  /** The ids on the page. Empty if the response is a failure. */
  readonly ids: readonly number[];
}

/** A failure in place of a response. */
export interface TimelineFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The pages that fail. Default: every page. */
  readonly page?: number | readonly number[];
}

/**
 * An upstream with one feed, newest first, whose pages are connected by `Link` headers. Provides a `fetch`
 * function that responds immediately, as the test specifies.
 */
export class Timeline {
  /** The ids in order of creation, oldest first. */
  ids: number[] = [];
  /** The maximum number of listed items. */
  depth: number;
  pageSize: number;
  interval: number | undefined;
  /** The number of items at the end of a page that the next page repeats. */
  overlap = 0;
  /** The path in links. Default: the path of the request. */
  linkedPath: string | undefined;
  /** The failure that replaces the response while this is set. */
  failure: TimelineFailure | undefined;
  /** Called before each response, for changes between pages. */
  onRequest: ((page: number) => void) | undefined;
  /** While this promise is pending, responses are delayed. */
  gate: Promise<void> | undefined;
  readonly requests: TimelineRequest[] = [];

  constructor(pageSize = 2, pages = 3) {
    this.pageSize = pageSize;
    this.depth = pageSize * pages;
  }

  /** The currently listed ids, newest first. */
  get listed(): number[] {
    return this.ids.slice(-this.depth).reverse();
  }

  /** The number of pages with items. At least one. */
  get pages(): number {
    return Math.max(1, Math.ceil((this.listed.length - this.overlap) / (this.pageSize - this.overlap)));
  }

  /** Adds an event that is older than the given number of listed events. */
  add(id: number, before = 0): void {
    this.ids.splice(this.ids.length - Math.min(before, this.ids.length), 0, id);
  }

  readonly fetch: FetchFunction = async (address, init) => {
    const url = new URL(address);
    const page = Number(url.searchParams.get("page") ?? 1);
    this.onRequest?.(page);
    if (this.gate !== undefined) await this.gate;
    init.signal.throwIfAborted();
    const response = this.respond(url, page, init);
    const path = url.pathname + url.search;
    const ids = response.status < 400 ? this.pageOf(page) : [];
    const authorization = headerOf(init, "authorization");
    this.requests.push({
      path,
      page,
      status: response.status,
      tag: headerOf(init, "if-none-match"),
      authorization,
      ids,
    });
    return response;
  };

  private pageOf(page: number): number[] {
    const from = (page - 1) * (this.pageSize - this.overlap);
    return this.listed.slice(from, from + this.pageSize);
  }

  private respond(url: URL, page: number, init: FetchInit): FetchResponse {
    const { failure } = this;
    if (failure !== undefined && [failure.page ?? page].flat().includes(page)) {
      return { status: failure.status, headers: Object.entries(failure.headers ?? {}), body: bytesOf("{}") };
    }
    const listed = this.pageOf(page);
    const tag = `W/"${page}:${listed.join(",")}"`;
    const headers: Array<[string, string]> = [["etag", tag]];
    if (this.interval !== undefined) headers.push(["x-poll-interval", String(this.interval)]);
    if (headerOf(init, "if-none-match") === tag) return { status: 304, headers };
    if (page < this.pages) {
      url.pathname = this.linkedPath ?? url.pathname;
      url.searchParams.set("page", String(page + 1));
      headers.push(["link", `<${url.href}>; rel="next"`]);
    }
    headers.push(["content-type", "application/json"]);
    return {
      status: 200,
      headers,
      body: bytesOf(JSON.stringify(listed.map((id) => ({ id, name: `n${id}` })))),
    };
  }
}

function headerOf({ headers }: FetchInit, name: string): string | undefined {
  return headers.find(([key]) => key.toLowerCase() === name)?.[1];
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
