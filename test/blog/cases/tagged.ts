import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { PostFilter } from "../../../gen/blog/v1/post_resource_pb.ts";
import { BLOCKS, FEATURED, POST } from "../../user/bodies.ts";
import { answers, type Case, fails, pageCases, rejects, says, sends } from "../case.ts";

const TAGGED = "GET /v2/tagged";
const at = (seconds: number) => timestampFromMs(seconds * 1000);

export const TAGGED_CASES: readonly Case[] = [
  answers(
    TAGGED,
    "posts with a tag, as an API key may ask",
    ({ posts }) =>
      posts.listTaggedPosts({ tag: "seed", limit: 2, filter: PostFilter.TEXT, blogFields: ["name"] }),
    { posts: [{ id: 700000000000000123n }, { featuredTimestamp: { seconds: 1_761_998_350n } }] },
    { as: "key", prepare: sends([POST, FEATURED]) },
  ),
  answers(
    TAGGED,
    "posts as blocks, before a time",
    ({ posts }) => posts.listTaggedPosts({ tag: "a b", npf: true, before: at(1_761_998_350) }),
    { posts: [{ body: { case: "blocks" } }] },
    { prepare: sends([BLOCKS]) },
  ),
  answers(
    TAGGED,
    "posts under a key",
    ({ posts }) => posts.listTaggedPosts({ tag: "seed", filter: PostFilter.RAW }),
    { posts: [{ blogName: "ada" }] },
    { prepare: sends({ posts: [POST] }) },
  ),
  answers(
    TAGGED,
    "none",
    ({ posts }) => posts.listTaggedPosts({ tag: "none" }),
    { posts: [] },
    {
      prepare: sends([]),
    },
  ),
  fails(TAGGED, "no credentials", ({ posts }) => posts.listTaggedPosts({ tag: "seed" }), { as: "nobody" }),
  fails(TAGGED, "credentials that are rejected", ({ posts }) => posts.listTaggedPosts({ tag: "seed" }), {
    prepare: says(401, 1016, "Unable to authorize"),
  }),
  fails(TAGGED, "more calls than are allowed", ({ posts }) => posts.listTaggedPosts({ tag: "seed" }), {
    prepare: says(429),
  }),
  ...pageCases(
    TAGGED,
    ({ posts }, { limit }) =>
      posts.listTaggedPosts({ tag: "seed", ...(limit === undefined ? {} : { limit }) }),
    says(400),
  ).filter(({ name }) => name.startsWith("limit")),
  rejects(TAGGED, "no tag", ({ posts }) => posts.listTaggedPosts({}), { prepare: says(400) }),
  rejects(
    TAGGED,
    "a notation that is not there",
    ({ posts }) => posts.listTaggedPosts({ tag: "seed", filter: 9 as PostFilter }),
    { prepare: says(400) },
  ),
];
