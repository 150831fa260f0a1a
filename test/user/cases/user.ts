import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import { BlogType } from "../../../gen/blog/v1/blog_resource_pb.ts";
import { PostFormat, PostType } from "../../../gen/blog/v1/post_resource_pb.ts";
import { answers, type Case, fails, pageCases, rejects, says, sends } from "../../blog/case.ts";
import { BLOCKS, BLOG, LIMITS, NEXT, POST, USER } from "../bodies.ts";
import { callerCases } from "../case.ts";

const at = (seconds: number) => timestampFromMs(seconds * 1000);
const ID = 700000000000000123n;
const EMPTY = [] as const;
const NO_BLOG = expect.not.objectContaining({ blog: expect.anything() });
const LINKS = { next: { method: "GET", queryParams: { offset: "20", limit: "20" } } };

const INFO: Case[] = [
  answers(
    "GET /v2/user/info",
    "the user, with the blogs to post to",
    ({ users }) => users.getUserInfo({ blogFields: ["name", "?is_following_you"] }),
    {
      user: {
        name: "demo",
        following: 25,
        likes: 25,
        defaultPostFormat: PostFormat.HTML,
        defaultPostFormatName: "html",
        blogs: [
          { name: "demo", primary: true, followers: 25, tweet: "auto", type: BlogType.PUBLIC },
          { name: "demo-secret", primary: false, tweet: "N", type: BlogType.PRIVATE },
        ],
      },
    },
    { prepare: sends({ user: USER }) },
  ),
  ...callerCases("GET /v2/user/info", ({ users }) => users.getUserInfo({})),

  answers(
    "GET /v2/user/limits",
    "limits that are known, and one that is not",
    ({ users }) => users.getUserLimits({}),
    {
      limits: {
        blogs: { description: "new blogs", limit: 10n, remaining: 9n, resetAt: { seconds: 1_762_041_600n } },
        follows: { limit: 200n, remaining: 175n },
        video_seconds: { limit: 3600n },
      },
    },
    { prepare: sends({ user: LIMITS }) },
  ),
  ...callerCases("GET /v2/user/limits", ({ users }) => users.getUserLimits({})),
];

const DASHBOARD = "GET /v2/user/dashboard";
const TYPES = ["TEXT", "PHOTO", "QUOTE", "LINK", "CHAT", "AUDIO", "VIDEO", "ANSWER"] as const;
const DASHBOARDS: Case[] = [
  answers(
    DASHBOARD,
    "posts, with a link to more",
    ({ users }) =>
      users.listDashboard({ limit: 20, offset: 0, reblogInfo: true, notesInfo: true, blogFields: ["name"] }),
    { posts: [{ id: ID, blogName: "ada", body: { case: "text" } }], links: LINKS },
    { prepare: sends({ posts: [POST], _links: NEXT }) },
  ),
  answers(
    DASHBOARD,
    "posts as blocks, after one of them",
    ({ users }) => users.listDashboard({ npf: true, sincePostId: ID, offset: 20 }),
    { posts: [{ body: { case: "blocks" } }] },
    { prepare: sends({ posts: [BLOCKS] }) },
  ),
  ...TYPES.map((type) =>
    answers(
      DASHBOARD,
      `type: ${type}`,
      ({ users }) => users.listDashboard({ type: PostType[type] }),
      { posts: [] },
      { prepare: sends({ posts: [] }) },
    ),
  ),
  ...callerCases(DASHBOARD, ({ users }) => users.listDashboard({})),
  ...pageCases(DASHBOARD, ({ users }, page) => users.listDashboard(page), says(400)),
  rejects(DASHBOARD, "type: BLOCKS", ({ users }) => users.listDashboard({ type: PostType.BLOCKS }), {
    prepare: says(400),
  }),
];

const LIKES = "GET /v2/user/likes";
const LIKE_LISTS: Case[] = [
  answers(
    LIKES,
    "liked posts",
    ({ users }) => users.listLikes({ limit: 1, offset: 1000, npf: true, blogFields: ["name"] }),
    {
      likedPosts: [{ id: ID, likedTimestamp: { seconds: 1_761_998_300n } }],
      likedCount: 25,
      links: LINKS,
    },
    { prepare: sends({ liked_posts: [BLOCKS], liked_count: 25, _links: NEXT }) },
  ),
  answers(
    LIKES,
    "before a time",
    ({ users }) => users.listLikes({ before: at(1_761_998_400) }),
    { likedPosts: [{ id: ID }] },
    { prepare: sends({ liked_posts: [POST], liked_count: 25 }) },
  ),
  answers(
    LIKES,
    "after a time",
    ({ users }) => users.listLikes({ after: at(1_761_998_000) }),
    { likedPosts: [{ id: ID }] },
    { prepare: sends({ liked_posts: [POST], liked_count: 25 }) },
  ),
  ...callerCases(LIKES, ({ users }) => users.listLikes({})),
  ...pageCases(LIKES, ({ users }, page) => users.listLikes(page), says(400)),
  rejects(LIKES, "offset: 1001", ({ users }) => users.listLikes({ offset: 1001 }), { prepare: says(400) }),
  rejects(LIKES, "before and after", ({ users }) => users.listLikes({ before: at(1), after: at(1) }), {
    prepare: says(400),
  }),
  rejects(LIKES, "after and offset", ({ users }) => users.listLikes({ after: at(1), offset: 1 }), {
    prepare: says(400),
  }),
];

const FOLLOWING = "GET /v2/user/following";
const FOLLOW = "POST /v2/user/follow";
const UNFOLLOW = "POST /v2/user/unfollow";
const URL = "https://ada.blog.example/";
/** Invalid blog addresses. */
const NO_URLS = ["", "ada", "ftp://ada.blog.example/", "https://", "https://a b/"];
const NO_EMAILS = ["", "ada", "ada@", "@blog.example", "ada@blog example", "https://ada.blog.example/"];

const FOLLOWS: Case[] = [
  answers(
    FOLLOWING,
    "followed blogs",
    ({ users }) => users.listFollowing({ limit: 20, offset: 5, blogFields: ["name"] }),
    {
      totalBlogs: 25,
      blogs: [{ name: "ada", title: "Ada", description: "Notes", updated: { seconds: 1_761_998_000n } }],
      links: LINKS,
    },
    { prepare: sends({ total_blogs: 25, blogs: [BLOG], _links: NEXT }) },
  ),
  ...callerCases(FOLLOWING, ({ users }) => users.listFollowing({})),
  ...pageCases(FOLLOWING, ({ users }, page) => users.listFollowing(page), says(400)),

  answers(
    FOLLOW,
    "by an address",
    ({ users }) => users.followBlog({ target: { case: "url", value: URL } }),
    { blog: { name: "ada", url: URL } },
    { prepare: sends({ blog: BLOG }) },
  ),
  answers(
    FOLLOW,
    "by an e-mail address",
    ({ users }) => users.followBlog({ target: { case: "email", value: "ada@blog.example" } }),
    NO_BLOG,
    { prepare: sends({}) },
  ),
  ...callerCases(FOLLOW, ({ users }) => users.followBlog({ target: { case: "url", value: URL } })),
  fails(
    FOLLOW,
    "a blog that is not there",
    ({ users }) => users.followBlog({ target: { case: "url", value: URL } }),
    { prepare: says(404) },
  ),
  fails(
    FOLLOW,
    "an e-mail address that leads to no blog, and stays out of the text",
    ({ users }) => users.followBlog({ target: { case: "email", value: "ada@blog.example" } }),
    { prepare: says(404, 0, "No blog for ada@blog.example") },
  ),
  rejects(FOLLOW, "neither address", ({ users }) => users.followBlog({}), { prepare: says(400) }),
  ...NO_URLS.map((value) =>
    rejects(
      FOLLOW,
      `url: ${JSON.stringify(value)}`,
      ({ users }) => users.followBlog({ target: { case: "url", value } }),
      { prepare: says(404) },
    ),
  ),
  ...NO_EMAILS.map((value) =>
    rejects(
      FOLLOW,
      `email: ${JSON.stringify(value)}`,
      ({ users }) => users.followBlog({ target: { case: "email", value } }),
      { prepare: says(404) },
    ),
  ),

  answers(UNFOLLOW, "a blog", ({ users }) => users.unfollowBlog({ url: URL }), {}, { prepare: sends(EMPTY) }),
  answers(
    UNFOLLOW,
    "a blog, with the blog in the response",
    ({ users }) => users.unfollowBlog({ url: URL }),
    {},
    { prepare: sends({ blog: BLOG }) },
  ),
  ...callerCases(UNFOLLOW, ({ users }) => users.unfollowBlog({ url: URL })),
  fails(UNFOLLOW, "a blog that is not there", ({ users }) => users.unfollowBlog({ url: URL }), {
    prepare: says(404),
  }),
  ...[...NO_URLS, "ada.blog.example"].map((value) =>
    rejects(UNFOLLOW, `url: ${JSON.stringify(value)}`, ({ users }) => users.unfollowBlog({ url: value }), {
      prepare: says(404),
    }),
  ),
];

const post = { postId: ID, reblogKey: "k1" };
const LIKING: Case[] = (["likePost", "unlikePost"] as const).flatMap((method) => {
  const endpoint = `POST /v2/user/${method === "likePost" ? "like" : "unlike"}`;
  return [
    answers(endpoint, "a post", ({ users }) => users[method](post), {}, { prepare: sends(EMPTY) }),
    ...callerCases(endpoint, ({ users }) => users[method](post)),
    fails(endpoint, "a post that is not there, or another key", ({ users }) => users[method](post), {
      prepare: says(404),
    }),
    rejects(endpoint, "no post", ({ users }) => users[method]({ reblogKey: "k1" }), { prepare: says(404) }),
    rejects(endpoint, "no key", ({ users }) => users[method]({ postId: ID }), { prepare: says(404) }),
  ];
});

export const USER_CASES: readonly Case[] = [...INFO, ...DASHBOARDS, ...LIKE_LISTS, ...FOLLOWS, ...LIKING];
