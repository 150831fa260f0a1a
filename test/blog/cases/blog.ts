import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import { NotificationType } from "../../../gen/blog/v1/notification_pb.ts";
import { answers, type Case, commonCases, demo, FORMS, fails, pageCases, rejects } from "../case.ts";

const at = (seconds: number) => timestampFromMs(seconds * 1000);
/** The update time of the seeded blogs. */
const EPOCH = 1_761_998_400;
const OPTIONAL = [
  "?is_following_you",
  "?duration_blog_following_you",
  "?duration_following_blog",
  "?timezone",
  "?timezone_offset",
];
const several = expect.arrayContaining([expect.anything()]);

const INFO: Case[] = [
  ...FORMS.map(([form, blogIdentifier]) =>
    answers("GET P/info", `a blog ${form}`, ({ blogs }) => blogs.getBlogInfo({ blogIdentifier }), {
      blog: { name: "demo", title: "Demo & friends", uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw" },
    }),
  ),
  answers(
    "GET P/info",
    "a blog by a domain of its own",
    ({ blogs }) => blogs.getBlogInfo({ blogIdentifier: "notes.ada.example" }),
    { blog: { name: "ada", subscriptionPlan: { currencyCode: "USD", monthlyPrice: 399n } } },
  ),
  answers(
    "GET P/info",
    "with an API key",
    ({ blogs }) => blogs.getBlogInfo(demo),
    { blog: { name: "demo" } },
    { as: "key" },
  ),
  answers(
    "GET P/info",
    "what comes only on request",
    ({ blogs }) => blogs.getBlogInfo({ ...demo, fields: OPTIONAL }),
    { blog: { name: "demo", isFollowingYou: false, durationFollowingBlog: -1, timezone: "Europe/Vienna" } },
  ),
  answers(
    "GET P/info",
    "some fields alone",
    ({ blogs }) => blogs.getBlogInfo({ ...demo, fields: ["name", "?is_following_you"] }),
    { blog: { name: "demo", title: "", isFollowingYou: false } },
  ),
  ...commonCases("GET P/info", ({ blogs }, blogIdentifier) => blogs.getBlogInfo({ blogIdentifier }), "key"),
  fails("GET P/info", "a private blog", ({ blogs }) => blogs.getBlogInfo({ blogIdentifier: "ada-secret" })),
  rejects("GET P/info", "a field with a comma", ({ blogs }) =>
    blogs.getBlogInfo({ ...demo, fields: ["name,title"] }),
  ),
  rejects("GET P/info", "the www host", ({ blogs }) =>
    blogs.getBlogInfo({ blogIdentifier: "www.blog.example" }),
  ),
];

const AVATAR: Case[] = [
  answers(
    "GET P/avatar[/size]",
    "the picture",
    ({ blogs }) => blogs.getAvatar(demo),
    {
      image: { contentType: "image/png" },
      avatarUrl: "",
    },
    { as: "nobody" },
  ),
  ...[16, 24, 30, 40, 48, 64, 96, 128, 512].map((size) =>
    answers(
      "GET P/avatar[/size]",
      `size: ${size}`,
      ({ blogs }) => blogs.getAvatar({ ...demo, size }),
      {
        image: { contentType: "image/png" },
      },
      { as: "nobody" },
    ),
  ),
  answers(
    "GET P/avatar[/size]",
    "its address, signed",
    ({ blogs }) => blogs.getAvatar(demo),
    {
      avatarUrl: expect.stringMatching(/\/media\/avatars\/.*\/64\.png$/),
    },
    { as: "signed" },
  ),
  answers(
    "GET P/avatar[/size]",
    "its address in Location alone",
    ({ blogs }) => blogs.getAvatar(demo),
    {
      avatarUrl: "https://media.example/a.png",
    },
    {
      as: "nobody",
      prepare: ({ sandbox }) =>
        sandbox.next({ status: 301, headers: { location: "https://media.example/a.png" } }),
    },
  ),
  fails(
    "GET P/avatar[/size]",
    "a blog that is not there",
    ({ blogs }) => blogs.getAvatar({ blogIdentifier: "nobody" }),
    { as: "nobody" },
  ),
  fails("GET P/avatar[/size]", "a signature that is rejected", ({ blogs }) => blogs.getAvatar(demo), {
    as: "signed-rejected",
  }),
  rejects("GET P/avatar[/size]", "size: 50", ({ blogs }) => blogs.getAvatar({ ...demo, size: 50 }), {
    as: "nobody",
  }),
  rejects("GET P/avatar[/size]", "no blog", ({ blogs }) => blogs.getAvatar({ blogIdentifier: "" }), {
    as: "nobody",
  }),
];

/**
 * Returns the cases of the block endpoints for callers who are not administrators, and for calls above the
 * limit.
 */
function blockCases(
  endpoint: string,
  call: (api: Parameters<Case["call"]>[0], blogIdentifier: string) => Promise<unknown>,
): Case[] {
  return [
    ...commonCases(endpoint, call, "user"),
    fails(endpoint, "not an administrator", (api) => call(api, "ada")),
    fails(endpoint, "more calls than are allowed in a minute", (api) => call(api, "demo"), {
      prepare: ({ sandbox }) => Object.assign(sandbox.limits, { blocksPerMinute: 0 }),
    }),
  ];
}

const BLOCKS: Case[] = [
  answers(
    "GET P/blocks",
    "the blocked blogs",
    ({ blogs }) => blogs.listBlocks({ ...demo, limit: 5, offset: 0 }),
    {
      blockedBlogs: [{ name: "grace", blockedTimestamp: { seconds: BigInt(EPOCH - 5000) } }],
    },
  ),
  answers(
    "GET P/blocks",
    "of the blocked blogs one field",
    ({ blogs }) => blogs.listBlocks({ ...demo, blogFields: ["name"] }),
    { blockedBlogs: [expect.not.objectContaining({ blockedTimestamp: expect.anything() })] },
  ),
  answers(
    "GET P/blocks",
    "a page of them, with a link to the next",
    async ({ blogs }) => {
      await blogs.bulkCreateBlocks({ ...demo, blockedBlogs: ["reader-01", "reader-02"] });
      return blogs.listBlocks({ ...demo, limit: 1, offset: 1 });
    },
    { blockedBlogs: several, links: { next: { method: "GET", queryParams: { limit: "1", offset: "2" } } } },
  ),
  ...pageCases("GET P/blocks", ({ blogs }, page) => blogs.listBlocks({ ...demo, ...page })),
  ...blockCases("GET P/blocks", ({ blogs }, blogIdentifier) => blogs.listBlocks({ blogIdentifier })),

  answers(
    "POST P/blocks",
    "a blog",
    ({ blogs }) => blogs.createBlock({ ...demo, target: { case: "blockedBlog", value: "reader-01" } }),
    { alreadyBlocked: false },
  ),
  answers(
    "POST P/blocks",
    "a blog that is blocked already",
    ({ blogs }) => blogs.createBlock({ ...demo, target: { case: "blockedBlog", value: "grace" } }),
    { alreadyBlocked: true },
  ),
  answers(
    "POST P/blocks",
    "who submitted a post anonymously",
    ({ blogs }, { ids }) =>
      blogs.createBlock({ ...demo, target: { case: "postId", value: ids.submissions[2] ?? 0n } }),
    { alreadyBlocked: false },
  ),
  fails("POST P/blocks", "the blog itself", ({ blogs }) =>
    blogs.createBlock({ ...demo, target: { case: "blockedBlog", value: "demo" } }),
  ),
  fails("POST P/blocks", "a post that is not anonymous", ({ blogs }, { ids }) =>
    blogs.createBlock({ ...demo, target: { case: "postId", value: ids.blocks } }),
  ),
  fails("POST P/blocks", "a post that is not there", ({ blogs }) =>
    blogs.createBlock({ ...demo, target: { case: "postId", value: 5n } }),
  ),
  fails(
    "POST P/blocks",
    "a token that may only read",
    ({ blogs }) => blogs.createBlock({ ...demo, target: { case: "blockedBlog", value: "reader-01" } }),
    { as: "read-only" },
  ),
  rejects("POST P/blocks", "neither blocked_tumblelog nor post_id", ({ blogs }) => blogs.createBlock(demo)),
  ...blockCases("POST P/blocks", ({ blogs }, blogIdentifier) =>
    blogs.createBlock({ blogIdentifier, target: { case: "blockedBlog", value: "reader-01" } }),
  ),

  answers(
    "POST P/blocks/bulk",
    "two blogs",
    ({ blogs }) => blogs.bulkCreateBlocks({ ...demo, blockedBlogs: ["reader-01", "reader-02"], force: true }),
    {},
  ),
  fails("POST P/blocks/bulk", "one that is not there", ({ blogs }) =>
    blogs.bulkCreateBlocks({ ...demo, blockedBlogs: ["reader-01", "nobody"] }),
  ),
  rejects("POST P/blocks/bulk", "none", ({ blogs }) => blogs.bulkCreateBlocks(demo)),
  rejects("POST P/blocks/bulk", "a name with a comma", ({ blogs }) =>
    blogs.bulkCreateBlocks({ ...demo, blockedBlogs: ["a,b"] }),
  ),
  ...blockCases("POST P/blocks/bulk", ({ blogs }, blogIdentifier) =>
    blogs.bulkCreateBlocks({ blogIdentifier, blockedBlogs: ["reader-01"] }),
  ),

  answers(
    "DELETE P/blocks",
    "a blog",
    ({ blogs }) => blogs.deleteBlock({ ...demo, target: { case: "blockedBlog", value: "grace" } }),
    {},
  ),
  answers(
    "DELETE P/blocks",
    "everyone anonymous",
    ({ blogs }) => blogs.deleteBlock({ ...demo, target: { case: "anonymousOnly", value: true } }),
    {},
  ),
  fails("DELETE P/blocks", "a blog that is not blocked", ({ blogs }) =>
    blogs.deleteBlock({ ...demo, target: { case: "blockedBlog", value: "ada" } }),
  ),
  fails("DELETE P/blocks", "anonymous_only: false alone", ({ blogs }) =>
    blogs.deleteBlock({ ...demo, target: { case: "anonymousOnly", value: false } }),
  ),
  rejects("DELETE P/blocks", "nobody", ({ blogs }) => blogs.deleteBlock(demo)),
  ...blockCases("DELETE P/blocks", ({ blogs }, blogIdentifier) =>
    blogs.deleteBlock({ blogIdentifier, target: { case: "anonymousOnly", value: true } }),
  ),
];

const LIKES: Case[] = [
  answers(
    "GET P/likes",
    "liked posts",
    ({ blogs }) => blogs.listLikes({ ...demo, limit: 3, offset: 1, npf: true, blogFields: ["name"] }),
    {
      likedPosts: several,
      likedCount: 25,
      links: { next: { queryParams: { limit: "3" } } },
    },
  ),
  answers(
    "GET P/likes",
    "with an API key",
    ({ blogs }) => blogs.listLikes(demo),
    { likedCount: 25 },
    { as: "key" },
  ),
  answers(
    "GET P/likes",
    "before a time",
    ({ blogs }) => blogs.listLikes({ ...demo, before: at(EPOCH - 3600) }),
    { likedPosts: several },
  ),
  answers(
    "GET P/likes",
    "after a time",
    ({ blogs }) => blogs.listLikes({ ...demo, after: at(EPOCH - 7200) }),
    { likedPosts: several },
  ),
  ...commonCases("GET P/likes", ({ blogs }, blogIdentifier) => blogs.listLikes({ blogIdentifier }), "key"),
  ...pageCases("GET P/likes", ({ blogs }, page) => blogs.listLikes({ ...demo, ...page })),
  fails("GET P/likes", "likes that are not shared", ({ blogs }) =>
    blogs.listLikes({ blogIdentifier: "grace" }),
  ),
  rejects("GET P/likes", "offset: 1001", ({ blogs }) => blogs.listLikes({ ...demo, offset: 1001 })),
  rejects("GET P/likes", "before and after", ({ blogs }) =>
    blogs.listLikes({ ...demo, before: at(1), after: at(1) }),
  ),
  rejects("GET P/likes", "before and offset", ({ blogs }) =>
    blogs.listLikes({ ...demo, before: at(1), offset: 1 }),
  ),
];

const FOLLOWS: Case[] = [
  answers(
    "GET P/following",
    "followed blogs",
    ({ blogs }) => blogs.listFollowing({ ...demo, limit: 2, offset: 1, blogFields: ["name"] }),
    {
      blogs: several,
      totalBlogs: 25,
    },
  ),
  ...commonCases(
    "GET P/following",
    ({ blogs }, blogIdentifier) => blogs.listFollowing({ blogIdentifier }),
    "user",
  ),
  ...pageCases("GET P/following", ({ blogs }, page) => blogs.listFollowing({ ...demo, ...page })),
  fails("GET P/following", "follows that are not shared", ({ blogs }) =>
    blogs.listFollowing({ blogIdentifier: "grace" }),
  ),

  answers(
    "GET P/followers",
    "followers",
    ({ blogs }) => blogs.listFollowers({ ...demo, limit: 2, offset: 1 }),
    {
      followers: [{ name: "reader-02", following: true }, { name: "reader-03" }],
      totalFollowers: 25,
    },
  ),
  answers(
    "GET P/followers",
    "followers beside their total",
    ({ blogs }) => blogs.listFollowers(demo),
    {
      followers: [{ name: "reader-01" }],
      totalFollowers: 1,
    },
    {
      prepare: ({ sandbox }) =>
        sandbox.next({
          status: 200,
          body: {
            meta: { status: 200, msg: "OK" },
            response: {
              total_users: 1,
              users: [
                { name: "reader-01", following: true, url: "https://reader-01.blog.example/", updated: 1 },
              ],
            },
          },
        }),
    },
  ),
  ...commonCases(
    "GET P/followers",
    ({ blogs }, blogIdentifier) => blogs.listFollowers({ blogIdentifier }),
    "user",
  ),
  ...pageCases("GET P/followers", ({ blogs }, page) => blogs.listFollowers({ ...demo, ...page })),
  fails("GET P/followers", "not a member", ({ blogs }) => blogs.listFollowers({ blogIdentifier: "ada" })),

  answers(
    "GET P/followed_by",
    "a follower",
    ({ blogs }) => blogs.getFollowedBy({ ...demo, followerBlog: "ada" }),
    { followedBy: true },
  ),
  answers(
    "GET P/followed_by",
    "no follower",
    ({ blogs }) => blogs.getFollowedBy({ ...demo, followerBlog: "grace" }),
    { followedBy: false },
  ),
  ...commonCases(
    "GET P/followed_by",
    ({ blogs }, blogIdentifier) => blogs.getFollowedBy({ blogIdentifier, followerBlog: "ada" }),
    "user",
  ),
  fails("GET P/followed_by", "a follower that is not there", ({ blogs }) =>
    blogs.getFollowedBy({ ...demo, followerBlog: "nobody" }),
  ),
  rejects("GET P/followed_by", "no query", ({ blogs }) => blogs.getFollowedBy(demo)),
];

const WANTED = [
  "LIKE",
  "REPLY",
  "FOLLOW",
  "MENTION_IN_REPLY",
  "MENTION_IN_POST",
  "REBLOG_NAKED",
  "REBLOG_WITH_CONTENT",
  "ASK",
  "ANSWERED_ASK",
  "NEW_GROUP_BLOG_MEMBER",
  "POST_ATTRIBUTION",
  "POST_FLAGGED",
  "POST_APPEAL_ACCEPTED",
  "POST_APPEAL_REJECTED",
  "WHAT_YOU_MISSED",
  "CONVERSATIONAL_NOTE",
] as const;

const NOTIFICATIONS: Case[] = [
  answers("GET P/notifications", "what others did", ({ blogs }) => blogs.listNotifications(demo), {
    notifications: several,
    links: { next: { method: "GET", queryParams: { rollups: "true" } } },
  }),
  ...WANTED.map((name) =>
    answers(
      "GET P/notifications",
      `types: ${name}`,
      ({ blogs }) => blogs.listNotifications({ ...demo, types: [NotificationType[name]] }),
      {
        notifications: expect.arrayContaining([expect.objectContaining({ type: NotificationType[name] })]),
      },
    ),
  ),
  answers(
    "GET P/notifications",
    "two types before a time, without a post",
    ({ blogs }, { ids }) =>
      blogs.listNotifications({
        ...demo,
        types: [NotificationType.LIKE, NotificationType.REPLY],
        before: at(EPOCH - 600),
        rollups: false,
        omitPostIds: [ids.blocks],
      }),
    { notifications: several },
  ),
  ...commonCases(
    "GET P/notifications",
    ({ blogs }, blogIdentifier) => blogs.listNotifications({ blogIdentifier }),
    "user",
  ),
  fails("GET P/notifications", "not a member", ({ blogs }) =>
    blogs.listNotifications({ blogIdentifier: "ada" }),
  ),
  rejects("GET P/notifications", "a type that is only in answers", ({ blogs }) =>
    blogs.listNotifications({ ...demo, types: [NotificationType.GENERIC] }),
  ),
  rejects("GET P/notifications", "post 0 to leave out", ({ blogs }) =>
    blogs.listNotifications({ ...demo, omitPostIds: [0n] }),
  ),
];

const PAGES: Case[] = [
  answers(
    "GET P/pages",
    "pages in their order",
    ({ blogs }) => blogs.listPages({ ...demo, limit: 2, offset: 1 }),
    {
      pages: [
        { path: "faq/answers", position: 2 },
        { path: "imprint", position: 3 },
      ],
      totalPages: 3,
    },
  ),
  ...commonCases("GET P/pages", ({ blogs }, blogIdentifier) => blogs.listPages({ blogIdentifier }), "user"),
  ...pageCases("GET P/pages", ({ blogs }, page) => blogs.listPages({ ...demo, ...page })),
  fails("GET P/pages", "a blog that nobody can have", ({ blogs }) =>
    blogs.listPages({ blogIdentifier: "a_b" }),
  ),
  fails("GET P/pages", "a private blog", ({ blogs }) => blogs.listPages({ blogIdentifier: "ada-secret" })),

  answers(
    "GET P/pages/{page-name}",
    "a page with a path of two parts",
    ({ blogs }) => blogs.getPage({ ...demo, pageName: "faq/answers" }),
    {
      page: {
        path: "faq/answers",
        title: "Questions & answers",
        content: "<h1>FAQ</h1>",
        customTemplate: true,
        showLink: true,
      },
    },
  ),
  ...commonCases(
    "GET P/pages/{page-name}",
    ({ blogs }, blogIdentifier) => blogs.getPage({ blogIdentifier, pageName: "about" }),
    "user",
  ),
  fails("GET P/pages/{page-name}", "a page that is not there", ({ blogs }) =>
    blogs.getPage({ ...demo, pageName: "missing" }),
  ),
  fails("GET P/pages/{page-name}", "a blog that nobody can have", ({ blogs }) =>
    blogs.getPage({ blogIdentifier: "a_b", pageName: "about" }),
  ),
  fails("GET P/pages/{page-name}", "a private blog", ({ blogs }) =>
    blogs.getPage({ blogIdentifier: "ada-secret", pageName: "about" }),
  ),
  rejects("GET P/pages/{page-name}", "no page", ({ blogs }) => blogs.getPage(demo)),
];

const post = (id: bigint) => `https://demo.blog.example/post/${id}`;

const EMBEDS: Case[] = [
  answers(
    "GET {web_url}/oembed",
    "a post",
    ({ embeds }, { ids }) => embeds.getEmbed({ url: post(ids.blocks), maxWidth: 300, maxHeight: 300 }),
    {
      type: "rich",
      version: "1.0",
      width: 300,
      cacheAge: 3600,
      authorName: "Demo & friends",
    },
    { as: "nobody" },
  ),
  fails(
    "GET {web_url}/oembed",
    "a post that is not there",
    ({ embeds }) => embeds.getEmbed({ url: post(5n) }),
    { as: "nobody" },
  ),
  rejects("GET {web_url}/oembed", "no address", ({ embeds }) => embeds.getEmbed({}), { as: "nobody" }),
  rejects(
    "GET {web_url}/oembed",
    "the address of no post",
    ({ embeds }) => embeds.getEmbed({ url: "https://example.org/" }),
    { as: "nobody" },
  ),
  rejects(
    "GET {web_url}/oembed",
    "a greatest width of 0",
    ({ embeds }, { ids }) => embeds.getEmbed({ url: post(ids.blocks), maxWidth: 0 }),
    { as: "nobody" },
  ),
];

/** The endpoints for blogs, in the order of the reference. */
export const BLOG_CASES: readonly Case[] = [
  ...INFO,
  ...AVATAR,
  ...BLOCKS,
  ...LIKES,
  ...FOLLOWS,
  ...NOTIFICATIONS,
  ...PAGES,
  ...EMBEDS,
];
