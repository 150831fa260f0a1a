import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** How many events the feed lists. */
const LISTED = 60;

/** An upstream with a feed of events, which a poll asks for. */
export interface FeedUpstream {
  readonly url: string;
  /** Polls so far: requests that a page was asked with. */
  readonly polls: number;
  /** When the last poll was answered, on the scale of `performance.now()`. */
  readonly polledAt: number;
  /** Adds events, which the next poll finds, and resolves with when it was answered. */
  add(count: number): Promise<number>;
  /** Resolves at the next poll, with when it came. */
  next(): Promise<number>;
  close(): Promise<void>;
}

/** Starts it; polls are to be `intervalSeconds` apart. */
export async function startFeedUpstream(intervalSeconds: number): Promise<FeedUpstream> {
  const ids: number[] = Array.from({ length: 10 }, (_, index) => index + 1);
  let polls = 0;
  let polledAt = 0;
  let found: Array<(at: number) => void> = [];
  let waiting: Array<(at: number) => void> = [];
  const server = createServer((request, response) => {
    polls += 1;
    polledAt = performance.now();
    for (const each of waiting) each(polledAt);
    waiting = [];
    const listed = ids.slice(-LISTED).reverse();
    const tag = `"${listed[0]}"`;
    const headers = {
      etag: tag,
      "x-poll-interval": String(intervalSeconds),
      "content-type": "application/json",
    };
    if (request.headers["if-none-match"] === tag) {
      response.writeHead(304, headers).end();
      return;
    }
    response.writeHead(200, headers);
    response.end(JSON.stringify(listed.map((id) => ({ id, name: `event ${id}` }))), () => {
      const at = performance.now();
      for (const each of found) each(at);
      found = [];
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get polls() {
      return polls;
    },
    get polledAt() {
      return polledAt;
    },
    add: (count) => {
      for (let i = 0; i < count; i++) ids.push((ids.at(-1) ?? 0) + 1);
      return new Promise((resolve) => found.push(resolve));
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
