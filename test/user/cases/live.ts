/** The sandbox's responses about the user, on success and with every possible error. */
import { answers, type Case, fails, rejects } from "../../blog/case.ts";
import { type Api, all, type BlogWorld } from "../../blog/world.ts";
import { ODD_TEXTS } from "./filters.ts";

const URL_OF = (name: string) => ({ case: "url", value: `https://${name}.blog.example/` }) as const;
const limited = (limits: Partial<BlogWorld["sandbox"]["limits"]>): Pick<Case, "prepare"> => ({
  prepare: ({ sandbox }) => Object.assign(sandbox.limits, limits),
});
const seeded = async ({ posts }: Api) => {
  const [post] = (await posts.listPosts({ blogIdentifier: "newsroom", limit: 1 })).posts;
  return { postId: post?.id ?? 0n, reblogKey: post?.reblogKey ?? "" };
};

const USERS: Case[] = [
  answers("GET /v2/user/info", "the user", ({ users }) => users.getUserInfo({}), {
    user: { name: "demo", following: 25, likes: 25 },
  }),
  answers("GET /v2/user/limits", "the limits", ({ users }) => users.getUserLimits({}), {
    limits: { blogs: { limit: 10n }, follows: { limit: 200n } },
  }),
  answers(
    "GET /v2/user/dashboard",
    "all of it, each post once",
    async ({ users }) => {
      const ids = (await all(users.streamDashboard({ limit: 20 }))).map(({ id }) => id);
      return { isUnique: new Set(ids).size === ids.length, isEmpty: ids.length === 0 };
    },
    { isUnique: true, isEmpty: false },
  ),
  answers("GET /v2/user/likes", "all of them", async ({ users }) => all(users.streamLikes({ limit: 20 })), {
    length: 25,
  }),
  answers("GET /v2/user/likes", "offset: 1000", ({ users }) => users.listLikes({ offset: 1000 }), {
    likedPosts: [],
  }),
  rejects("GET /v2/user/likes", "offset: 1001", ({ users }) => users.listLikes({ offset: 1001 })),
  answers("GET /v2/user/following", "all of them", async ({ users }) => all(users.streamFollowing({})), {
    length: 25,
  }),
  answers("POST /v2/user/follow", "by address", ({ users }) => users.followBlog({ target: URL_OF("ada") }), {
    blog: { name: "ada" },
  }),
  answers(
    "POST /v2/user/follow",
    "by e-mail address",
    ({ users }) => users.followBlog({ target: { case: "email", value: "ada@example.org" } }),
    { blog: { name: "ada" } },
  ),
  fails("POST /v2/user/follow", "404: no such blog", ({ users }) =>
    users.followBlog({ target: URL_OF("nobody") }),
  ),
  fails("POST /v2/user/follow", "404: a blog that cannot be found by e-mail", ({ users }) =>
    users.followBlog({ target: { case: "email", value: "grace@example.org" } }),
  ),
  rejects("POST /v2/user/follow", "neither address", ({ users }) => users.followBlog({})),
  rejects("POST /v2/user/follow", "no URL", ({ users }) =>
    users.followBlog({ target: { case: "url", value: "ada" } }),
  ),
  rejects("POST /v2/user/follow", "no e-mail address", ({ users }) =>
    users.followBlog({ target: { case: "email", value: "ada@" } }),
  ),
  answers(
    "POST /v2/user/unfollow",
    "by address",
    ({ users }) => users.unfollowBlog({ url: "https://reader-01.blog.example/" }),
    {},
  ),
  fails("POST /v2/user/unfollow", "404: no such blog", ({ users }) =>
    users.unfollowBlog({ url: "https://nobody.blog.example/" }),
  ),
  ...(["likePost", "unlikePost"] as const).flatMap((method) => {
    const endpoint = `POST /v2/user/${method === "likePost" ? "like" : "unlike"}`;
    return [
      answers(endpoint, "a post", async (api) => api.users[method](await seeded(api)), {}),
      fails(endpoint, "404: no such post", ({ users }) => users[method]({ postId: 1n, reblogKey: "k" })),
    ];
  }),
];

const TAGS = "POST /v2/user/filtered_tags";
const CONTENT = "POST /v2/user/filtered_content";
const FILTERS: Case[] = [
  answers("GET /v2/user/filtered_tags", "the tags", ({ filters }) => filters.listFilteredTags({}), {
    filteredTags: ["spoilers", "two words", "a/b", "c%2Fd", "#hash", "🌳"],
  }),
  answers(
    "DELETE /v2/user/filtered_tags/{tag}",
    "each of them, whatever is in it",
    async ({ filters }) => {
      await filters.addFilteredTags({ filteredTags: ODD_TEXTS });
      for (const tag of (await filters.listFilteredTags({})).filteredTags) {
        await filters.removeFilteredTag({ tag });
      }
      return filters.listFilteredTags({});
    },
    { filteredTags: [] },
  ),
  fails("DELETE /v2/user/filtered_tags/{tag}", "400: a tag that is none", ({ filters }) =>
    filters.removeFilteredTag({ tag: "a,b" }),
  ),
  fails(TAGS, "400: a tag that is none", ({ filters }) => filters.addFilteredTags({ filteredTags: ["a,b"] })),
  fails(
    TAGS,
    "403: one more than the maximum",
    ({ filters }) => filters.addFilteredTags({ filteredTags: ["more"] }),
    limited({ filteredTags: 6 }),
  ),
  rejects(TAGS, "400: an empty tag", ({ filters }) => filters.addFilteredTags({ filteredTags: [""] })),
  answers("GET /v2/user/filtered_content", "the texts", ({ filters }) => filters.listFilteredContent({}), {
    filteredContent: ["cliffhanger", "50% off & more"],
  }),
  answers(
    "DELETE /v2/user/filtered_content",
    "each of them, whatever is in it",
    async ({ filters }) => {
      await filters.addFilteredContent({ filteredContent: ODD_TEXTS });
      for (const filteredContent of (await filters.listFilteredContent({})).filteredContent) {
        await filters.removeFilteredContent({ filteredContent });
      }
      return filters.listFilteredContent({});
    },
    { filteredContent: [] },
  ),
  fails(CONTENT, "400: filtered already", ({ filters }) =>
    filters.addFilteredContent({ filteredContent: ["cliffhanger"] }),
  ),
  fails(
    CONTENT,
    "403: one more than the maximum",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ["more"] }),
    limited({ filteredContent: 2 }),
  ),
  rejects(CONTENT, "400: an empty text", ({ filters }) =>
    filters.addFilteredContent({ filteredContent: [""] }),
  ),
  answers(
    "GET /v2/tagged",
    "posts, for an API key",
    ({ posts }) => posts.listTaggedPosts({ tag: "seed", limit: 2 }),
    {
      posts: { length: 2 },
    },
    { as: "key" },
  ),
  fails(
    "GET /v2/tagged",
    "401: no credentials that are known",
    ({ posts }) => posts.listTaggedPosts({ tag: "seed" }),
    {
      as: "unknown",
    },
  ),
  rejects("GET /v2/tagged", "400: no tag", ({ posts }) => posts.listTaggedPosts({})),
];

export const LIVE_USER_CASES: readonly Case[] = [...USERS, ...FILTERS];
