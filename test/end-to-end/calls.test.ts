import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { type ListPostsRequestSchema, PostService, SortOrder } from "../../gen/blog/v1/post_pb.ts";
import { type Post, PostFilter, PostState, PostType } from "../../gen/blog/v1/post_resource_pb.ts";
import { EventType } from "../../gen/events/v1/event_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { GATEWAY_WAYS, startWorld, WAYS, type Way, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  world.sandbox.clearRates();
  world.sandbox.received.clear();
});
afterAll(() => world.close());

const blogs = (way: Way) => world.client(BlogService, way);
const posts = (way: Way) => world.client(PostService, way);
const events = (way: Way) => world.client(EventService, way);

test("GetBlogInfo: returns the upstream's values", async () => {
  const { blog } = await blogs("in-process").getBlogInfo({ blogIdentifier: "demo" });
  expect(blog).toMatchObject({
    name: "demo",
    uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
    url: "https://demo.blog.example/",
    title: "Demo & friends",
    description: "A blog with <b>everything</b> on it — 🌳",
    updated: { seconds: 1_761_994_800n, nanos: 0 },
    themeId: 3814n,
    totalPosts: 53,
    ask: true,
    drafts: 23,
    submissionTerms: { title: "Send me things" },
  });
  expect(blog?.avatar.map(({ width }) => width)).toEqual([512, 128, 96, 64]);
  expect(world.sandbox.received.last?.url).toBe("/v2/blog/demo/info");
});

test.each(GATEWAY_WAYS)("GetBlogInfo: returns the same message by %s as in-process", async (way) => {
  const request = { blogIdentifier: "t:Dm0aXQkq5rCkyTnYIYv1Nw", fields: ["?is_following_you"] };
  const message = await blogs(way).getBlogInfo(request);
  expect(message).toEqual(await blogs("in-process").getBlogInfo(request));
  expect(message.blog).toMatchObject({ name: "demo", isFollowingYou: false });
  expect(world.sandbox.received.last?.url).toBe(
    "/v2/blog/t%3ADm0aXQkq5rCkyTnYIYv1Nw/info?fields%5Bblogs%5D=%3Fis_following_you",
  );
});

type ListPosts = Omit<MessageInitShape<typeof ListPostsRequestSchema>, "$typeName">;

interface Case {
  readonly name: string;
  readonly request: ListPosts | ((newest: readonly bigint[]) => ListPosts);
  /** The query that the upstream receives, without the blog; `ID` represents the newest post. */
  readonly query: string;
  /** A short summary of the response. */
  readonly facts: (posts: readonly Post[], total: number | undefined) => unknown;
  readonly expected: unknown | ((newest: readonly bigint[]) => unknown);
}

const ids = (found: readonly Post[]) => found.map(({ id }) => id);

const CASES: readonly Case[] = [
  {
    name: "no parameters: the first page",
    request: {},
    query: "",
    facts: (found, total) => [found.length, ids(found).slice(0, 2), total],
    expected: (newest: readonly bigint[]) => [20, newest.slice(0, 2), 53],
  },
  {
    name: "limit",
    request: { limit: 2 },
    query: "?limit=2",
    facts: ids,
    expected: (newest: readonly bigint[]) => newest.slice(0, 2),
  },
  {
    name: "limit and offset",
    request: { limit: 1, offset: 1 },
    query: "?limit=1&offset=1",
    facts: ids,
    expected: (newest: readonly bigint[]) => newest.slice(1, 2),
  },
  {
    name: "type",
    request: { type: PostType.PHOTO, limit: 3 },
    query: "/photo?limit=3",
    facts: (found) => found.map(({ type, typeName }) => [type, typeName]),
    expected: new Array(3).fill([PostType.PHOTO, "photo"]),
  },
  {
    name: "several tags, one of them with characters that must be encoded",
    request: { tags: ["seed", "c++", "Café au lait"], limit: 20 },
    query: "?tag%5B0%5D=seed&tag%5B1%5D=c%2B%2B&tag%5B2%5D=Caf%C3%A9%20au%20lait&limit=20",
    facts: (found, total) => [new Set(found.map(({ tags }) => tags.join())), total],
    expected: [new Set(["seed,demo,Café au lait,two words,c++"]), 8],
  },
  {
    name: "before",
    request: { before: timestampFromDate(new Date("2025-11-01T11:00:00Z")), limit: 1 },
    query: "?limit=1&before=1761994800",
    facts: ids,
    expected: (newest: readonly bigint[]) => newest.slice(1, 2),
  },
  {
    name: "after, oldest first",
    request: { after: timestampFromDate(new Date("2025-11-01T09:59:00Z")), sort: SortOrder.ASC },
    query: "?after=1761991140&sort=asc",
    facts: ids,
    expected: (newest: readonly bigint[]) => newest.slice(0, 2).toReversed(),
  },
  {
    name: "one post by its id",
    request: ([newest = 0n]) => ({ postId: newest }),
    query: "?id=ID",
    facts: (found, total) => [ids(found), total],
    expected: (newest: readonly bigint[]) => [newest.slice(0, 1), 1],
  },
  {
    name: "blocks, notes and reblog information",
    request: { npf: true, reblogInfo: true, notesInfo: true, limit: 1 },
    query: "?limit=1&reblog_info=true&notes_info=true&npf=true",
    facts: (found) => found.map(({ typeName, isBlocksPostFormat }) => [typeName, isBlocksPostFormat]),
    expected: [["blocks", true]],
  },
  {
    name: "texts without HTML, and chosen fields of blogs",
    request: { filter: PostFilter.TEXT, blogFields: ["name", "?is_following_you"], limit: 1 },
    query: "?limit=1&filter=text&fields%5Bblogs%5D=name%2C%3Fis_following_you",
    facts: (found) => found.map(({ blog }) => [blog?.name, blog?.isFollowingYou, blog?.title]),
    expected: [["demo", false, ""]],
  },
];

describe.each(CASES)("ListPosts with $name", ({ request, query, facts, expected }) => {
  const message = () => ({
    blogIdentifier: "demo",
    ...(typeof request === "function" ? request(world.newest) : request),
  });

  test("returns the upstream's values", async () => {
    const answer = await posts("in-process").listPosts(message());
    expect(facts(answer.posts, answer.totalPosts)).toEqual(
      typeof expected === "function" ? expected(world.newest) : expected,
    );
    expect(decodeComma(world.sandbox.received.last?.url)).toBe(
      decodeComma(`/v2/blog/demo/posts${query.replace("ID", String(world.newest[0]))}`),
    );
  });

  test.each(GATEWAY_WAYS)("returns the same message by %s as in-process", async (way) => {
    const answer = await posts(way).listPosts(message());
    expect(answer).toEqual(await posts("in-process").listPosts(message()));
    const [byGateway, inProcess] = world.sandbox.received.all("/posts").map(({ url }) => url);
    expect(byGateway).toBe(inProcess);
  });
});

/** Decodes commas in a query, where both forms are equivalent. */
function decodeComma(url: string | undefined): string | undefined {
  return url?.replaceAll("%2C", ",");
}

test.each(WAYS)("CreatePost: creates a post by %s, which the list then contains", async (way) => {
  const created = await posts(way).createPost({
    blogIdentifier: "demo",
    content: [
      { block: { case: "text", value: { text: `Made by ${way} — 🌳` } } },
      { block: { case: "text", value: { text: "a list item", subtype: 7, indentLevel: 1 } } },
    ],
    tags: ["two words", "🌳"],
    state: PostState.PUBLISHED,
  });
  expect(created).toMatchObject({ state: PostState.PUBLISHED, displayText: "Posted to demo" });
  expect(created.id).toBeGreaterThan(735_000_000_000_000_000n);
  expect(world.sandbox.received.last).toMatchObject({ method: "POST", url: "/v2/blog/demo/posts" });
  expect(world.sandbox.received.last?.json).toEqual({
    content: [
      { type: "text", text: `Made by ${way} — 🌳` },
      { type: "text", text: "a list item", subtype: "ordered-list-item", indent_level: 1 },
    ],
    tags: "two words,🌳",
    state: "published",
  });
  const listed = await posts(way).listPosts({ blogIdentifier: "demo", postId: created.id });
  expect(listed.posts).toMatchObject([
    { id: created.id, tags: ["two words", "🌳"], summary: `Made by ${way} — 🌳` },
  ]);
});

test("CreatePost: creates one post per call", async () => {
  const total = async () => (await posts("in-process").listPosts({ blogIdentifier: "demo" })).totalPosts ?? 0;
  const before = await total();
  const content = [{ block: { case: "text", value: { text: "once" } } } as const];
  for (const way of WAYS) await posts(way).createPost({ blogIdentifier: "demo", content });
  expect(await total()).toBe(before + WAYS.length);
});

const request = { owner: "Octo", repo: "hello", perPage: 3 };

test("ListRepositoryEvents: returns the upstream's values from its body and headers", async () => {
  const answer = await events("in-process").listRepositoryEvents(request);
  expect(answer).toMatchObject({
    etag: expect.stringMatching(/^W\/"[0-9a-f]{64}"$/),
    notModified: false,
    pollIntervalSeconds: 60,
    lastModified: "Sat, 01 Nov 2025 11:20:00 GMT",
    nextPageUrl: `${world.sandbox.feedUrl}/repositories/201/events?per_page=3&page=2`,
    lastPageUrl: `${world.sandbox.feedUrl}/repositories/201/events?per_page=3&page=57`,
    previousPageUrl: "",
    rateLimit: 5000,
    rateLimitRemaining: 4999,
  });
  expect(answer.events.map(({ id }) => id)).toEqual(["52000000420", "52000000419", expect.any(String)]);
  expect(answer.events[0]).toMatchObject({
    type: EventType.ISSUES,
    typeName: "IssuesEvent",
    actor: { id: 101n, login: "octavia" },
    repo: { id: 201n, name: "octo/hello" },
    org: { login: "octo" },
    public: true,
    createdAt: { seconds: 1_761_996_000n, nanos: 0 },
  });
  expect(world.sandbox.received.last?.headers).toMatchObject({
    accept: "application/vnd.service+json",
    "x-service-api-version": "2022-11-28",
    authorization: `Bearer ${world.sandbox.credentials.feedToken}`,
  });
});

test.each(WAYS)(
  "ListRepositoryEvents: by %s returns the same message, then 304, then only new events",
  async (way) => {
    world.sandbox.limits.feedCallsWithToken = Number.POSITIVE_INFINITY;
    const first = await events(way).listRepositoryEvents(request);
    expect(first).toEqual(await events("in-process").listRepositoryEvents(request));

    const second = await events(way).listRepositoryEvents({ ...request, ifNoneMatch: first.etag });
    expect(second).toMatchObject({
      notModified: true,
      events: [],
      etag: first.etag,
      pollIntervalSeconds: 60,
    });
    expect(world.sandbox.received.last?.headers["if-none-match"]).toBe(first.etag);

    const id = world.sandbox.events.publish({
      type: "WatchEvent",
      actor: "marvin",
      repo: "octo/hello",
      payload: { action: "started" },
    });
    const third = await events(way).listRepositoryEvents({ ...request, ifNoneMatch: first.etag });
    expect(third).toMatchObject({ notModified: false });
    expect(third.events[0]).toMatchObject({ id, type: EventType.WATCH, actor: { login: "marvin" } });
    expect(third.etag).not.toBe(first.etag);
  },
);

test("no response in these tests has lost a value", () => {
  const lost = world.differences.flatMap(({ differences }) =>
    differences.filter((each) => each.class === "lost"),
  );
  expect(lost).toEqual([]);
});
