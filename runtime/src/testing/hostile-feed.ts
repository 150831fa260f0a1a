import { setImmediate } from "node:timers/promises";
import type { FetchFunction } from "../http/fetch-function.ts";

/** The content of a page. */
export interface HostilePage {
  /** The ids of the items, newest first. An id may occur several times. */
  readonly ids: readonly number[];
  readonly tag?: string | undefined;
  /** The number of the page to which this page links as the next one. */
  readonly link?: number | undefined;
  readonly interval?: string | undefined;
  readonly status?: number | undefined;
}

/**
 * An upstream with a feed that breaks all rules: each page has the content that the test sets, whatever the
 * request.
 */
export class HostileFeed {
  /** The pages. A page that is missing here is sent without items. */
  pages: readonly HostilePage[] = [];
  /** Whether the upstream accepts requests without responding. */
  isSilent = false;
  readonly requests: Array<{ readonly page: number; readonly tag: string | undefined }> = [];

  /** Waits until this many requests have arrived. */
  async asked(count: number): Promise<void> {
    while (this.requests.length < count) await setImmediate();
  }

  readonly fetch: FetchFunction = async (address, { headers, signal }) => {
    const page = Number(new URL(address).searchParams.get("page") ?? 1);
    this.requests.push({ page, tag: headers.find(([name]) => name === "if-none-match")?.[1] });
    if (this.isSilent) return await new Promise((_, reject) => whenAborted(signal, reject));
    const { ids, tag, link, interval, status = 200 } = this.pages[page - 1] ?? { ids: [] };
    const given: Array<[string, string]> = [["content-type", "application/json"]];
    if (tag !== undefined) given.push(["etag", tag]);
    if (interval !== undefined) given.push(["x-poll-interval", interval]);
    if (link !== undefined) given.push(["link", `</feeds/ada?page=${link}>; rel="next"`]);
    const items = ids.map((id, index) => ({ id, name: `${index} of ${page}` }));
    return { status, headers: given, ...(status !== 304 && { body: textOf(items) }) };
  };
}

function whenAborted(signal: AbortSignal, act: (reason: unknown) => void): void {
  signal.addEventListener("abort", () => act(signal.reason), { once: true });
}

async function* textOf(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}
