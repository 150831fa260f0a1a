/**
 * Tests each rule of pages with each JSON value at each place that the rule reads: a fault is reported once,
 * and a list does not end without a report or an error.
 */
import { isDeepStrictEqual } from "node:util";
import type { ConnectError } from "@connectrpc/connect";
import { type Difference, isJsonObject, type JsonValue } from "connect-rest-codec/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NextPage, PaginateAdapter } from "../adapter/adapter.ts";
import { createRest } from "../rest.ts";
import { httpUpstream, type TestServer } from "../testing/servers.ts";
import { type Item, listAdapter, StreamService, streamService } from "../testing/stream-service.ts";

type Parts = PaginateAdapter<typeof StreamService.method.list.input, typeof StreamService.method.list.output>;
type Next = NextPage<typeof StreamService.method.list.input>;

const VALUES: readonly unknown[] = [
  undefined,
  null,
  "",
  false,
  [],
  {},
  true,
  0,
  7,
  "x",
  [7],
  ["x"],
  [{}],
  [{ b: "x" }, {}],
  { a: 1 },
  { href: "?cursor=1" },
  { href: "" },
  { href: [] },
  [[]],
];

interface Rule extends Partial<Omit<Parts, "next">> {
  readonly next: Next;
  /** The places that the rule reads. */
  readonly places: readonly string[];
  /** The keys of a page that leads to another page. */
  readonly leads?: Readonly<Record<string, unknown>>;
}

const next = (paths: readonly string[], from: "payload" | "last_item" = "payload"): Next => ({
  kind: "cursor",
  from,
  paths,
  isText: true,
  advance: (message, value) => ({ ...message, cursor: String(value) }),
});

const STEP: Next = {
  kind: "step",
  by: "items",
  total: "total",
  before: ({ offset }) => offset,
  advance: (message, by) => ({ ...message, offset: message.offset + by }),
};
const MORE = { more: { key: "more", values: ["true"] } };

const RULES: Readonly<Record<string, Rule>> = {
  cursor: { next: next(["a"]), places: ["a"] },
  "nested cursor": { next: next(["a.b"]), places: ["a", "a.b"] },
  "several cursors": { next: next(["a", "b.c", "d"]), places: ["a", "b", "b.c", "d"] },
  "cursor and more": { ...MORE, next: next(["a"]), places: ["a", "more"], leads: { a: "x" } },
  "last item": { next: next(["a"], "last_item"), places: ["posts[1].a"] },
  "nested in the last item": {
    next: next(["a.b"], "last_item"),
    places: ["posts[1].a", "posts[1].a.b"],
  },
  "field of the last item": { next: next(["name"], "last_item"), places: ["posts[1].name"] },
  "several in the last item": {
    next: next(["a", "b", "name"], "last_item"),
    places: ["posts[1].a", "posts[1].b", "posts[1].name"],
  },
  "last item and more": { ...MORE, next: next(["a"], "last_item"), places: ["posts[1].a", "more"] },
  link: { next: { kind: "link", path: "a" }, places: ["a"] },
  "nested link": { next: { kind: "link", path: "a.b" }, places: ["a", "a.b"] },
  "link and query": { next: { kind: "link", path: "a.b", query: "a.q" }, places: ["a", "a.b", "a.q"] },
  "link and more": {
    ...MORE,
    next: { kind: "link", path: "a" },
    places: ["a", "more"],
    leads: { a: "/v2/items?cursor=1" },
  },
  "link and more in one object": {
    more: { key: "a.more", values: ["true"] },
    next: { kind: "link", path: "a.b" },
    places: ["a", "a.more", "a.b"],
    leads: { a: { b: "/v2/items?cursor=1" } },
  },
  total: { next: STEP, places: ["total"] },
  "total and more": { ...MORE, next: STEP, places: ["total", "more"] },
};

let server: TestServer;
let page: unknown;
let requests = 0;

beforeAll(async () => {
  server = await httpUpstream((_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(requests++ === 0 ? page : { posts: [], more: false, a: { more: false } }));
  });
});

afterAll(() => server[Symbol.asyncDispose]());

/** Sets a value at a path. */
function place(root: object, path: string, value: unknown): void {
  const steps = path.replace(/\[(\d)\]/, ".$1").split(".");
  const last = steps.pop() ?? "";
  let at = root as Record<string, unknown>;
  for (const step of steps) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>;
  }
  if (value === undefined) {
    delete at[last];
  } else {
    at[last] = value;
  }
}

interface Outcome {
  readonly differences: readonly Difference[];
  /** The total of the counts of all reports. */
  readonly count: number;
  readonly error: ConnectError | undefined;
}

async function listed(rule: Rule): Promise<Outcome> {
  const { places: _places, leads: _leads, ...parts } = rule;
  const differences: Difference[] = [];
  let count = 0;
  let error: ConnectError | undefined;
  requests = 0;
  const rest = createRest({
    adapters: [streamService("list", listAdapter(parts.next, {}, parts))],
    upstreams: { things: { baseUrl: server.url } },
    onDifference: (report) => {
      differences.push(...report.differences);
      count += report.counts.additional + report.counts.converted + report.counts.lost;
    },
  });
  try {
    const messages = (async function* () {
      yield {};
    })();
    const { list } = StreamService.method;
    const { message } = await rest.transport.stream(list, undefined, undefined, undefined, messages);
    for await (const _item of message as AsyncIterable<Item>);
  } catch (thrown) {
    error = thrown as ConnectError;
  } finally {
    await rest.close();
  }
  return { differences, count, error };
}

/** Reports whether a value is neither absent, nor a way to say that there is no next page. */
function isFault(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !isDeepStrictEqual(value, { href: "" });
}

/** Each rule, with each place that it reads and each value of its flag for more pages. */
const CASES = Object.entries(RULES).flatMap(([name, rule]) =>
  rule.places.flatMap((path) => [undefined, true, false].map((more) => ({ name, path, more, rule }))),
);

test.each(CASES)(
  "$name: each value of $path is reported at most once, if the flag is $more",
  async (drawn) => {
    const { path, more, rule } = drawn;
    if (rule.more === undefined && more !== undefined) return;
    const isFlag = path === rule.more?.key;
    const isParent = rule.places.some((each) => each.startsWith(`${path}.`));
    for (const value of VALUES) {
      page = { posts: [{ name: "a" }, {}], ...structuredClone(rule.leads) };
      if (rule.more !== undefined) place(page as object, rule.more.key, more);
      place(page as object, path, value);
      const { differences, count, error } = await listed(rule);
      const reports = differences.map((each) => `${each.class} ${each.path}`);
      expect([value, new Set(differences.map((each) => each.path)).size]).toEqual([value, reports.length]);
      expect([value, count]).toEqual([value, reports.length]);
      // a list that ends although the value is not absent
      const isSilent = requests === 1 && error === undefined && reports.length === 0;
      const isObject = isParent || (rule.next.kind === "link" && rule.next.query === path);
      const isSaid = isFlag || more === false || (isObject && isJsonObject(value as JsonValue));
      if (isFault(value) && !isSaid) expect([value, isSilent]).toEqual([value, false]);
    }
  },
);
