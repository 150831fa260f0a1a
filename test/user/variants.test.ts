import { expect, test } from "vitest";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import { UserServiceRest } from "../../gen/user/v1/user_rest.ts";
import { answered, readVariants, serverOf, type Variant } from "../blog/variants/variant.ts";
import { all } from "../blog/world.ts";

const VARIANTS: ReadonlyArray<Variant<typeof UserService>> = [
  [
    "a notation that nobody knows, and keys that nobody knows",
    (api) => api.getUserInfo({}),
    answered({ user: { name: "demo", default_post_format: "asciidoc", likes: "3", theme_count: 2 } }),
    {
      user: {
        name: "demo",
        likes: 3,
        defaultPostFormatName: "asciidoc",
        unknownFields: { theme_count: "2" },
      },
    },
  ],
  [
    "limits of any name, as texts and without parts",
    (api) => api.getUserLimits({}),
    answered({
      user: { photos: { limit: "250", remaining: 249, reset_at: "1762041600", unit: "a day" }, asks: {} },
    }),
    {
      limits: {
        photos: {
          limit: "250",
          remaining: "249",
          resetAt: "2025-11-02T00:00:00Z",
          unknownFields: { unit: '"a day"' },
        },
        asks: {},
      },
    },
  ],
  ["no limits, as an empty array", (api) => api.getUserLimits({}), answered({ user: [] }), {}],
  ["a dashboard that is empty", (api) => api.listDashboard({}), answered([]), {}],
  [
    "a blog that was followed, and is not in the response",
    (api) => api.followBlog({ target: { case: "url", value: "https://a.example/" } }),
    answered([]),
    {},
  ],
  [
    "a blog that was followed, in an array",
    (api) => api.followBlog({ target: { case: "url", value: "https://a.example/" } }),
    answered({ blog: [{ name: "a" }] }),
    { blog: { name: "a" } },
  ],
];

readVariants(UserService, UserServiceRest, VARIANTS);

test("a stream of tagged posts requests the last post's time again, skips a time whose posts fill a page, and ends with an empty page", async () => {
  const posts = (...times: readonly number[]) =>
    answered(times.map((timestamp) => ({ id_string: String(timestamp), timestamp })));
  const { api, seen } = await serverOf(PostService, PostServiceRest, [
    posts(9, 8),
    posts(8, 7),
    posts(7),
    posts(),
  ]);
  const streamed = await all(api.streamTaggedPosts({ tag: "a", limit: 2 }));
  expect(streamed.map(({ id }) => id)).toEqual([9n, 8n, 7n]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /v2/tagged?tag=a&limit=2",
    "GET /v2/tagged?tag=a&limit=2&before=9",
    "GET /v2/tagged?tag=a&limit=2&before=8",
    "GET /v2/tagged?tag=a&limit=2&before=7",
  ]);
});

test("a stream of tagged posts also accepts a response with the posts under a key", async () => {
  const { api } = await serverOf(PostService, PostServiceRest, [
    answered({ posts: [{ id_string: "5", timestamp: 5 }] }),
    answered({ posts: [] }),
  ]);
  expect((await all(api.streamTaggedPosts({ tag: "a" }))).map(({ id }) => id)).toEqual([5n]);
});

const next = (path: string, query_params: object) => ({
  _links: { next: { href: path, method: "GET", query_params } },
});

test("streams of the dashboard, of likes and of followed blogs follow their next-page links", async () => {
  const { api, seen } = await serverOf(UserService, UserServiceRest, [
    answered({ posts: [{ id_string: "2" }], ...next("/v2/user/dashboard", { offset: "1", limit: 1 }) }),
    answered({ posts: [{ id_string: "1" }] }),
    answered({ liked_posts: [{ id_string: "4" }], ...next("/v2/user/likes?before=9", { before: "9" }) }),
    answered({ liked_posts: [{ id_string: "3" }], _links: {} }),
    answered({ blogs: [{ name: "a" }], total_blogs: 2, ...next("/v2/user/following", { offset: 1 }) }),
    answered({ blogs: [{ name: "b" }], total_blogs: 2 }),
  ]);
  expect((await all(api.streamDashboard({ limit: 1 }))).map(({ id }) => id)).toEqual([2n, 1n]);
  expect((await all(api.streamLikes({}))).map(({ id }) => id)).toEqual([4n, 3n]);
  expect((await all(api.streamFollowing({}))).map(({ name }) => name)).toEqual(["a", "b"]);
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /v2/user/dashboard?limit=1",
    "GET /v2/user/dashboard?offset=1&limit=1",
    "GET /v2/user/likes",
    "GET /v2/user/likes?before=9",
    "GET /v2/user/following",
    "GET /v2/user/following?offset=1",
  ]);
});
