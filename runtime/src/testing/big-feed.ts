import type { FetchFunction } from "../http/fetch-function.ts";

/**
 * An upstream with a feed of one page, newest first, without entity tags. The number and size of the items
 * can be chosen.
 */
export class BigFeed {
  /** The number of requests. */
  polls = 0;
  private readonly items: Array<{ readonly id: number; readonly name: string }> = [];

  /** Adds items of about `bytes` bytes each. Ids count from 1; `apart` is added to the ids of these items. */
  add(count: number, bytes: number, apart = 0): void {
    const name = "x".repeat(bytes);
    for (let added = 0; added < count; added++) {
      this.items.unshift({ id: this.items.length + 1 + apart, name });
    }
  }

  readonly fetch: FetchFunction = async (_address, { signal }) => {
    signal.throwIfAborted();
    this.polls++;
    return { status: 200, headers: [["content-type", "application/json"]], body: textOf(this.items) };
  };
}

async function* textOf(value: unknown): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(value));
}
