import type { IncomingMessage } from "node:http";
import { Code, createClient, createRouterTransport } from "@connectrpc/connect";
import { table } from "connect-rest-codec/internal";
import { afterEach, expect, test } from "vitest";
import type { NextPage, PaginateAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import type { CallReport, DifferenceReport, RestOptions } from "../call/options.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { cursorNumber } from "../request/cursor.ts";
import { createRest, type Rest, restRoutes } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import {
  type Item,
  type ListRequest,
  listAdapter,
  StreamService,
  streamService,
} from "../testing/stream-service.ts";
import type { UpstreamOptions } from "../upstream/options.ts";

const OPEN: Array<{ close(): Promise<void> }> = [];
const SERVERS: TestServer[] = [];

afterEach(async () => {
  for (const server of SERVERS.splice(0)) await server[Symbol.asyncDispose]();
  for (const rest of OPEN.splice(0)) await rest.close();
});

type Input = typeof StreamService.method.list.input;
type TestResponse = {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly status?: number;
};

interface Setup {
  readonly rules?: Partial<MethodRules>;
  readonly parts?: Partial<PaginateAdapter<Input, typeof StreamService.method.list.output>>;
  readonly upstream?: UpstreamOptions;
  readonly options?: Partial<RestOptions>;
}

/** An upstream whose responses depend on the path and the query. */
class Upstream {
  readonly seen: string[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly server: TestServer;
  readonly rest: Rest;

  private constructor(server: TestServer, rest: Rest, seen: string[], requests: IncomingMessage[]) {
    this.server = server;
    this.rest = rest;
    this.seen = seen;
    this.requests = requests;
  }

  static async start(
    respond: (url: string, request: IncomingMessage) => TestResponse | undefined,
    next: NextPage<Input>,
    { rules, parts, upstream, options }: Setup = {},
  ): Promise<Upstream> {
    const seen: string[] = [];
    const requests: IncomingMessage[] = [];
    const server = await httpUpstream((request, response) => {
      seen.push(request.url ?? "");
      requests.push(request);
      const sent = respond(request.url ?? "", request);
      if (sent === undefined) return;
      for (const [name, value] of Object.entries(sent.headers ?? {})) response.setHeader(name, value);
      response.statusCode = sent.status ?? 200;
      if (typeof sent.body === "string") {
        response.end(sent.body);
      } else {
        sendJson(response, sent.body);
      }
    });
    SERVERS.push(server);
    const rest = createRest({
      adapters: [streamService("list", listAdapter(next, rules, parts))],
      upstreams: { things: { baseUrl: server.url, ...upstream } },
      ...options,
    });
    OPEN.push(rest);
    return new Upstream(server, rest, seen, requests);
  }

  list(request: Partial<ListRequest> = {}, signal?: AbortSignal) {
    const { list } = StreamService.method;
    return items(this.rest.transport.stream(list, signal, undefined, undefined, one(request) as never));
  }

  async all(request: Partial<ListRequest> = {}): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of this.list(request)) names.push(name);
    return names;
  }
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield value;
}

async function* items(response: Promise<{ readonly message: AsyncIterable<Item> }>): AsyncGenerator<Item> {
  yield* (await response).message;
}

function page(...names: string[]): { posts: Array<{ name: string }> } {
  return { posts: names.map((name) => ({ name })) };
}

const link: NextPage<Input> = { kind: "link", path: "_links.next" };

test("a list requests a page only when the first item of the page is requested", async () => {
  const upstream = await Upstream.start((url) => {
    if (url === "/v2/items?key=k") {
      return { body: { ...page("a", "b"), _links: { next: { href: "/v2/items?p=2&c=%2B+x" } } } };
    }
    return { body: page("c") };
  }, link);
  const list = upstream.list({ key: "k" });
  expect(upstream.seen).toEqual([]);
  expect((await list.next()).value?.name).toBe("a");
  expect((await list.next()).value?.name).toBe("b");
  expect(upstream.seen).toEqual(["/v2/items?key=k"]);
  expect((await list.next()).value?.name).toBe("c");
  expect(upstream.seen).toEqual(["/v2/items?key=k", "/v2/items?p=2&c=%2B+x"]);
  expect((await list.next()).done).toBe(true);
  expect(upstream.seen).toHaveLength(2);
  expect(upstream.requests[1]?.headers["x-version"]).toBe("1");
});

test.each([
  ["a string", (_url: string) => "/v2/items?p=2", "/v2/items?p=2"],
  ["an absolute address", (url: string) => `${url}/v2/items?p=2#x`, "/v2/items?p=2"],
  ["only a query", () => "?p=2", "/v2/items?p=2"],
  ["a relative path", () => "more?p=2", "/v2/more?p=2"],
  ["the base itself", () => "/v2", "/v2"],
])("a list follows a link to its next page that is %s", async (_what, href, expected) => {
  const upstream: Upstream = await Upstream.start(
    (url) => ({
      body: url === "/v2/items" ? { ...page("a"), _links: { next: href(upstream.server.url) } } : page("b"),
    }),
    link,
  );
  expect(await upstream.all()).toEqual(["a", "b"]);
  expect(upstream.seen[1]).toBe(expected);
});

test("a list with a base path only follows links within that path", async () => {
  const respond = (next: string) => (url: string) => ({
    body: url.endsWith("/items") ? { ...page("a"), _links: { next } } : page("b"),
  });
  const api = async (next: string) => {
    const upstream = await Upstream.start(respond(next), link, {
      upstream: { baseUrl: undefined, bases: { api: "http://127.0.0.1:1/api" } },
      rules: { base: "api" },
    });
    const rest = createRest({
      adapters: upstream.rest.adapters,
      upstreams: { things: { bases: { api: `${upstream.server.url}/api` } } },
    });
    OPEN.push(rest);
    return { upstream, list: () => createClient(StreamService, rest.transport).list({}) };
  };
  const inside = await api("/api/v2/items?p=2");
  const names: string[] = [];
  for await (const { name } of inside.list()) names.push(name);
  expect(names).toEqual(["a", "b"]);
  expect(inside.upstream.seen).toEqual(["/api/v2/items", "/api/v2/items?p=2"]);
  for (const path of ["/other", "/apiary", "/api/../secret", "../../../x", "/api/%2e%2e/x", "/"]) {
    const outside = await api(path);
    const error = await failureOf(async () => {
      for await (const _ of outside.list());
    });
    expect(error.rawMessage).toBe(
      "upstream things: test.v1.StreamService.List: expected a link to the next page below the base URL, got a path outside of it",
    );
    expect(outside.upstream.seen).toHaveLength(1);
  }
});

test.each([
  ["http://169.254.169.254/latest", "another host"],
  ["//evil.test/v2", "another host"],
  ["https://127.0.0.1/v2", "another host"],
  ["javascript:alert(1)", "another host"],
  ["http://[", "a text that is no address"],
  [{ href: 7 }, "a value that is no link"],
  [["/v2"], "a value that is no link"],
])("a list never follows a link of the form %j", async (next, problem) => {
  const upstream = await Upstream.start(() => ({ body: { ...page("a"), _links: { next } } }), link);
  const list = upstream.list();
  expect((await list.next()).value?.name).toBe("a");
  const error = await failureOf(list.next());
  expect(error.rawMessage).toBe(
    `upstream things: test.v1.StreamService.List: expected a link to the next page below the base URL, got ${problem}`,
  );
  expect([error.code, reasonOf(error)]).toEqual([Code.Internal, "PAGE_LINK_REFUSED"]);
  expect(upstream.seen).toHaveLength(1);
});

test("a list rejects a link with a user name, even on the same host", async () => {
  const upstream: Upstream = await Upstream.start(
    () => ({ body: { ...page("a"), _links: { next: upstream.server.url.replace("//", "//me:pw@") } } }),
    link,
  );
  expect((await failureOf(upstream.all())).rawMessage).toContain("got a user or a password in it");
});

test.each([[undefined], [null], [""], [false], [[]], [{}], [{ href: "" }]])(
  "a list ends if its link to the next page is %j",
  async (next) => {
    const upstream = await Upstream.start(() => ({ body: { ...page("a"), _links: { next } } }), link);
    expect(await upstream.all()).toEqual(["a"]);
  },
);

test("a list continues after a page without items, in any representation", async () => {
  for (const posts of [[], null, {}]) {
    const upstream = await Upstream.start(
      (url) => ({
        body: url === "/v2/items" ? { posts, _links: { next: "?p=2" } } : { ...page("a"), _links: {} },
      }),
      link,
    );
    expect(await upstream.all()).toEqual(["a"]);
    expect(upstream.seen).toHaveLength(2);
  }
  const itself = await Upstream.start(() => ({ body: { posts: [], _links: { next: "/v2/items" } } }), link);
  expect(await itself.all()).toEqual([]);
  expect(itself.seen).toHaveLength(1);
  const empty = await Upstream.start(() => ({ body: "", status: 204 }), link);
  expect(await empty.all()).toEqual([]);
});

test("a list fails if the link leads to the same page", async () => {
  const upstream = await Upstream.start(
    () => ({ body: { ...page("a"), _links: { next: "/v2/items" } } }),
    link,
  );
  const error = await failureOf(upstream.all());
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.StreamService.List: the link of the page leads back to the same page",
  );
  expect(reasonOf(error)).toBe("PAGE_REPEATED");
});

test("a list fails after the maximum number of pages if there are more", async () => {
  let count = 0;
  const upstream = await Upstream.start(
    () => ({ body: { ...page(String(++count)), _links: { next: `/v2/items?p=${count}` } } }),
    link,
    { parts: { maxPages: 3 } },
  );
  const names: string[] = [];
  const error = await failureOf(async () => {
    for await (const { name } of upstream.list()) names.push(name);
  });
  expect(names).toEqual(["1", "2", "3"]);
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.StreamService.List: the list has more than 3 pages",
  );
  expect([error.code, reasonOf(error)]).toEqual([Code.ResourceExhausted, "PAGES_EXCEEDED"]);
  expect(upstream.seen).toHaveLength(3);
});

test("a list may have exactly the maximum number of pages", async () => {
  const upstream = await Upstream.start(() => ({ body: page("a") }), link, { parts: { maxPages: 1 } });
  expect(await upstream.all()).toEqual(["a"]);
});

const keyed = { credentials: ["api_key"], apiKey: { query: "api_key" } } as const;

test("each page request contains the credentials exactly once, even if the link contains the key", async () => {
  const upstream = await Upstream.start(
    (url) => ({
      body: url.includes("p=2")
        ? page("b")
        : { ...page("a"), _links: { next: "/v2/items?api_key=k+1&x=%20a&p=2&api%5Fkey=old&y" } },
    }),
    link,
    { rules: keyed, upstream: { credentials: { apiKey: "k 1" } } },
  );
  expect(await upstream.all()).toEqual(["a", "b"]);
  expect(upstream.seen).toEqual(["/v2/items?api_key=k%201", "/v2/items?x=%20a&p=2&y&api_key=k%201"]);
});

test("each page request has a separate signature", async () => {
  const upstream = await Upstream.start(
    (url) => ({
      body: url.includes("p=2") ? page("b") : { ...page("a"), _links: { next: "/v2/items?p=2&a[0]=b" } },
    }),
    link,
    {
      rules: { credentials: ["oauth1_client"] },
      upstream: { credentials: { oauth1: { consumerKey: "ck", consumerSecret: "cs" } } },
    },
  );
  expect(await upstream.all()).toEqual(["a", "b"]);
  const signatures = upstream.requests.map(
    ({ headers }) => /oauth_signature="([^"]+)"/.exec(headers.authorization ?? "")?.[1],
  );
  expect(new Set(signatures).size).toBe(2);
  expect(signatures).not.toContain(undefined);
});

test("a list with a Link header follows the link with the given relation", async () => {
  const upstream: Upstream = await Upstream.start(
    (url) => ({
      body: url.includes("page=2") ? [{ name: "b" }] : [{ name: "a" }],
      headers: url.includes("page=2")
        ? { link: `<${upstream.server.url}/repositories/1?page=1>; rel="prev"` }
        : {
            link: `<${upstream.server.url}/x>; rel="last", <${upstream.server.url}/repositories/1?page=2>; rel="next"`,
          },
    }),
    { kind: "link_header", rel: "next" },
    { parts: { items: [""] } },
  );
  expect(await upstream.all()).toEqual(["a", "b"]);
  expect(upstream.seen).toEqual(["/v2/items", "/repositories/1?page=2"]);
});

test("a list with a Link header ends if the address in it is empty", async () => {
  const upstream = await Upstream.start(() => ({ body: page("a"), headers: { link: '<>; rel="next"' } }), {
    kind: "link_header",
    rel: "next",
  });
  expect(await upstream.all()).toEqual(["a"]);
});

test("a list with an offset skips the received items, until a page is empty", async () => {
  const pages: Record<string, unknown> = { "/v2/items": page("a", "b"), "/v2/items?offset=2": page("c") };
  const upstream = await Upstream.start((url) => ({ body: pages[url] ?? page() }), {
    kind: "step",
    by: "items",
    advance: (message, by) => ({ ...message, offset: message.offset + by }),
  });
  expect(await upstream.all()).toEqual(["a", "b", "c"]);
  expect(upstream.seen).toEqual(["/v2/items", "/v2/items?offset=2", "/v2/items?offset=3"]);
});

test("a list with a page number advances by one page, until a page is empty", async () => {
  const upstream = await Upstream.start(
    (url) => ({ body: url.endsWith("page=3") ? page() : page(url.slice(9)) }),
    {
      kind: "step",
      by: "page",
      advance: (message, by) => ({ ...message, page: (message.page || 1) + by }),
    },
  );
  expect(await upstream.all()).toEqual(["", "?page=2"]);
});

const cursor: NextPage<Input> = {
  kind: "cursor",
  from: "payload",
  paths: ["next"],
  advance: (message, value) => ({ ...message, cursor: String(value) }),
};

test("a list with a cursor sends the cursor of each page, and ends at a page without a cursor", async () => {
  for (const last of [undefined, null, "", false, [], {}]) {
    const upstream = await Upstream.start(
      (url) => ({
        body: url.includes("cursor") ? { ...page("b"), next: last } : { ...page("a"), next: "n/1" },
      }),
      cursor,
    );
    expect(await upstream.all()).toEqual(["a", "b"]);
    expect(upstream.seen[1]).toBe("/v2/items?cursor=n%2F1");
  }
});

const NamedTable = table("test.v1.Item", () => [[2, "string", "name"]]);

test("a cursor in the last item is read exactly, also beyond 2^53", async () => {
  const upstream = await Upstream.start(
    (url) => ({
      body: url.includes("cursor")
        ? '{"posts":[]}'
        : '{"posts":[{"id":1},{"name":"x","id":700000000000000001}]}',
    }),
    { ...cursor, from: "last_item", paths: ["id"] },
    { parts: { item: NamedTable } },
  );
  await upstream.all();
  expect(upstream.seen[1]).toBe("/v2/items?cursor=700000000000000001");
});

test("if several cursors are possible, the first that is present is used", async () => {
  const upstream = await Upstream.start(
    (url) => {
      if (url.includes("cursor=c")) return { body: page() };
      const [last] = url.includes("cursor") ? [{ name: "b", shown: null, id: "c" }] : [{ shown: 5, id: 7 }];
      return { body: { posts: [{ name: "a" }, last] } };
    },
    { ...cursor, from: "last_item", paths: ["shown", "id"] },
    { parts: { item: NamedTable } },
  );
  await upstream.all();
  expect(upstream.seen).toEqual(["/v2/items", "/v2/items?cursor=5", "/v2/items?cursor=c"]);
});

test("a list with a cursor fails if the cursor does not change", async () => {
  const upstream = await Upstream.start(() => ({ body: { ...page("a"), next: 5 } }), cursor);
  const names: string[] = [];
  const error = await failureOf(async () => {
    for await (const { name } of upstream.list()) names.push(name);
  });
  expect(names).toEqual(["a", "a"]);
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.StreamService.List: the cursor of the page leads back to the same page",
  );
});

test.each([
  [{ id: { S: "b" } }, "object"],
  [["b", 1], "array"],
])("a list with a cursor fails after its first page if the cursor is %j", async (next, got) => {
  const upstream = await Upstream.start(() => ({ body: { ...page("a"), next } }), cursor);
  const names: string[] = [];
  const error = await failureOf(async () => {
    for await (const { name } of upstream.list()) names.push(name);
  });
  expect(names).toEqual(["a"]);
  expect(upstream.seen).toHaveLength(1);
  expect(error.rawMessage).toBe(
    `upstream things: test.v1.StreamService.List: next: expected a cursor that is a text or a number, got ${got}`,
  );
});

type Cursor = Extract<NextPage<Input>, { kind: "cursor" }>;

test.each<[from: Pick<Cursor, "from" | "paths" | "overlap">, body: object, place: string]>([
  [{ from: "payload", paths: ["next"] }, { next: "2026-01-01T00:00:00Z" }, "next"],
  [{ from: "payload", paths: ["meta.last", "next"] }, { next: "2026-01-01T00:00:00Z" }, "meta.last or next"],
  [{ from: "last_item", paths: ["name"] }, {}, "posts[0].name"],
  [
    {
      from: "last_item",
      paths: ["name"],
      overlap: { key: "name", unit: "seconds", again: 1, past: 0 },
    },
    {},
    "posts[0].name",
  ],
])(
  "the error for an unusable cursor names the upstream, the method and the place: %j",
  async (from, body, place) => {
    const next: Cursor = {
      kind: "cursor",
      ...from,
      advance: (message, value) => ({ ...message, page: cursorNumber(value) }),
    };
    const upstream = await Upstream.start(() => ({ body: { ...page("a"), ...body } }), next);
    const error = await failureOf(upstream.all());
    expect(error.rawMessage).toMatch(
      /^upstream things: test\.v1\.StreamService\.List: (.*): expected a cursor that is an? (?:integer|time as seconds), got "(?:a|2026.*)"$/,
    );
    expect(error.rawMessage).toContain(`: ${place}: expected`);
  },
);

test("the items of a list are exact, and differences name their place in the page", async () => {
  const differences: DifferenceReport[] = [];
  const upstream = await Upstream.start(
    () => ({ body: '{"response":{"posts":[{"id":700000000000000001},7,{"id":"x","name":5}]}}' }),
    link,
    {
      rules: { envelope: { payload: ["response"] } },
      options: { onDifference: (report) => differences.push(report) },
    },
  );
  const ids: bigint[] = [];
  for await (const { id } of upstream.list()) ids.push(id);
  expect(ids).toEqual([700000000000000001n, 0n]);
  expect(differences).toHaveLength(1);
  expect(differences[0]?.differences.map((each) => `${each.class} ${each.path}`)).toEqual([
    "lost posts[1]",
    "lost posts[2].id",
    "converted posts[2].name",
  ]);
});

test("an item with a lost value ends a strict stream", async () => {
  const upstream = await Upstream.start(() => ({ body: { posts: [{ id: "x" }] } }), link, {
    options: { strict: true },
  });
  const error = await failureOf(upstream.all());
  expect(error.rawMessage).toBe(
    "upstream things: test.v1.StreamService.List: posts[0].id: expected uint64, got string (differences: fail)",
  );
});

test("a page that fails causes an error after the items of earlier pages", async () => {
  const upstream = await Upstream.start(
    (url) =>
      url.includes("p=2")
        ? { body: { message: "gone" }, status: 404 }
        : { body: { ...page("a"), _links: { next: "?p=2" } } },
    link,
  );
  const list = upstream.list();
  expect((await list.next()).value?.name).toBe("a");
  const error = await failureOf(list.next());
  expect(error.rawMessage).toBe("upstream things responded with 404 Not Found: gone");
  expect(error.code).toBe(Code.NotFound);
});

test("a stream of pages is reported as one call", async () => {
  const calls: CallReport[] = [];
  const upstream = await Upstream.start(
    (url) => ({ body: url.includes("p=2") ? page("b") : { ...page("a"), _links: { next: "?p=2" } } }),
    link,
    { options: { onCall: (report) => calls.push(report) } },
  );
  await upstream.all();
  expect(calls).toHaveLength(1);
  expect(calls[0]).toMatchObject({ verb: "GET", upstreamStatus: 200, error: undefined });
  expect(calls[0]?.differences).toEqual({ additional: 0, converted: 0, lost: 0 });
  expect(calls[0]?.bytes).toBeGreaterThan(40);
});

test("a stream of pages aborts the running request when its caller cancels", async () => {
  const controller = new AbortController();
  const upstream = await Upstream.start((url) => {
    if (!url.includes("p=2")) return { body: { ...page("a"), _links: { next: "?p=2" } } };
    controller.abort();
    return undefined;
  }, link);
  const list = upstream.list({}, controller.signal);
  await list.next();
  const closed = upstream.server.socketClosed();
  const error = await failureOf(list.next());
  expect(error.code).toBe(Code.Canceled);
  await closed;
});

test("a stream of pages aborts the running request when its reader leaves", async () => {
  const asked = Promise.withResolvers<void>();
  const upstream = await Upstream.start((url) => {
    if (!url.includes("p=2")) return { body: { ...page("a"), _links: { next: "?p=2" } } };
    asked.resolve();
    return undefined;
  }, link);
  const { list } = StreamService.method;
  const response = await upstream.rest.transport.stream(
    list,
    undefined,
    undefined,
    undefined,
    one({}) as never,
  );
  const iterator = response.message[Symbol.asyncIterator]();
  await iterator.next();
  const closed = upstream.server.socketClosed();
  const pending = failureOf(iterator.next());
  await asked.promise;
  await iterator.return?.();
  expect((await pending).code).toBe(Code.Canceled);
  await closed;
});

test("a stream of pages has one deadline for all pages", async () => {
  const clock = new FakeClock();
  const upstream = await Upstream.start(
    (url) => {
      clock.advance(40);
      const p = Number(/p=(\d)/.exec(url)?.[1] ?? 1) + 1;
      return { body: { ...page("a"), _links: { next: `?p=${p}` } } };
    },
    link,
    { options: { clock }, rules: { timeoutMs: 100 } },
  );
  const list = upstream.list();
  await list.next();
  await list.next();
  const error = await failureOf(list.next());
  expect([error.code, reasonOf(error)]).toEqual([Code.DeadlineExceeded, "DEADLINE_EXCEEDED"]);
  expect(clock.running).toBe(0);
});

test("routes serve a stream of pages, with the headers of the first page", async () => {
  const upstream = await Upstream.start(
    () => ({ body: page("a", "b"), headers: { "x-ratelimit-remaining": "9" } }),
    link,
  );
  const client = createClient(StreamService, createRouterTransport(restRoutes(upstream.rest)));
  let headers = new Headers();
  const names: string[] = [];
  for await (const { name } of client.list({}, { onHeader: (header) => (headers = header) })) {
    names.push(name);
  }
  expect(names).toEqual(["a", "b"]);
  expect(headers.get("x-ratelimit-remaining")).toBe("9");
});
