import { createClient } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PollAdapter } from "../adapter/adapter.ts";
import type { RestOptions } from "../call/options.ts";
import { reasonOf } from "../errors/rest-error.ts";
import type { FetchFunction } from "../http/fetch-function.ts";
import { createRest } from "../rest.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { FeedService, feedService } from "../testing/feed-service.ts";
import { StreamService, streamService, watchAdapter } from "../testing/stream-service.ts";
import { settled } from "../testing/watching.ts";

/** An item of a feed whose key is its name. */
interface Named {
  readonly id: string;
  readonly name: string | undefined;
}

const item: fc.Arbitrary<Named> = fc.record({
  // the last two numbers differ only as exact integers (beyond 2^53)
  id: fc.constantFrom("1", "2", "700000000000000001", "700000000000000002"),
  name: fc.constantFrom(undefined, "", "t1", "t2", "t3"),
});
/** The pages of successive polls, each newest first. */
const drawn = fc.array(fc.array(item, { maxLength: 8 }), { minLength: 1, maxLength: 5 });

const textOf = ({ id, name }: Named) => `{"id":${id}${name === undefined ? "" : `,"name":"${name}"`}}`;
const KEY: Pick<PollAdapter, "key"> = { key: "name" };
const LATER = 61_000;

type Kind = "shared" | "single";

/** A stream of a feed whose current page the test sets. */
class KeyedFeed {
  page: readonly Named[] = [];
  readonly got: string[] = [];
  readonly lost: string[] = [];
  error: unknown;
  private readonly clock = new FakeClock();
  private readonly left = new AbortController();
  private readonly rest;
  private readonly over: Promise<void>;

  constructor(kind: Kind, page: readonly Named[], options: Partial<RestOptions> = {}) {
    this.page = page;
    this.rest = createRest({
      adapters: [
        kind === "shared" ? keyed(feedService()) : streamService("watch", watchAdapter(KEY) as never),
      ],
      upstreams: { things: { baseUrl: "https://api.example", retry: false, breaker: false } },
      clock: this.clock,
      fetch: this.fetch,
      onDifference: ({ differences }) => {
        for (const { class: as, path, expected } of differences) {
          if (as === "lost") this.lost.push(`${path}: ${expected}`);
        }
      },
      ...options,
    });
    this.over = this.read(kind === "shared" ? this.shared() : this.single()).catch((error: unknown) => {
      this.error = error;
    });
  }

  async polled(page: readonly Named[]): Promise<void> {
    this.page = page;
    this.clock.advance(LATER);
    await settled();
  }

  async close(): Promise<void> {
    this.left.abort();
    await this.over;
    await this.rest.close();
  }

  private async read(items: AsyncIterable<{ readonly id: bigint; readonly name: string }>): Promise<void> {
    for await (const { id, name } of items) this.got.push(`${id} ${name}`);
  }

  private async *shared() {
    const { signal } = this.left;
    const batches = createClient(FeedService, this.rest.transport).watch({ backlog: true }, { signal });
    for await (const { entries } of batches) yield* entries;
  }

  private single() {
    return createClient(StreamService, this.rest.transport).watch({}, { signal: this.left.signal });
  }

  private readonly fetch: FetchFunction = async () => ({
    status: 200,
    headers: [["content-type", "application/json"]],
    body: bytesOf(`[${this.page.map(textOf)}]`),
  });
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function keyed(service: ReturnType<typeof feedService>): ReturnType<typeof feedService> {
  const watch = { ...service.methods.watch, ...KEY } as PollAdapter;
  return { ...service, methods: { watch } };
}

/** Identifies the items of a keyless feed by all of their fields, with numbers as JavaScript reads them. */
const keyOf = ({ id, name }: Named) => (name ? name : `${Number(id)} ${name}`);

/** Returns the expected difference reports for items with equal keys. */
function lostOf(page: readonly Named[]): string[] {
  return page.flatMap((each, index) => {
    const first = page.find((other) => keyOf(other) === keyOf(each)) ?? each;
    return textOf(first) === textOf(each) ? [] : [`[${index}]: items with keys of their own`];
  });
}

test.each<Kind>(["shared", "single"])(
  "each item that shares a key with another is delivered, equals a delivered item, or is reported as lost: %s poller",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(drawn, async ([first = [], ...others]) => {
        const feed = new KeyedFeed(kind, first);
        await settled();
        const [came, lost]: [Map<string, Named>, string[]] = [new Map(), []];
        for (const [index, page] of [first, ...others].entries()) {
          if (index > 0) await feed.polled(page);
          const news = page.filter((each, at) => {
            return !came.has(keyOf(each)) && page.findIndex((other) => keyOf(other) === keyOf(each)) === at;
          });
          for (const each of news.reverse()) came.set(keyOf(each), each);
          lost.push(...lostOf(page));
          expect(feed.got).toEqual([...came.values()].map(({ id, name = "" }) => `${id} ${name}`));
          expect(feed.lost).toEqual(lost);
        }
        expect(feed.error).toBeUndefined();
        await feed.close();
      }),
      { numRuns: 100 },
    );
  },
);

test.each<Kind>(["shared", "single"])(
  "two different items with the same key end a stream if the level of `lost` is `fail`, and two equal items do not: %s poller",
  async (kind) => {
    const [c, b, a] = [
      { id: "3", name: "t2" },
      { id: "2", name: "t1" },
      { id: "1", name: "t1" },
    ] as const;
    const feed = new KeyedFeed(kind, [c, b, b], { differences: { lost: "fail" } });
    await settled();
    expect([feed.got, feed.error]).toEqual([["2 t1", "3 t2"], undefined]);
    await feed.polled([c, b, a]);
    expect(feed.error).toMatchObject({
      message: expect.stringContaining("[2]: expected items with keys of their own, got object"),
    });
    expect(reasonOf(feed.error as never)).toBe("RESPONSE_DRIFT");
    await feed.close();
  },
);
