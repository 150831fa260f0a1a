import type { Client } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { BlogService } from "../../../gen/blog/v1/blog_pb.ts";
import { BlogServiceRest } from "../../../gen/blog/v1/blog_rest.ts";
import { all } from "../world.ts";
import { answered, demo, readVariants, serverOf, type Variant, written } from "./variant.ts";

type Api = Client<typeof BlogService>;
type Read = Variant<typeof BlogService>;

/** A blog in a response, and the expected result. */
const blog = (name: string, sent: object, read: object): Read => [
  name,
  (api) => api.getBlogInfo(demo),
  answered({ blog: sent }),
  { blog: read as never },
];

const BLOGS: readonly Read[] = [
  blog(
    "numbers are texts",
    { posts: "4123", updated: "1700000000", theme_id: "3" },
    { posts: 4123, updated: "2023-11-14T22:13:20Z", themeId: "3" },
  ),
  blog(
    "flags are numbers and texts",
    { ask: 1, ask_anon: "true", followed: 0, admin: "false", primary: "Y" },
    { ask: true, askAnon: true, followed: false, admin: false, primary: true },
  ),
  blog("texts are numbers", { name: 1234, title: 0 }, { name: "1234", title: "0" }),
  blog(
    "null is absent everywhere",
    { name: null, posts: null, avatar: null, theme: null, ask: null, updated: null, subscription_plan: null },
    {},
  ),
  blog("a theme is an empty array", { theme: [] }, { theme: {} }),
  blog(
    "a theme stands in an array",
    { theme: [{ title_font: "Gibson", avatar_shape: "square" }] },
    { theme: { titleFont: "Gibson", avatarShape: "AVATAR_SHAPE_SQUARE" } },
  ),
  blog(
    "bounds of a header have spaces",
    { theme: { header_bounds: "0, 1280,720 ,0" } },
    { theme: { headerBounds: [0, 1280, 720, 0] } },
  ),
  blog(
    "bounds of a header are false",
    { theme: { header_bounds: false, header_image_npf: false } },
    { theme: {} },
  ),
  blog(
    "bounds of a header are an array",
    { theme: { header_bounds: [0, "1280", 720, 0] } },
    { theme: { headerBounds: [0, 1280, 720, 0] } },
  ),
  blog(
    "an avatar is a single object",
    { avatar: { width: "64", height: 64, url: "u" } },
    { avatar: [{ width: 64, height: 64, url: "u" }] },
  ),
  blog("an avatar is an address", { avatar: "https://media.example/a.png", name: "b" }, { name: "b" }),
  blog(
    "nobody knows the shape of an avatar",
    { theme: { avatar_shape: "hexagon" } },
    { theme: { unknownFields: { avatar_shape: '"hexagon"' } } },
  ),
  blog(
    "prices are numbers, and none",
    { subscription_plan: { monthly_price: 399, yearly_price: null } },
    { subscriptionPlan: { monthlyPrice: "399" } },
  ),
  blog(
    "nobody knows a key",
    { name: "b", zzz: { deep: [1] } },
    { name: "b", unknownFields: { zzz: '{"deep":[1]}' } },
  ),
  blog("keys are in lowerCamel", { askAnon: true, isNsfw: false }, { askAnon: true, isNsfw: false }),
];

const info = (name: string, answer: Read[2]): Read => [
  name,
  (api) => api.getBlogInfo(demo),
  answer,
  { blog: { name: "b" } },
];
const json = { response: { blog: { name: "b" } } };

const ENVELOPES: readonly Read[] = [
  info("a blog stands in an array", answered({ blog: [{ name: "b" }] })),
  info("there is no meta", { json }),
  info("the status in meta is a text, beside further keys", {
    json: { ...json, meta: { status: "200", msg: "OK", rating: "general" } },
  }),
  info("there are no errors, and that is said", { json: { ...json, errors: [] } }),
  info("JSON is called HTML", { json, headers: { "content-type": "text/html; charset=utf-8" } }),
  info("JSON has a type of its own", { json, headers: { "CONTENT-TYPE": "application/vnd.blog+json" } }),
  info("JSON has no type", { body: JSON.stringify(json) }),
  info("JSON stands behind a byte order mark", { body: `\ufeff${JSON.stringify(json)}` }),
  info("JSON comes in pieces", {
    write: (response) => {
      for (const char of JSON.stringify(json)) response.write(char);
      response.end();
    },
  }),
];

const ADDRESS = "https://media.example/a/64.png";
const avatar = (name: string, answer: Read[2], read: object = { avatarUrl: ADDRESS }): Read => [
  name,
  (api) => api.getAvatar(demo),
  answer,
  read as never,
];
const found = (response: unknown) => JSON.stringify({ meta: { status: 302, msg: "Found" }, response });
const type = { "content-type": "application/json" };

const AVATARS: readonly Read[] = [
  avatar(
    "a picture",
    { body: "PNG", headers: { "content-type": "image/png" } },
    { image: { contentType: "image/png", data: "UE5H" } },
  ),
  avatar(
    "a picture in another format",
    { body: "PNG", headers: { "Content-Type": "image/webp" } },
    { image: { contentType: "image/webp", data: "UE5H" } },
  ),
  avatar("an address with a redirect, of which the one in the body counts", {
    status: 302,
    body: found({ avatar_url: ADDRESS }),
    headers: { ...type, location: "https://other.example/" },
  }),
  avatar("an address with a redirect alone, beside an empty answer", {
    status: 302,
    body: found([]),
    headers: { ...type, location: ADDRESS },
  }),
  avatar("a redirect without a body", { status: 302, body: "", headers: { LOCATION: ADDRESS } }),
  avatar("a redirect for good", { status: 301, body: "", headers: { Location: ADDRESS } }),
  avatar("an address with status 200", { body: found({ avatar_url: ADDRESS }), headers: type }),
];

const followers = (name: string, response: unknown, read: object): Read => [
  name,
  (api) => api.listFollowers(demo),
  answered(response),
  read as never,
];

const LISTS: readonly Read[] = [
  followers(
    "followers beside their number",
    {
      total_users: "2",
      users: [
        { name: "a", following: 1, updated: "5" },
        { name: "b", url: null },
      ],
    },
    {
      totalFollowers: 2,
      followers: [{ name: "a", following: true, updated: "1970-01-01T00:00:05Z" }, { name: "b" }],
    },
  ),
  followers(
    "followers below users",
    { users: { total_users: 1, users: [{ name: "a" }] } },
    { totalFollowers: 1, followers: [{ name: "a" }] },
  ),
  followers("no followers below users", { users: { total_users: 0, users: [] } }, { totalFollowers: 0 }),
  followers(
    "a link with a type, a full address and numbers",
    {
      _links: {
        next: {
          type: "action",
          href: "https://api.example/v2",
          method: "GET",
          query_params: { offset: 20, npf: true },
        },
      },
    },
    {
      links: {
        next: {
          type: "LINK_TYPE_ACTION",
          href: "https://api.example/v2",
          method: "GET",
          queryParams: { offset: "20", npf: "true" },
        },
      },
    },
  ),
  followers(
    "a link to go to, and one that nobody knows",
    { _links: { terms: { type: "navigation", href: "/t" }, next: { type: "jump", href: "/n" } } },
    {
      links: {
        next: { href: "/n", unknownFields: { type: '"jump"' } },
        unknownFields: { terms: '{"type":"navigation","href":"/t"}' },
      },
    },
  ),
  followers("links that are an empty array", { _links: [] }, { links: {} }),
  followers("links that are null", { _links: null }, {}),
  followers(
    "a link back by its other name, without parameters",
    { _links: { prev: { href: "/p", query_params: [] } } },
    { links: { previous: { href: "/p" } } },
  ),
  [
    "whether a blog is followed, as text",
    (api) => api.getFollowedBy({ ...demo, followerBlog: "b" }),
    answered({ followed_by: "true" }),
    { followedBy: true },
  ],
  [
    "a page with texts for numbers",
    (api) => api.getPage({ ...demo, pageName: "a/b" }),
    answered({ path: "/a", position: "2", updated_at: "5", custom_template: 0, show_link: "true" }),
    { page: { path: "/a", position: 2, updatedAt: "1970-01-01T00:00:05Z", showLink: true } },
  ],
];

const notification = (name: string, sent: string, read: object): Read => [
  name,
  (api) => api.listNotifications(demo),
  written(`{"notifications":[${sent}]}`),
  { notifications: [read as never] },
];

const NOTIFICATIONS: readonly Read[] = [
  notification(
    "ids are numbers",
    '{"id":5,"target_post_id":700000000000000001,"target_root_post_id":null,"unread":0}',
    { id: "5", targetPostId: "700000000000000001", unread: false },
  ),
  notification("there is no post", '{"type":"follower","target_post_id":"","post_id":"","post_tags":null}', {
    type: "NOTIFICATION_TYPE_FOLLOW",
    typeName: "follower",
  }),
  notification("nobody knows the type", '{"type":"gift","points":3}', {
    typeName: "gift",
    unknownFields: { points: "3" },
  }),
];

const NOTHING: ReadonlyArray<readonly [string, Read[2]]> = [
  ["{}", answered({})],
  ["[]", answered([])],
  ["null", answered(null)],
  ['""', answered("")],
  ["false", answered(false)],
  ["no key", { json: { meta: { status: 200, msg: "OK" } } }],
  ["no body", { body: "" }],
  ["no content", { status: 204 }],
  ["another success", answered([], 201)],
];
const target = { case: "blockedBlog", value: "b" } as const;
const empty = (api: Api) => api.bulkCreateBlocks({ ...demo, blockedBlogs: ["b"] });
const EMPTY: readonly Read[] = [
  ...NOTHING.map(([name, answer]): Read => [`nothing, as ${name}`, empty, answer, {}]),
  ["nothing where a flag could be", (api) => api.createBlock({ ...demo, target }), answered([], 201), {}],
  [
    "something where nothing was expected",
    (api) => api.deleteBlock({ ...demo, target }),
    answered({ done: true }),
    {},
  ],
];

readVariants(BlogService, BlogServiceRest, [
  ...BLOGS,
  ...ENVELOPES,
  ...AVATARS,
  ...LISTS,
  ...NOTIFICATIONS,
  ...EMPTY,
]);

test("the nested list of followers is streamed completely, whether its links have the query in the address or in a separate object", async () => {
  const user = (name: string) => ({ users: { total_users: 3, users: [{ name }] } });
  const path = "/v2/blog/demo/followers";
  const next = (query_params: object, href = path) => ({
    _links: { next: { href, method: "GET", query_params } },
  });
  const { api, seen } = await serverOf(BlogService, BlogServiceRest, [
    answered({ ...user("a"), ...next({ offset: "1", limit: 1 }) }),
    answered({ ...user("b"), ...next({ offset: "2", limit: 1 }, `${path}?offset=2&limit=1`) }),
    answered(user("c")),
  ]);
  expect((await all(api.streamFollowers({ ...demo, limit: 1 }))).map(({ name }) => name)).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(seen.map(({ line }) => line)).toEqual([
    `GET ${path}?limit=1`,
    `GET ${path}?offset=1&limit=1`,
    `GET ${path}?offset=2&limit=1`,
  ]);
});

test("a link with an API key can be sent back unchanged, without the key", async () => {
  const { api, seen } = await serverOf(BlogService, BlogServiceRest, [
    answered({
      blogs: [],
      _links: { next: { href: "/v2/x", query_params: { api_key: "theirs", offset: 20 } } },
    }),
    answered({ blogs: [] }),
  ]);
  const { links } = await api.listFollowing(demo);
  await api.listFollowing({ ...demo, limit: 5, pageToken: links?.next?.queryParams ?? {} });
  expect(seen[1]?.line).toBe("GET /v2/blog/demo/following?limit=5&offset=20");
});
