import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The number of events that the feed lists. */
const LISTED = 60;

/** An upstream with a polled feed of events. */
export interface FeedUpstream {
  readonly url: string;
  /** The number of polls so far. */
  readonly polls: number;
  /** The user agent of the last poll. */
  readonly polledBy: string;
  /** Adds events for the next poll. Resolves with the time at which the poll's response was sent. */
  add(count: number): Promise<number>;
  /** Resolves at the next poll by a user agent other than `other`, with the time of the poll. */
  nextBy(other: string): Promise<number>;
  /** The id of the newest event. */
  readonly newest: number;
  close(): Promise<void>;
}

/** Starts the upstream, which asks for polls at this interval. */
export async function startFeedUpstream(intervalSeconds: number): Promise<FeedUpstream> {
  const ids: number[] = Array.from({ length: 10 }, (_, index) => index + 1);
  let polls = 0;
  let polledBy = "";
  let found: Array<(at: number) => void> = [];
  let waiting: Array<{ readonly not: string; readonly resolve: (at: number) => void }> = [];
  const server = createServer((request, response) => {
    polls += 1;
    polledBy = request.headers["user-agent"] ?? "";
    for (const { not, resolve } of waiting) if (polledBy !== not) resolve(performance.now());
    waiting = waiting.filter(({ not }) => polledBy === not);
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
    get polledBy() {
      return polledBy;
    },
    get newest() {
      return ids.at(-1) ?? 0;
    },
    add: (count) => {
      for (let i = 0; i < count; i++) ids.push((ids.at(-1) ?? 0) + 1);
      return new Promise((resolve) => found.push(resolve));
    },
    nextBy: (not) => new Promise((resolve) => waiting.push({ not, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
