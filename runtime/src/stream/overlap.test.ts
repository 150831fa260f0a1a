/** Tests timelines whose items share times, paged by time. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { OverlapRule } from "../adapter/adapter.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { cursorNumber } from "../request/cursor.ts";
import { createRest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import { type Item, listAdapter, StreamService, streamService } from "../testing/stream-service.ts";

interface Post {
  readonly id: number;
  /** The time. An item pinned on top of a page has no time. */
  readonly at?: number;
  /** Distinguishes the post from other posts with the same time. */
  readonly tag?: number;
}

interface Timed extends Post {
  readonly at: number;
}

interface Order {
  readonly ascending: boolean;
  readonly inclusive: boolean;
}

/**
 * Returns the posts on one page of an upstream. `bound` is the time in the request, or 0 if there is none.
 */
type Respond = (bound: number) => readonly Post[];

let server: TestServer;
let respond: Respond = () => [];

beforeAll(async () => {
  server = await httpUpstream((request, response) => {
    const bound = Number(new URL(request.url ?? "", "http://a").searchParams.get("page") ?? 0);
    sendJson(response, { posts: respond(bound) });
  });
});

afterAll(() => server[Symbol.asyncDispose]());

type Rule = OverlapRule<typeof StreamService.method.list.input>;

/** Returns the ids of a stream's posts, and the number of reports of lost items. */
async function streamed(
  { ascending, inclusive }: Order,
  size: Rule["size"],
  { strict = false, key = "id" }: { readonly strict?: boolean; readonly key?: string } = {},
) {
  const step = ascending ? -1 : 1;
  const again = inclusive ? 0 : step;
  const adapter = listAdapter(
    {
      kind: "cursor",
      from: "last_item",
      paths: ["at"],
      overlap: { key, again, past: again - step, ...(size && { size }) },
      advance: (message, value) => ({ ...message, page: cursorNumber(value) }),
    },
    {},
    { maxPages: 10_000 },
  );
  let lost = 0;
  const rest = createRest({
    adapters: [streamService("list", adapter)],
    upstreams: { things: { baseUrl: server.url } },
    strict,
    onDifference: ({ counts }) => {
      lost += counts.lost;
    },
  });
  const ids: number[] = [];
  try {
    const messages = (async function* () {
      yield {};
    })();
    const { list } = StreamService.method;
    const { message } = await rest.transport.stream(list, undefined, undefined, undefined, messages);
    for await (const { id } of message as AsyncIterable<Item>) ids.push(Number(id));
    return { ids, lost };
  } finally {
    await rest.close();
  }
}

/** Returns a page of the timeline. */
function pageOf(posts: readonly Timed[], { ascending, inclusive }: Order, bound: number, size: number) {
  const sign = ascending ? 1 : -1;
  return posts
    .filter(({ at }) => bound === 0 || (inclusive && at === bound) || (at - bound) * sign > 0)
    .toSorted((a, b) => (a.at - b.at || a.id - b.id) * sign)
    .slice(0, size);
}

const ORDERS: readonly Order[] = [
  { ascending: false, inclusive: false },
  { ascending: false, inclusive: true },
  { ascending: true, inclusive: false },
  { ascending: true, inclusive: true },
];

const TOP = 9999;

const TIMELINE = fc.record({
  order: fc.constantFrom(...ORDERS),
  // only a few different times, so that many posts share one
  times: fc.array(fc.integer({ min: 1000, max: 1012 }), { maxLength: 40 }),
  // posts published between two pages
  inserts: fc.array(fc.array(fc.integer({ min: 998, max: 1014 }), { maxLength: 2 }), { maxLength: 8 }),
  size: fc.integer({ min: 1, max: 12 }),
  isSizeKnown: fc.boolean(),
  key: fc.constantFrom("id", "tag"),
  // an item pinned on top of every page, in addition to its posts or as one of them
  top: fc.constantFrom("nothing", "beside", "within"),
});

test("in a timeline with many posts per second, every missing post is reported and no post is repeated", async () => {
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(TIMELINE, async ({ order, times, inserts, size: most, isSizeKnown, key, top }) => {
      const size = top === "within" ? most + 1 : most;
      const posts: Timed[] = [];
      const publish = (at: number) => {
        // the tags start again for each time
        posts.push({ id: posts.length + 1, at, tag: posts.filter((post) => post.at === at).length });
      };
      times.forEach(publish);
      const initial = [...posts];
      const waiting = [...inserts];
      respond = (bound) => {
        const page = pageOf(posts, order, bound, most);
        (waiting.shift() ?? []).forEach(publish);
        return top === "nothing" ? page : [{ id: TOP, tag: 0 }, ...page];
      };
      const { ids, lost } = await streamed(order, isSizeKnown ? () => size : undefined, { key });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.includes(TOP)).toBe(top !== "nothing");
      const missing = initial.filter((post) => !ids.includes(post.id));
      if (lost === 0) {
        expect(missing).toEqual([]);
        whole++;
      } else if (isSizeKnown && (order.ascending || inserts.length === 0)) {
        // a post backdated before the end of a list can look like a post that was omitted
        const shared = Math.max(0, ...posts.map(({ at }) => posts.filter((post) => post.at === at).length));
        // the item on top may or may not count towards a full page
        expect(top === "nothing" ? shared : shared + 1).toBeGreaterThanOrEqual(size);
      }
    }),
    { numRuns: 1000 },
  );
  expect(whole).toBeGreaterThan(20);
});

test("if a second has more posts than a page holds, the missing posts are reported as lost, which fails a strict call", async () => {
  const [order] = ORDERS as [Order];
  const posts = [5, 5, 5, 4].map((at, index) => ({ id: index + 1, at }));
  respond = (bound) => pageOf(posts, order, bound, 2);
  expect(await streamed(order, () => 2)).toEqual({ ids: [3, 2, 4], lost: 1 });
  const error = await failureOf(streamed(order, () => 2, { strict: true }));
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.StreamService.List: posts: expected items with one cursor on one page, got more (differences: fail)",
  );
});

test("an item pinned on top of every page is delivered once, and a complete list has no report", async () => {
  const [order] = ORDERS as [Order];
  const posts = [9, 7, 7, 5].map((at, index) => ({ id: index + 1, at }));
  respond = (bound) => [{ id: TOP }, ...pageOf(posts, order, bound, 50)];
  expect(await streamed(order, () => 50, { strict: true })).toEqual({ ids: [TOP, 1, 3, 2, 4], lost: 0 });
});

test("an upstream that ignores the time does not cause an endless list", async () => {
  const [order] = ORDERS as [Order];
  respond = () => [
    { id: 2, at: 7 },
    { id: 1, at: 6 },
  ];
  expect(reasonOf(await failureOf(streamed(order, undefined)))).toBe("PAGE_REPEATED");
});
