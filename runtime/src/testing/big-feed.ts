import type { FetchFunction } from "../http/fetch-function.ts";

/**
 * An upstream with a feed of one page, newest first, without entity tags. Its items can have any number and
 * size.
 */
export class BigFeed {
  /** The number of requests. */
  polls = 0;
  private readonly items: Array<{ readonly id: number; readonly name: string }> = [];

  /** Adds items of about `bytes` bytes each. Ids count from 1, and `apart` makes gaps between them. */
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
