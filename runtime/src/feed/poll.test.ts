import type { IncomingHttpHeaders } from "node:http";
import { setImmediate } from "node:timers/promises";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { afterEach, expect, test } from "vitest";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { CallReport, DifferenceReport, RestOptions } from "../call/options.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { createRest, type Rest, restRoutes } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, type TestServer } from "../testing/servers.ts";
import { type Item, StreamService, streamService, watchAdapter } from "../testing/stream-service.ts";
import { PLAIN_RULES } from "../testing/thing-service.ts";

const OPEN: Rest[] = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

interface TestResponse {
  readonly ids?: readonly unknown[];
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

interface Setup {
  readonly parts?: Partial<PollAdapter>;
  readonly options?: Partial<RestOptions>;
}

interface Polled {
  handle: (headers: IncomingHttpHeaders) => TestResponse | undefined;
}

/** A feed with one response for each poll. The last response repeats. */
class Feed {
  readonly clock = new FakeClock();
  /** The time and the tag of each poll. */
  readonly polls: Array<readonly [atMs: number, tag: string | undefined]> = [];
  readonly headers: IncomingHttpHeaders[] = [];
  readonly rest: Rest;
  readonly server: TestServer;

  private constructor(server: TestServer, setup: Setup, polled: Polled, responses: TestResponse[]) {
    const start = this.clock.now();
    this.server = server;
    polled.handle = (headers) => {
      this.headers.push(headers);
      this.polls.push([this.clock.now() - start, headers["if-none-match"]]);
      return responses.length > 1 ? responses.shift() : responses[0];
    };
    this.rest = createRest({
      adapters: [streamService("watch", { ...watchAdapter(), ...setup.parts } as never)],
      upstreams: { things: { baseUrl: server.url } },
      clock: this.clock,
      ...setup.options,
    });
    OPEN.push(this.rest);
  }

  static async start(responses: TestResponse[], setup: Setup = {}): Promise<Feed> {
    const polled: Polled = { handle: () => undefined };
    const server = await httpUpstream((request, response) => {
      const polledResponse = polled.handle(request.headers);
      if (polledResponse === undefined) return;
      const {
        ids = [],
        text = JSON.stringify(ids.map((id) => ({ id }))),
        status = 200,
        headers = {},
      } = polledResponse;
      response.writeHead(status, headers).end(status === 304 ? undefined : text);
    });
    SERVERS.push(server);
    return new Feed(server, setup, polled, responses);
  }

  watch(options: { readonly signal?: AbortSignal; readonly timeoutMs?: number } = {}): Watch {
    const stream = createClient(StreamService, this.rest.transport).watch({}, options);
    return new Watch(stream[Symbol.asyncIterator](), this.clock);
  }
}

class Watch {
  private readonly items: AsyncIterator<Item>;
  private readonly clock: FakeClock;

  constructor(items: AsyncIterator<Item>, clock: FakeClock) {
    this.items = items;
    this.clock = clock;
  }

  /** Returns the ids of the next items that arrive while the clock does not advance. */
  async next(count: number): Promise<number[]> {
    const ids: number[] = [];
    for (let index = 0; index < count; index++) ids.push(Number((await this.items.next()).value?.id));
    return ids;
  }

  /**
   * Reads an item. Whenever the stream sleeps, advances the clock by the next of the waits, until the item
   * arrives.
   */
  async after(...waits: number[]): Promise<number> {
    const asked = this.items.next();
    const [item] = await Promise.all([asked, this.pass(waits)]);
    return Number(item.value?.id);
  }

  fails(...waits: number[]) {
    const failed = failureOf(this.items.next());
    return Promise.all([failed, this.pass(waits)]).then(([error]) => error);
  }

  private async pass(waits: readonly number[]): Promise<void> {
    for (const ms of waits) {
      while (this.clock.running === 0) await setImmediate();
      this.clock.advance(ms);
    }
  }
}

const MINUTE = 60_000;

test("new items of a feed are recognized by their keys, and delivered oldest first", async () => {
  const feed = await Feed.start([{ ids: [3, 2, 1] }, { ids: [5, 4, 3, 2, 4] }]);
  const watch = feed.watch();
  expect(await watch.next(3)).toEqual([1, 2, 3]);
  expect(await watch.after(MINUTE)).toBe(4);
  expect(await watch.next(1)).toEqual([5]);
  expect(feed.polls.map(([at]) => at)).toEqual([0, MINUTE]);
});

test("new items of a feed do not include the first poll if the rule skips the backlog", async () => {
  const feed = await Feed.start([{ ids: [2, 1] }, { ids: [] }, { ids: [4, 3, 2] }], {
    parts: { skipBacklog: true },
  });
  const watch = feed.watch();
  expect(await watch.after(MINUTE, MINUTE)).toBe(3);
  expect(await watch.next(1)).toEqual([4]);
});

test("a poll sends the tag of the last response unchanged, weak or strong, and no tag if there was none", async () => {
  const feed = await Feed.start([
    { ids: [1], headers: { etag: 'W/"a"' } },
    { status: 304, headers: {} },
    { ids: [2, 1], headers: { etag: '"b"' } },
    { status: 304, headers: { etag: '"c"' } },
    { ids: [3, 2] },
    { ids: [4, 3] },
  ]);
  const watch = feed.watch();
  expect(await watch.next(1)).toEqual([1]);
  expect(await watch.after(MINUTE, MINUTE)).toBe(2);
  expect(await watch.after(MINUTE, MINUTE)).toBe(3);
  expect(await watch.after(MINUTE)).toBe(4);
  expect(feed.polls.map(([, tag]) => tag)).toEqual([undefined, 'W/"a"', 'W/"a"', '"b"', '"c"', undefined]);
  expect(feed.headers[1]?.["x-version"]).toBe("1");
});

test("a feed is polled at the upstream's interval, even if there are no new items", async () => {
  const interval = (seconds: string) => ({ "x-poll-interval": seconds });
  const feed = await Feed.start([
    { ids: [1], headers: interval("5") },
    { status: 304, headers: interval("90.5") },
    { ids: [2, 1], headers: interval("0") },
    { ids: [3, 2], headers: interval("99999999") },
    { ids: [4, 3], headers: interval("soon") },
    { ids: [5, 4] },
  ]);
  const watch = feed.watch();
  await watch.next(1);
  expect(await watch.after(5000, 90_500)).toBe(2);
  expect(await watch.after(1000)).toBe(3);
  expect(await watch.after(86_400_000)).toBe(4);
  expect(await watch.after(MINUTE)).toBe(5);
  expect(feed.polls).toHaveLength(6);
});

test("the interval begins at the last poll, not when the last item was read", async () => {
  const feed = await Feed.start([{ ids: [1] }, { ids: [2, 1] }]);
  const watch = feed.watch();
  await watch.next(1);
  feed.clock.advance(MINUTE - 1);
  expect(await watch.after(1)).toBe(2);
  feed.clock.advance(MINUTE);
  expect(feed.polls.map(([at]) => at)).toEqual([0, MINUTE]);
});

test("the items and keys of a feed are exact beyond 2^53", async () => {
  const differences: DifferenceReport[] = [];
  const feed = await Feed.start(
    [
      { text: '[{"id":700000000000000001},{"id":"x"}]' },
      { text: '[{"id":700000000000000002},{"id":700000000000000001}]' },
    ],
    { options: { onDifference: (report) => differences.push(report) } },
  );
  const stream = createClient(StreamService, feed.rest.transport).watch({})[Symbol.asyncIterator]();
  expect((await stream.next()).value?.id).toBe(0n);
  expect((await stream.next()).value?.id).toBe(700000000000000001n);
  const next = stream.next();
  while (feed.clock.running === 0) await setImmediate();
  feed.clock.advance(MINUTE);
  expect((await next).value?.id).toBe(700000000000000002n);
  expect(differences.flatMap((report) => report.differences.map(({ path }) => path))).toEqual(["[1].id"]);
});

test("new items of a feed without a key are distinguished by their whole content", async () => {
  const feed = await Feed.start([
    { text: '[{"name":"b"},{"name":"a"}]' },
    { text: '[{"name":"c"},{"name":"b"},{"name":"a"}]' },
  ]);
  const stream = createClient(StreamService, feed.rest.transport).watch({})[Symbol.asyncIterator]();
  expect((await stream.next()).value?.name).toBe("a");
  expect((await stream.next()).value?.name).toBe("b");
  const next = stream.next();
  while (feed.clock.running === 0) await setImmediate();
  feed.clock.advance(MINUTE);
  expect((await next).value?.name).toBe("c");
});

test("new items of a feed with an empty key are distinguished by their whole content", async () => {
  const feed = await Feed.start([{ text: '[{"id":"","name":"b"},{"id":"","name":"a"}]' }]);
  const stream = createClient(StreamService, feed.rest.transport).watch({})[Symbol.asyncIterator]();
  expect((await stream.next()).value?.name).toBe("a");
  expect((await stream.next()).value?.name).toBe("b");
});

test.each<[string, TestResponse, number]>([
  ["is unavailable", { status: 503 }, MINUTE],
  ["gets a retry delay", { status: 503, headers: { "retry-after": "300" } }, 300_000],
  ["exceeds the rate limit and gets a reset time", { status: 429, headers: { "retry-after": "90" } }, 90_000],
  [
    "exceeds the rate limit for less than the interval",
    { status: 429, headers: { "retry-after": "1" } },
    MINUTE,
  ],
  ["exceeds the rate limit and gets no reset time", { status: 429 }, MINUTE],
  ["gets a status 500", { status: 500 }, MINUTE],
  ["gets a response that is not JSON", { text: "<html>" }, MINUTE],
])("a feed is polled again if a poll fails because it %s", async (_why, failure, wait) => {
  const feed = await Feed.start([{ ids: [1], headers: { etag: '"a"' } }, failure, { ids: [2, 1] }]);
  const watch = feed.watch();
  await watch.next(1);
  expect(await watch.after(MINUTE, wait)).toBe(2);
  expect(feed.polls.map(([, tag]) => tag)).toEqual([undefined, '"a"', '"a"']);
});

test("a feed that fails is polled at growing intervals until it recovers", async () => {
  const [found, failed] = [{ ids: [1] }, { status: 500 }];
  const feed = await Feed.start([found, failed, failed, failed, { ids: [1] }, failed, { ids: [2, 1] }]);
  const watch = feed.watch();
  await watch.next(1);
  await watch.after(MINUTE, MINUTE, 2 * MINUTE, 4 * MINUTE, MINUTE, MINUTE);
  expect(feed.polls.map(([at]) => at / MINUTE)).toEqual([0, 1, 2, 4, 8, 9, 10]);
});

test("the first poll of a feed may fail", async () => {
  const feed = await Feed.start([{ status: 502 }, { ids: [1] }]);
  expect(await feed.watch().after(MINUTE)).toBe(1);
});

test.each<[string, TestResponse, string, Code]>([
  ["gets a status 404", { status: 404 }, "upstream things responded with 404 Not Found", Code.NotFound],
  [
    "gets a status 401",
    { status: 401 },
    "upstream things responded with 401 Unauthorized",
    Code.Unauthenticated,
  ],
])("a feed stream ends if a poll fails because it %s", async (_why, failure, text, code) => {
  const feed = await Feed.start([{ ids: [1] }, failure]);
  const watch = feed.watch();
  await watch.next(1);
  const error = await watch.fails(MINUTE);
  expect([error.rawMessage, error.code]).toEqual([text, code]);
});

test("a feed stream has only the deadlines of its caller and its method", async () => {
  const feed = await Feed.start([{ ids: [1] }, { status: 304 }, { ids: [2, 1] }]);
  const watch = feed.watch();
  await watch.next(1);
  expect(feed.clock.running).toBe(0);
  expect(await watch.after(MINUTE, MINUTE)).toBe(2);

  const limited = await Feed.start([{ ids: [1] }], {
    parts: { rules: { ...PLAIN_RULES, timeoutMs: 1000 } },
  });
  const short = limited.watch();
  await short.next(1);
  const error = await short.fails(1000);
  expect([error.code, reasonOf(error)]).toEqual([Code.DeadlineExceeded, "DEADLINE_EXCEEDED"]);

  const own = (await Feed.start([{ ids: [1] }])).watch({ timeoutMs: 500 });
  await own.next(1);
  expect((await own.fails(500)).code).toBe(Code.DeadlineExceeded);
});

test("a feed stream ends when its caller leaves, during a poll and between polls", async () => {
  for (const responses of [[{ ids: [1] }], []]) {
    const controller = new AbortController();
    const feed = await Feed.start(responses);
    const stream = createClient(StreamService, feed.rest.transport).watch({}, { signal: controller.signal });
    const items = stream[Symbol.asyncIterator]();
    if (responses.length > 0) await items.next();
    const failed = failureOf(items.next());
    while (responses.length > 0 ? feed.clock.running === 0 : feed.polls.length === 0) await setImmediate();
    controller.abort();
    const error = await failed;
    expect([error.code, reasonOf(error)]).toEqual([Code.Canceled, "CANCELED"]);
    expect(feed.clock.running).toBe(0);
  }
});

test("a feed stream ends when the connections are closed", async () => {
  const calls: CallReport[] = [];
  const feed = await Feed.start([{ ids: [1] }], { options: { onCall: (report) => calls.push(report) } });
  const watch = feed.watch();
  await watch.next(1);
  const failed = watch.fails();
  while (feed.clock.running === 0) await setImmediate();
  await feed.rest.close();
  const error = await failed;
  expect([error.code, reasonOf(error)]).toEqual([Code.Unavailable, "UPSTREAM_CLOSED"]);
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ verb: "GET", upstreamStatus: 200 });
});

test("routes serve a feed stream", async () => {
  const feed = await Feed.start([{ ids: [2, 1] }]);
  const controller = new AbortController();
  const client = createClient(StreamService, createRouterTransport(restRoutes(feed.rest)));
  const items = client.watch({}, { signal: controller.signal })[Symbol.asyncIterator]();
  expect((await items.next()).value?.id).toBe(1n);
  expect((await items.next()).value?.id).toBe(2n);
  const failed = failureOf(items.next());
  controller.abort();
  expect((await failed).code).toBe(Code.Canceled);
});
