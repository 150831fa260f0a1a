import type { Client } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostFilter, PostType } from "../../gen/blog/v1/post_resource_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { FilterServiceRest } from "../../gen/user/v1/filter_rest.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import { UserServiceRest } from "../../gen/user/v1/user_rest.ts";
import { serverOf } from "../blog/variants/variant.ts";
import { ODD_TEXTS } from "./cases/filters.ts";

const ID = 700000000000000123n;
const half = { seconds: 1_761_998_400n, nanos: 500_000_000 };

type Row<S extends Parameters<typeof serverOf>[0]> = readonly [
  line: string,
  call: (api: Client<S>) => Promise<unknown>,
  body?: string,
];

const USERS: ReadonlyArray<Row<typeof UserService>> = [
  ["GET /v2/user/info", (api) => api.getUserInfo({})],
  [
    "GET /v2/user/info?fields%5Bblogs%5D=name,%3Fis_following_you",
    (api) => api.getUserInfo({ blogFields: ["name", "?is_following_you"] }),
  ],
  ["GET /v2/user/limits", (api) => api.getUserLimits({})],
  ["GET /v2/user/dashboard", (api) => api.listDashboard({})],
  [
    "GET /v2/user/dashboard?type=answer&since_id=700000000000000123&limit=1&offset=2&reblog_info=true&notes_info=true&npf=true&fields%5Bblogs%5D=name",
    (api) =>
      api.listDashboard({
        type: PostType.ANSWER,
        sincePostId: ID,
        limit: 1,
        offset: 2,
        reblogInfo: true,
        notesInfo: true,
        npf: true,
        blogFields: ["name"],
      }),
  ],
  [
    "GET /v2/user/likes?limit=20&offset=1000&npf=true",
    (api) => api.listLikes({ limit: 20, offset: 1000, npf: true }),
  ],
  ["GET /v2/user/likes?before=1761998401", (api) => api.listLikes({ before: half })],
  ["GET /v2/user/likes?after=1761998400", (api) => api.listLikes({ after: half })],
  [
    "GET /v2/user/likes?limit=5&before=9",
    (api) => api.listLikes({ limit: 20, pageToken: { limit: "5", before: "9" } }),
  ],
  ["GET /v2/user/following?limit=1&offset=2", (api) => api.listFollowing({ limit: 1, offset: 2 })],
  [
    "POST /v2/user/follow",
    (api) => api.followBlog({ target: { case: "url", value: "https://ada.blog.example/" } }),
    '{"url":"https://ada.blog.example/"}',
  ],
  [
    "POST /v2/user/follow",
    (api) => api.followBlog({ target: { case: "email", value: "ada@blog.example" } }),
    '{"email":"ada@blog.example"}',
  ],
  [
    "POST /v2/user/unfollow",
    (api) => api.unfollowBlog({ url: "https://ada.blog.example/" }),
    '{"url":"https://ada.blog.example/"}',
  ],
  [
    "POST /v2/user/like",
    (api) => api.likePost({ postId: ID, reblogKey: "k1" }),
    '{"id":700000000000000123,"reblog_key":"k1"}',
  ],
  [
    "POST /v2/user/unlike",
    (api) => api.unlikePost({ postId: ID, reblogKey: "k1" }),
    '{"id":700000000000000123,"reblog_key":"k1"}',
  ],
];

const FILTERS: ReadonlyArray<Row<typeof FilterService>> = [
  ["GET /v2/user/filtered_tags", (api) => api.listFilteredTags({})],
  [
    "POST /v2/user/filtered_tags",
    (api) => api.addFilteredTags({ filteredTags: ["a"] }),
    '{"filtered_tags":["a"]}',
  ],
  [
    "POST /v2/user/filtered_tags",
    (api) => api.addFilteredTags({ filteredTags: ["a/b", "👍"] }),
    '{"filtered_tags":["a/b","👍"]}',
  ],
  ["GET /v2/user/filtered_content", (api) => api.listFilteredContent({})],
  [
    "POST /v2/user/filtered_content",
    (api) => api.addFilteredContent({ filteredContent: ["a", "b"] }),
    '{"filtered_content":["a","b"]}',
  ],
  ...ODD_TEXTS.map(
    (tag): Row<typeof FilterService> => [
      `DELETE /v2/user/filtered_tags/${encodeURIComponent(tag)}`,
      (api) => api.removeFilteredTag({ tag }),
    ],
  ),
];

const TAGGED: ReadonlyArray<Row<typeof PostService>> = [
  ["GET /v2/tagged?tag=a%20b", (api) => api.listTaggedPosts({ tag: "a b" })],
  [
    "GET /v2/tagged?tag=%23a&limit=2&before=1761998401&filter=raw&npf=true&fields%5Bblogs%5D=name",
    (api) =>
      api.listTaggedPosts({
        tag: "#a",
        limit: 2,
        before: half,
        filter: PostFilter.RAW,
        npf: true,
        blogFields: ["name"],
      }),
  ],
];

test.each(USERS.map(([line, call, body = ""]) => ({ line, call, body })))(
  "$line",
  async ({ line, call, body }) => {
    const { api, seen } = await serverOf(UserService, UserServiceRest, {});
    await call(api);
    expect(seen.map((each) => [each.line, each.text])).toEqual([[line, body]]);
  },
);

test.each(FILTERS.map(([line, call, body = ""]) => ({ line, call, body })))(
  "$line",
  async ({ line, call, body }) => {
    const { api, seen } = await serverOf(FilterService, FilterServiceRest, {});
    await call(api);
    expect(seen.map((each) => [each.line, each.text])).toEqual([[line, body]]);
  },
);

test.each(TAGGED.map(([line, call, body = ""]) => ({ line, call, body })))(
  "$line",
  async ({ line, call, body }) => {
    const { api, seen } = await serverOf(PostService, PostServiceRest, {
      json: { meta: { status: 200 }, response: [] },
    });
    await call(api);
    expect(seen.map((each) => [each.line, each.text])).toEqual([[line, body]]);
  },
);

test.each(ODD_TEXTS)("a filtered string is decoded unchanged from the query: %s", async (filteredContent) => {
  const { api, seen } = await serverOf(FilterService, FilterServiceRest, {});
  await api.removeFilteredContent({ filteredContent });
  const [verb, target = ""] = (seen[0]?.line ?? "").split(" ");
  const url = new URL(target, "http://localhost");
  expect([verb, url.pathname, [...url.searchParams]]).toEqual([
    "DELETE",
    "/v2/user/filtered_content",
    [["filtered_content", filteredContent]],
  ]);
});
