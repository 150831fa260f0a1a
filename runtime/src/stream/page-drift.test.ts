/** Tests pages that break their paging rule: a list must not end without a report or an error. */
import type { ConnectError } from "@connectrpc/connect";
import { type Difference, table } from "connect-rest-codec/internal";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NextPage, PaginateAdapter } from "../adapter/adapter.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { createRest } from "../rest.ts";
import { httpUpstream, type TestServer } from "../testing/servers.ts";
import {
  type Item,
  listAdapter,
  StreamService,
  streamService,
  watchAdapter,
} from "../testing/stream-service.ts";

type Parts = PaginateAdapter<typeof StreamService.method.list.input, typeof StreamService.method.list.output>;
type Next = NextPage<typeof StreamService.method.list.input>;

const MAX_EMPTY_PAGES = 2;

/** A way to refer to the next page, and how a page contains the reference. */
interface Way {
  readonly next: (always: boolean) => Next;
  /** Returns the keys of a page that refer to another page. The last of these keys is at `path`. */
  readonly keys: (value: unknown, name: string) => Record<string, unknown>;
  readonly path: (name: string) => string;
  /** Returns a value that refers to a page. */
  readonly to: (page: number) => unknown;
}

const WAYS: Readonly<Record<string, Way>> = {
  cursor: {
    next: (always) => ({
      kind: "cursor",
      from: "payload",
      paths: ["paging.after"],
      always,
      advance: (message, value) => ({ ...message, cursor: String(value) }),
    }),
    keys: (value, name) => ({ paging: { [name]: value } }),
    path: (name) => `paging.${name}`,
    to: String,
  },
  link: {
    next: (always) => ({ kind: "link", path: "after", always }),
    keys: (value, name) => ({ [name]: value }),
    path: (name) => name,
    to: (page) => `/v2/items?cursor=${page}`,
  },
  "link object": {
    next: (always) => ({ kind: "link", path: "after", always }),
    keys: (value, name) => ({ [name]: value }),
    path: (name) => name,
    to: (page) => ({ href: `?cursor=${page}`, method: "GET" }),
  },
};

/** The change of the key that refers to the next page. */
type Fate = "kept" | "renamed" | "missing" | "null" | "empty" | "wrong";

interface DrawnPage {
  readonly names: readonly string[];
  readonly fate: Fate;
  readonly further: readonly string[];
  readonly known: number;
}

/** Returns the path of a drawn key in a report. */
function pathOfKey(key: string): string {
  return key === "a.b" ? '["a.b"]' : key;
}

const PAGE: fc.Arbitrary<DrawnPage> = fc.record({
  names: fc.oneof(
    fc.constant<readonly string[]>([]),
    fc.array(fc.string({ maxLength: 3 }), { minLength: 1, maxLength: 2 }),
  ),
  fate: fc.oneof(
    { weight: 12, arbitrary: fc.constant<Fate>("kept") },
    { weight: 5, arbitrary: fc.constantFrom<Fate>("renamed", "missing", "null", "empty", "wrong") },
  ),
  further: fc.uniqueArray(fc.constantFrom("extra", "took_ms", "constructor", "a.b", "warnings"), {
    maxLength: 2,
  }),
  known: fc.nat(3),
});

/** The expected result of a list: the items, the reported keys, and the error that ends it. */
interface Expected {
  readonly names: readonly string[];
  readonly reported: readonly string[];
  readonly reason: string | undefined;
}

function expectedOf(pages: readonly DrawnPage[], way: Way, always: boolean, strict: boolean): Expected {
  const names: string[] = [];
  const reported: string[] = [];
  const ends = (reason?: string): Expected => ({ names, reported: reported.toSorted(), reason });
  let empty = 0;
  for (const [index, { names: own, fate, further }] of pages.entries()) {
    reported.push(...further.map(pathOfKey), ...(fate === "renamed" ? [way.path("then")] : []));
    if (strict && reported.length > 0) return ends("RESPONSE_DRIFT");
    names.push(...own);
    if (always && (fate === "renamed" || fate === "missing")) return ends("RESPONSE_SHAPE");
    if (fate === "wrong") {
      return ends(way.next(false).kind === "link" ? "PAGE_LINK_REFUSED" : "RESPONSE_SHAPE");
    }
    if (fate !== "kept" || index === pages.length - 1) return ends();
    empty = own.length === 0 ? empty + 1 : 0;
    if (empty === MAX_EMPTY_PAGES) return ends("EMPTY_PAGES_EXCEEDED");
  }
  return ends();
}

function bodyOf({ names, fate, further, known }: DrawnPage, index: number, isLast: boolean, way: Way) {
  const value = { null: null, empty: "", wrong: { id: [1] }, renamed: way.to(index + 1) }[fate as string];
  const to = isLast && fate === "kept" ? null : fate === "kept" ? way.to(index + 1) : value;
  const keys = fate === "missing" ? {} : way.keys(to, fate === "renamed" ? "then" : "after");
  return {
    posts: names.map((name) => ({ name })),
    ...keys,
    meta: { took: known, more: { below: known } },
    ...Object.fromEntries(further.map((key) => [key, null])),
  };
}

let server: TestServer;
let pages: readonly unknown[] = [];
/** The `Link` header of the first page. */
let linkHeader: string | undefined;

beforeAll(async () => {
  server = await httpUpstream((request, response) => {
    const page = Number(new URL(request.url ?? "", "http://a").searchParams.get("cursor") ?? 0);
    response.setHeader("content-type", "application/json");
    if (linkHeader !== undefined && page === 0) response.setHeader("link", linkHeader);
    response.end(JSON.stringify(pages[page]));
  });
});

afterAll(() => server[Symbol.asyncDispose]());

interface Outcome {
  readonly names: readonly string[];
  readonly differences: readonly Difference[];
  readonly error: ConnectError | undefined;
}

async function listed(parts: Partial<Parts> & { readonly next: Next }, strict: boolean): Promise<Outcome> {
  const differences: Difference[] = [];
  const adapter = listAdapter(parts.next, {}, { maxEmptyPages: MAX_EMPTY_PAGES, ...parts });
  const rest = createRest({
    adapters: [streamService("list", adapter)],
    upstreams: { things: { baseUrl: server.url } },
    differences: strict ? { additional: "fail", lost: "fail" } : {},
    onDifference: (report) => differences.push(...report.differences),
  });
  const names: string[] = [];
  let error: ConnectError | undefined;
  try {
    const messages = (async function* () {
      yield {};
    })();
    const { list } = StreamService.method;
    const { message } = await rest.transport.stream(list, undefined, undefined, undefined, messages);
    for await (const item of message as AsyncIterable<Item>) names.push(item.name);
  } catch (thrown) {
    error = thrown as ConnectError;
  } finally {
    await rest.close();
  }
  return { names, differences, error };
}

test("property: a list that continues from its last item reports each value of this item once", async () => {
  const places = ["id", "meta", "meta.id", "meta.at", "other"] as const;
  const value = fc.constantFrom<unknown>(undefined, null, "x", "", 5, false, [], [{ id: "x" }, {}], {
    id: "x",
  });
  const item = table("test.v1.Item", () => [
    [2, "string", "name"],
    [3, "string", { path: "meta.id" }],
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...places),
      fc.record({ id: value, meta: value }),
      async (path, last) => {
        pages = [{ posts: [{ name: "a" }, { name: "b", ...last }] }, { posts: [] }];
        const next: Next = {
          kind: "cursor",
          from: "last_item",
          paths: [path],
          advance: (message, cursor) => ({ ...message, cursor: String(cursor) }),
        };
        const { differences } = await listed({ next, item }, false);
        const reported = differences.map((each) => `${each.class} ${each.path}`);
        expect([path, last, reported]).toEqual([path, last, [...new Set(reported)]]);
      },
    ),
    { numRuns: 100 },
  );
});

test("if no Link header names a next page, the list ends, with a report if a link without brackets may be the next page", async () => {
  const relation = fc.constantFrom("next", "prev", "last");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(relation, fc.boolean()), { minLength: 1, maxLength: 4 }),
      async (links) => {
        pages = [{ posts: [{ name: "a" }] }, { posts: [{ name: "b" }] }];
        linkHeader = links
          .map(([rel, isBroken]) => (isBroken ? `?cursor=1; rel="${rel}"` : `<?cursor=1>; rel="${rel}"`))
          .join(", ");
        const { names, differences, error } = await listed(
          { next: { kind: "link_header", rel: "next" } },
          false,
        );
        linkHeader = undefined;
        expect(error).toBeUndefined();
        const leads = links.some(([rel, isBroken]) => rel === "next" && !isBroken);
        expect(names).toEqual(leads ? ["a", "b"] : ["a"]);
        const isLost = !leads && links.some(([, isBroken]) => isBroken);
        expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual(isLost ? ["lost Link"] : []);
      },
    ),
    { numRuns: 100 },
  );
});

/** Values of the flag for more pages, and how the rule `more` with the value `true` reads each of them. */
const FLAGS: ReadonlyArray<readonly [flag: unknown, end: "missing" | "said" | "no end"]> = [
  [undefined, "missing"],
  [null, "missing"],
  [false, "said"],
  ["false", "said"],
  [true, "no end"],
  ["true", "no end"],
];

/** Ways to request the next page for which the page itself contains no reference. */
const COUNTED: Readonly<Record<string, Next>> = {
  offset: {
    kind: "step",
    by: "items",
    advance: (message, by) => ({ ...message, offset: message.offset + by }),
  },
  "page number": {
    kind: "step",
    by: "page",
    advance: (message, by) => ({ ...message, page: message.page + by }),
  },
  "offset with a total": {
    kind: "step",
    by: "items",
    total: "total",
    advance: (message, by) => ({ ...message, offset: message.offset + by }),
    before: ({ offset }) => offset,
  },
  "last item": {
    kind: "cursor",
    from: "last_item",
    paths: ["name"],
    advance: (message, value) => ({ ...message, cursor: String(value) }),
  },
};

test("a list without links reports a missing flag for more pages if the page has items and is not the last of a total", async () => {
  const more = { key: "more", values: ["true"] };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(COUNTED)),
      fc.constantFrom(...FLAGS),
      fc.boolean(),
      fc.constantFrom(undefined, 1, 2),
      async (name, [flag, end], hasItems, total) => {
        pages = [
          { posts: hasItems ? [{ name: "a" }] : [], more: flag, ...(name.includes("total") && { total }) },
          { posts: [{ name: "b" }], more: false },
        ];
        const { differences } = await listed({ next: COUNTED[name] as Next, more }, false);
        const isLast = name.includes("total") && total === 1;
        const lost = differences.filter((each) => each.class === "lost").map(({ path }) => path);
        expect([name, flag, lost]).toEqual([
          name,
          flag,
          end === "missing" && hasItems && !isLast ? ["more"] : [],
        ]);
      },
    ),
    { numRuns: 100 },
  );
});

test("a list reports a missing flag for more pages next to a link or cursor, and a flag that a link contradicts", async () => {
  const ways = { ...WAYS, "link header": undefined };
  const more = { key: "more", values: ["true"] };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(ways)),
      fc.constantFrom(...FLAGS),
      fc.boolean(),
      async (name, [flag, end], leads) => {
        const way = WAYS[name];
        const next: Next = way?.next(false) ?? { kind: "link_header", rel: "next" };
        const to = way === undefined ? {} : way.keys(leads ? way.to(1) : null, "after");
        linkHeader = way === undefined && leads ? '<?cursor=1>; rel="next"' : undefined;
        pages = [
          { posts: [{ name: "a" }], more: flag, ...to },
          { posts: [{ name: "b" }], more: false, ...way?.keys(null, "after") },
        ];
        const { names, differences, error } = await listed({ next, more }, false);
        linkHeader = undefined;
        const lost = differences.filter((each) => each.class === "lost").map(({ path }) => path);
        const isNext = end === "no end";
        const isLost = leads && (end === "missing" || (end === "said" && next.kind !== "cursor"));
        expect([name, flag, leads, lost]).toEqual([name, flag, leads, isLost ? ["more"] : []]);
        expect(names).toEqual(isNext && leads ? ["a", "b"] : ["a"]);
        expect(error && reasonOf(error)).toBe(isNext && !leads ? "RESPONSE_SHAPE" : undefined);
      },
    ),
    { numRuns: 150 },
  );
});

test("a feed reports unknown keys next to its items, and does not report known keys", async () => {
  const differences: Difference[] = [];
  const parts = { items: "entries", known: ["meta"] };
  const rest = createRest({
    adapters: [streamService("watch", watchAdapter(parts))],
    upstreams: { things: { baseUrl: server.url } },
    onDifference: (report) => differences.push(...report.differences),
  });
  pages = [{ entries: [{ id: 1, name: "a" }], meta: { ttl: 5 }, interval: 60 }];
  const controller = new AbortController();
  const messages = (async function* () {
    yield {};
  })();
  const { watch } = StreamService.method;
  const { message } = await rest.transport.stream(watch, controller.signal, undefined, undefined, messages);
  await message[Symbol.asyncIterator]().next();
  controller.abort();
  await rest.close();
  expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual(["additional interval"]);
});

test.each(Object.entries(WAYS))(
  "a list with a %s never ends early without a report or an error",
  async (_name, way) => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(PAGE, { minLength: 1, maxLength: 7 }),
        fc.boolean(),
        fc.boolean(),
        async (drawn, always, strict) => {
          pages = drawn.map((page, index) => bodyOf(page, index, index === drawn.length - 1, way));
          const expected = expectedOf(drawn, way, always, strict);
          seen.add(expected.reason ?? "the end");
          const { names, differences, error } = await listed(
            { next: way.next(always), known: ["meta"] },
            strict,
          );
          expect(names).toEqual(expected.names);
          expect(error && reasonOf(error)).toBe(expected.reason);
          expect(differences.map(({ path }) => path).toSorted()).toEqual(expected.reported);
          expect(differences.every((each) => each.class === "additional")).toBe(true);
        },
      ),
      { numRuns: 400 },
    );
    const reasons = ["EMPTY_PAGES_EXCEEDED", "RESPONSE_DRIFT", "RESPONSE_SHAPE", "the end"];
    expect([...seen]).toEqual(expect.arrayContaining(reasons));
  },
);

/** The cursor value of the last item, by variant. */
const LAST_VALUES = {
  kept: "kept",
  renamed: undefined,
  missing: undefined,
  null: null,
  empty: "",
  false: false,
  "no items": undefined,
} as const;

type LastFate = keyof typeof LAST_VALUES;

const LAST_FATES = Object.keys(LAST_VALUES) as LastFate[];

const LAST_PAGES = fc.array(
  fc.record({
    before: fc.nat(2),
    fate: fc.oneof(
      { weight: 3, arbitrary: fc.constant<LastFate>("kept") },
      { weight: 1, arbitrary: fc.constantFrom(...LAST_FATES) },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

function lastItemPage({ before, fate }: { before: number; fate: LastFate }, index: number) {
  if (fate === "no items") return { posts: [] };
  const value = fate === "kept" ? String(index + 1) : LAST_VALUES[fate];
  const last = fate === "renamed" ? { nmae: String(index + 1) } : { name: value };
  return { posts: [...Array.from({ length: before }, () => ({ name: "a" })), last] };
}

/**
 * Each variant of the last item, with and without `always`. A few random draws would not cover all of them.
 */
const EACH_FATE = LAST_FATES.flatMap((fate) =>
  [true, false].map((always): [{ before: number; fate: LastFate }[], boolean] => [
    [{ before: 1, fate }],
    always,
  ]),
);

test("a list paged by its last item never ends early without a report or an error", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(LAST_PAGES, fc.boolean(), async (drawn, always) => {
      const all = [...drawn, { before: 0, fate: "no items" as const }];
      pages = all.map(lastItemPage);
      const end = all.findIndex(({ fate }) => fate !== "kept");
      const { before, fate } = all[end] as (typeof all)[number];
      seen.add(`${fate} ${always}`);
      const next: Next = {
        kind: "cursor",
        from: "last_item",
        paths: ["name"],
        always,
        advance: (message, value) => ({ ...message, cursor: String(value) }),
      };
      const { names, differences, error } = await listed({ next }, false);
      const complete = all
        .slice(0, end + 1)
        .flatMap(({ before: count, fate: each }) =>
          each === "no items" ? [] : Array.from({ length: count + 1 }, () => each),
        );
      expect(names).toHaveLength(complete.length);
      const place = `posts[${before}].name`;
      const isCut = fate !== "no items";
      expect(error && [reasonOf(error), error.rawMessage.includes(`${place}: `)]).toEqual(
        isCut && always ? ["RESPONSE_SHAPE", true] : undefined,
      );
      const lost = differences.filter((each) => each.class === "lost").map(({ path }) => path);
      expect(lost).toEqual(isCut && !always ? [place] : []);
    }),
    { numRuns: 300, examples: EACH_FATE },
  );
  expect(seen.size).toBe(2 * (LAST_FATES.length - 1));
});
