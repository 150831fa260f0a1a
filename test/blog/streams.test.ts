import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { type Api, all, type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const demo = { blogIdentifier: "demo" };

interface Stream {
  readonly name: string;
  readonly open: (api: Api, options?: { readonly signal: AbortSignal }) => AsyncIterable<object>;
  /** Returns the items of one page of the list. */
  readonly page: (api: Api) => Promise<readonly object[]>;
  readonly pages: number;
  readonly items: number;
}

const STREAMS: readonly Stream[] = [
  {
    name: "StreamPosts",
    open: ({ posts }, options) => posts.streamPosts({ ...demo, limit: 10 }, options),
    page: async ({ posts }) => (await posts.listPosts({ ...demo, limit: 10 })).posts,
    pages: 6,
    items: 53,
  },
  {
    name: "StreamQueuedPosts",
    open: ({ posts }, options) => posts.streamQueuedPosts({ ...demo, limit: 2 }, options),
    page: async ({ posts }) => (await posts.listQueuedPosts({ ...demo, limit: 2 })).posts,
    pages: 3,
    items: 5,
  },
  {
    name: "StreamDraftPosts",
    open: ({ posts }, options) => posts.streamDraftPosts(demo, options),
    page: async ({ posts }) => (await posts.listDraftPosts(demo)).posts,
    pages: 2,
    items: 23,
  },
  {
    name: "StreamSubmissionPosts",
    open: ({ posts }, options) => posts.streamSubmissionPosts(demo, options),
    page: async ({ posts }) => (await posts.listSubmissionPosts(demo)).posts,
    pages: 1,
    items: 3,
  },
  {
    name: "StreamNotes",
    open: ({ posts }, options) => posts.streamNotes({ ...demo, postId: world.ids.noted }, options),
    page: async ({ posts }) => (await posts.listNotes({ ...demo, postId: world.ids.noted })).notes,
    pages: 2,
    items: 58,
  },
  {
    name: "StreamTaggedPosts",
    open: ({ posts }, options) => posts.streamTaggedPosts({ tag: "seed" }, options),
    page: async ({ posts }) => (await posts.listTaggedPosts({ tag: "seed" })).posts,
    // The second-to-last page has only the oldest post, and the last page is empty.
    pages: 6,
    items: 66,
  },
  {
    name: "StreamTaggedPosts of a featured tag",
    open: ({ posts }, options) => posts.streamTaggedPosts({ tag: "blocks", limit: 10 }, options),
    page: async ({ posts }) => (await posts.listTaggedPosts({ tag: "blocks", limit: 10 })).posts,
    pages: 5,
    items: 21,
  },
  {
    name: "StreamBlocks",
    open: ({ blogs }, options) => blogs.streamBlocks({ ...demo, limit: 1 }, options),
    page: async ({ blogs }) => (await blogs.listBlocks({ ...demo, limit: 1 })).blockedBlogs,
    pages: 1,
    items: 1,
  },
  {
    name: "StreamLikes",
    open: ({ blogs }, options) => blogs.streamLikes({ ...demo, limit: 10 }, options),
    page: async ({ blogs }) => (await blogs.listLikes({ ...demo, limit: 10 })).likedPosts,
    pages: 3,
    items: 25,
  },
  {
    name: "StreamFollowing",
    open: ({ blogs }, options) => blogs.streamFollowing({ ...demo, limit: 10 }, options),
    page: async ({ blogs }) => (await blogs.listFollowing({ ...demo, limit: 10 })).blogs,
    pages: 3,
    items: 25,
  },
  {
    name: "StreamFollowers",
    open: ({ blogs }, options) => blogs.streamFollowers({ ...demo, limit: 10 }, options),
    page: async ({ blogs }) => (await blogs.listFollowers({ ...demo, limit: 10 })).followers,
    pages: 3,
    items: 25,
  },
  {
    name: "StreamNotifications",
    open: ({ blogs }, options) => blogs.streamNotifications(demo, options),
    page: async ({ blogs }) => (await blogs.listNotifications(demo)).notifications,
    pages: 3,
    items: 48,
  },
  {
    name: "StreamPages",
    open: ({ blogs }, options) => blogs.streamPages({ ...demo, limit: 2 }, options),
    page: async ({ blogs }) => (await blogs.listPages({ ...demo, limit: 2 })).pages,
    pages: 2,
    items: 3,
  },
];

test("every list has a stream of its items, and this file tests every stream", () => {
  const names = [BlogService, PostService].flatMap(({ methods }) => methods.map(({ name }) => name));
  const lists = names.filter((name) => name.startsWith("List"));
  expect(lists.map((name) => name.replace("List", "Stream")).toSorted()).toEqual(
    [...new Set(STREAMS.map(({ name }) => name.split(" ")[0]))].toSorted(),
  );
});

describe.each(STREAMS)("$name", ({ open, page, pages, items }) => {
  test.each(WAYS)("delivers the items of all pages by %s", async (way) => {
    const api = world.api(way);
    const came = await all(open(api));
    expect([came.length, world.sandbox.received.total]).toEqual([items, pages]);
    const first = await page(api);
    expect(came.slice(0, first.length)).toEqual(first);
  });

  test("requests the next page only when it is needed, and none after the client stops reading", async () => {
    const stream = open(world.api("in-process"))[Symbol.asyncIterator]();
    await stream.next();
    expect(world.sandbox.received.total).toBe(1);
    await stream.return?.();
    expect(world.sandbox.received.total).toBe(1);
  });
});

test.each(WAYS)("cancelling a stream by %s stops the requests for pages", async (way) => {
  const controller = new AbortController();
  const stream = world.api(way).posts.streamPosts({ ...demo, limit: 1 }, { signal: controller.signal });
  const error = await (async () => {
    for await (const _ of stream) controller.abort();
  })().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConnectError);
  expect((error as ConnectError).code).toBe(Code.Canceled);
  // One page may have been in progress. The second call shows that no further page is requested.
  const { blogs } = world.api(way);
  await blogs.getBlogInfo(demo);
  const asked = world.sandbox.received.all("/posts").length;
  await blogs.getBlogInfo(demo);
  expect(world.sandbox.received.all("/posts")).toHaveLength(asked);
  expect(asked).toBeLessThan(5);
});

test("an opaque page token is sent back unchanged", async () => {
  await all(world.api("gRPC").posts.streamPosts({ ...demo, limit: 20, tags: ["seed"], npf: true }));
  const [first, second] = world.sandbox.received.all("/posts");
  expect(first?.query.get("npf")).toBe("true");
  expect(Object.fromEntries(second?.query ?? [])).toMatchObject({
    "tag[0]": "seed",
    npf: "true",
    limit: "20",
    tumblelog: "demo",
    page_number: expect.stringMatching(/^[\w-]{300,}$/),
  });
});

test("all pages have the requested format", async () => {
  const { posts, blogs } = world.api("gRPC");
  const drafts = await all(posts.streamDraftPosts({ ...demo, npf: true }));
  expect(new Set(drafts.map(({ typeName }) => typeName))).toEqual(new Set(["blocks"]));
  const likes = await all(blogs.streamLikes({ ...demo, limit: 10, npf: true }));
  expect(new Set(likes.map(({ typeName }) => typeName))).toEqual(new Set(["blocks"]));
});
