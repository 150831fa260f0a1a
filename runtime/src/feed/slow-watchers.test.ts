import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";
import { BigFeed } from "../testing/big-feed.ts";
import { FeedService } from "../testing/feed-service.ts";
import { closeWatching, startWatching } from "../testing/watching.ts";
import { MAX_ERROR_TOKEN } from "./resume-error.ts";
import { MAX_TOKEN_IDS } from "./token-ids.ts";

afterEach(closeWatching);

const NEXT = 61_000;
const MIB = 1024 * 1024;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("a watcher that reads receives the backlog and all simultaneous events, regardless of their size", async () => {
  const sizes = fc.record({
    items: fc.integer({ min: 1, max: 300 }),
    bytes: fc.integer({ min: 0, max: 9_000 }),
  });
  await fc.assert(
    fc.asyncProperty(sizes, sizes, async (backlog, news) => {
      const feed = new BigFeed();
      const { watching, clock } = startWatching({
        options: { fetch: feed.fetch },
        watch: { bufferBytes: 1024 },
      });
      feed.add(backlog.items, backlog.bytes);
      const watcher = watching({ backlog: true });
      await watcher.has(backlog.items);
      feed.add(news.items, news.bytes);
      clock.advance(NEXT);
      await watcher.has(backlog.items + news.items);
      expect([watcher.ids, watcher.error]).toEqual([upTo(backlog.items + news.items), undefined]);
      await closeWatching();
    }),
    { numRuns: 12 },
  );
});

test("a watcher that does not read is disconnected with a token from which it can resume, and other watchers are not delayed", async () => {
  const feed = new BigFeed();
  const { rest, watching, clock } = startWatching({
    options: { fetch: feed.fetch },
    watch: { bufferBytes: 1024 },
  });
  feed.add(1, 10);
  const reader = watching({ backlog: true });
  await reader.has(1);
  const request = { owner: "ada", backlog: true };
  const slow = rest.transport.stream(
    FeedService.method.watch,
    undefined,
    undefined,
    undefined,
    once(request),
  );
  const messages = (await slow).message[Symbol.asyncIterator]();
  const first = await messages.next();
  for (let poll = 0; poll < 3; poll++) {
    feed.add(1, 2_000);
    clock.advance(NEXT);
    await reader.has(poll + 2);
  }
  const error = await endOf(messages);
  expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "WATCHER_TOO_SLOW"]);
  expect(reader.ids).toEqual([1, 2, 3, 4]);
  expect(first.done).toBe(false);
  const resumed = watching({ resumeToken: error.findDetails(ResumeSchema)[0]?.token ?? "" });
  await resumed.has(1);
  // the watcher may have read messages in transit
  expect([1, 2, 3, 4].slice(-resumed.ids.length)).toEqual(resumed.ids);
});

test("a feed keeps 8 MiB of items for new watchers, and reports a gap if it lists older items", async () => {
  const feed = new BigFeed();
  const { watching } = startWatching({ options: { fetch: feed.fetch } });
  feed.add(20, MIB / 2);
  const watcher = watching({ backlog: true });
  await watcher.has(15);
  expect(watcher.ids).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  expect(watcher.batches.map(({ gap }) => gap).indexOf(true)).toBe(0);
});

test("only events that are older than the 1,024 events in a token may be delivered again", async () => {
  const feed = new BigFeed();
  const { watching } = startWatching({ options: { fetch: feed.fetch } });
  feed.add(1_112, 1);
  const watcher = watching({ backlog: true });
  await watcher.has(1_112);
  const resumed = watching({ resumeToken: watcher.token });
  await resumed.has(88);
  expect(resumed.ids).toEqual(upTo(88));
});

test("resuming from the token of any message loses no item, and repeats only items that did not fit into the token", async () => {
  const feeds = fc.record({
    count: fc.integer({ min: 1, max: 3_000 }),
    message: fc.nat(30),
    more: fc.nat(300),
  });
  await fc.assert(
    fc.asyncProperty(feeds, async ({ count, message, more }) => {
      const feed = new BigFeed();
      feed.add(count, 1);
      const first = startWatching({ options: { fetch: feed.fetch } }).watching({ backlog: true });
      await first.has(count);
      const batches = first.batches.slice(0, 1 + (message % first.batches.length));
      const had = batches.flatMap(({ entries }) => entries.map(({ id }) => Number(id)));
      feed.add(more, 1);
      const { watching } = startWatching({ options: { fetch: feed.fetch } });
      const resumed = watching({ resumeToken: batches.at(-1)?.resumeToken ?? "" });
      await resumed.hasBatches(1);
      await resumed.has(count + more - Math.min(had.length, MAX_TOKEN_IDS));
      expect(new Set([...had, ...resumed.ids])).toEqual(new Set(upTo(count + more)));
      const repeated = resumed.ids.filter((id) => had.includes(id));
      expect(repeated).toEqual(upTo(Math.max(had.length - MAX_TOKEN_IDS, 0)));
      await closeWatching();
    }),
    { numRuns: 30 },
  );
});

test.each([
  [200, true],
  [700, false],
])(
  "the error of a feed with %i items contains a resume token, unless the token is larger than clients accept: %j",
  async (count, isCarried) => {
    const feed = new BigFeed();
    const { watching, rest } = startWatching({ options: { fetch: feed.fetch } });
    // distant ids, each of which takes several bytes in a token
    for (let added = 0; added < count; added++) feed.add(1, 1, added * 2 ** 40);
    const watcher = watching({ backlog: true });
    await watcher.has(count);
    rest.drain();
    await watcher.over;
    const [resume] = ConnectError.from(watcher.error).findDetails(ResumeSchema);
    expect(watcher.token.length > MAX_ERROR_TOKEN).toBe(!isCarried);
    expect(resume?.token).toBe(isCarried ? watcher.token : undefined);
  },
);

async function* once<T>(message: T): AsyncGenerator<T> {
  yield message;
}

/** Reads a stream until the error that ends it. */
async function endOf(messages: AsyncIterator<unknown>): Promise<ConnectError> {
  try {
    while ((await messages.next()).done !== true);
  } catch (error) {
    return ConnectError.from(error);
  }
  throw new Error("expected an error");
}

test.each([1, 5_000, 59_000])(
  "a deadline of %i ms ends the stream but not its feed, and the last token resumes after the last message",
  async (timeoutMs) => {
    const feed = new BigFeed();
    const { rest, watching, clock } = startWatching({ options: { fetch: feed.fetch } });
    feed.add(3, 1);
    const other = watching({ backlog: true });
    await other.has(3);
    const request = { owner: "ada", backlog: true };
    const { watch } = FeedService.method;
    const response = await rest.transport.stream(watch, undefined, timeoutMs, undefined, once(request));
    const messages = response.message[Symbol.asyncIterator]();
    const first = await messages.next();
    const end = endOf(messages);
    clock.advance(timeoutMs);
    const error = await end;
    expect(error.code).toBe(Code.DeadlineExceeded);
    expect(other.isOver).toBe(false);
    feed.add(1, 1);
    const resumed = watching({ resumeToken: first.done === true ? "" : first.value.resumeToken });
    clock.advance(NEXT);
    await resumed.has(1);
    expect(resumed.ids).toEqual([4]);
  },
);
