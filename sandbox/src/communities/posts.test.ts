import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CAST, COMMUNITIES, type Sandbox, startSandbox } from "../index.ts";
import type { JsonObject } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { askAs, outcome, sendForm } from "../testing/client.ts";
import { EMOJI } from "./emoji.ts";

const { posts } = COMMUNITIES.public;
let sandbox: Sandbox;
let C: string;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: 1_800_000_000_000 });
  C = `${sandbox.url}/v2/communities/gardeners`;
});
beforeEach(() => {
  sandbox.reset();
  Object.assign(sandbox.limits, LIMITS);
});
afterAll(() => sandbox.close());

const react = (user: string, post: string, body: unknown) =>
  askAs(user, "PUT", `${C}/posts/${post}/reactions`, body);

async function timeline(user: string, query = ""): Promise<{ elements: JsonObject[]; _links?: JsonObject }> {
  return (await askAs(user, "GET", `${C}/timeline${query}`)).json.response.timeline;
}

async function reactionsOf(post: string, user: string): Promise<JsonObject[]> {
  const { elements } = await timeline(user);
  return elements.find((item) => item.id_string === post)?.reactions as JsonObject[];
}

test("the timeline contains block-based posts with the community fields", async () => {
  const { elements } = await timeline(CAST.moderator);
  expect(elements[0]).toMatchObject({
    object_type: "post",
    type: "blocks",
    id_string: posts.byAdmin,
    state: "published",
    blog_name: "demo",
    community: { name: "gardeners", member_count: 24 },
    can_react: true,
    can_moderate: true,
    is_admin: true,
    is_moderator: false,
    post_author: "demo",
    author_blog: { name: "demo" },
    reactions: [
      {
        emoji: {
          id: "emoji-01",
          grapheme: "\u{1F44D}",
          base_slug: ":thumbs_up:",
          variants: expect.any(Array),
        },
        count: 2,
        preview: ["ada", "grace"],
        reacted: true,
      },
      { emoji: { base_slug: ":red_heart:", variants: {} }, count: 1, preview: ["demo"], reacted: false },
    ],
  });
  expect(elements[1]).toMatchObject({ is_admin: false, is_moderator: true, post_author: "ada" });
  const [seen] = (await timeline(CAST.nobody)).elements;
  expect([seen?.can_react, seen && "can_moderate" in seen]).toEqual([false, false]);
});

test("the timeline omits removed and deleted posts, and is paged by a cursor", async () => {
  const first = await timeline(CAST.member);
  expect(first.elements).toHaveLength(20);
  const { href } = (first._links as { next: { href: string } }).next;
  const second = (await askAs(CAST.member, "GET", sandbox.url + href)).json.response.timeline;
  expect([second.elements.length, second._links]).toEqual([4, undefined]);
  const ids = [...first.elements, ...second.elements].map((item) => item.id_string);
  expect(new Set(ids).size).toBe(24);
  expect(ids).not.toContain(posts.removed);
  expect(ids).not.toContain(posts.deleted);
});

test("a timeline can contain only polls, or begin with recommended posts", async () => {
  const polls = (await timeline(CAST.member, "?type=polls")).elements;
  expect(polls.map((item) => (item.content as JsonObject[])[1]?.type)).toEqual([
    "poll",
    "poll",
    "poll",
    "poll",
  ]);
  const kinds = (await timeline(CAST.member, "?type=discover")).elements.slice(0, 4);
  expect(kinds.map((item) => item.object_type)).toEqual(["title", "post", "carousel", "post"]);
  expect([kinds[1]?.display_type, kinds[3] && "display_type" in kinds[3]]).toEqual([1, false]);
});

test.each(["type=top", "cursor=zzz"])("a timeline with %s is rejected with 400", async (query) => {
  expect(outcome(await askAs("demo", "GET", `${C}/timeline?${query}`))).toBe("400");
});

test("a community post is not in any list of the posts of its author's blog", async () => {
  const headers = await askAs("demo", "GET", `${sandbox.url}/v2/blog/grace/posts`);
  expect(JSON.stringify(headers.text)).not.toContain(posts.byMember);
  const dashboard = await askAs("ada", "GET", `${sandbox.url}/v2/user/dashboard?limit=20`);
  expect(dashboard.text).not.toContain("Community post");
  const tagged = await askAs("ada", "GET", `${sandbox.url}/v2/tagged?tag=gardeners`);
  expect(tagged.json.response).toEqual([]);
});

test("the first reaction in a community may return a timeline, and other reactions return an empty response", async () => {
  const first = await react("reader-04", posts.byAdmin, { slug: ":fire:" });
  expect(first.json.response).toMatchObject({ timeline: { elements: [{ object_type: "banner" }] } });
  const second = await react("reader-04", posts.byAdmin, { grapheme: "\u{1F331}" });
  expect(second.json.response).toEqual([]);
  expect((await react("reader-04", posts.byAdmin, { slug: ":fire:" })).json.response).toEqual([]);
  const slugs = (await reactionsOf(posts.byAdmin, "reader-04")).map((item) => [
    (item.emoji as JsonObject).base_slug,
    item.count,
    item.reacted,
  ]);
  expect(slugs).toEqual([
    [":thumbs_up:", 2, false],
    [":red_heart:", 1, false],
    [":fire:", 1, true],
    [":seedling:", 1, true],
  ]);
});

test("a slug takes precedence over a grapheme, and graphemes match without skin tone and presentation selector", async () => {
  await react("reader-04", posts.byMember, { slug: ":rocket:", grapheme: "\u{1F440}" });
  await react("reader-04", posts.byMember, { grapheme: "\u2764" });
  await react("reader-04", posts.byMember, { grapheme: "\u{1F44D}\u{1F3FD}" });
  await sendForm(
    `${C}/posts/${posts.byMember}/reactions`,
    { grapheme: "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}" },
    { method: "PUT" },
  );
  const names = (await reactionsOf(posts.byMember, "reader-04")).map(
    (item) => (item.emoji as JsonObject).base_slug,
  );
  expect(names).toEqual([":rocket:", ":red_heart:", ":thumbs_up:", ":family:"]);
});

test.each([
  {},
  { slug: "" },
  { slug: ":nonsense:" },
  { grapheme: "x" },
  { slug: ":nonsense:", grapheme: "\u{1F525}" },
])("a reaction with %j is rejected with 400", async (body) => {
  expect(outcome(await react("demo", posts.byMember, body))).toBe("400");
});

test("the number of different reactions per post is limited, in total and per user", async () => {
  sandbox.limits.reactionsPerUser = 2;
  expect(outcome(await react("grace", posts.byMember, { slug: EMOJI[0]?.slug }))).toBe("200");
  expect(outcome(await react("grace", posts.byMember, { slug: EMOJI[1]?.slug }))).toBe("200");
  expect(outcome(await react("grace", posts.byMember, { slug: EMOJI[2]?.slug }))).toBe("400.22002");
  expect(outcome(await react("grace", posts.byMember, { slug: EMOJI[1]?.slug }))).toBe("200");
  sandbox.limits.reactionsPerPost = 2;
  expect(outcome(await react("ada", posts.byMember, { slug: EMOJI[2]?.slug }))).toBe("400.22001");
  expect(outcome(await react("ada", posts.byMember, { slug: EMOJI[0]?.slug }))).toBe("200");
});

test("the sandbox has enough emoji to reach the default limits", () => {
  expect(EMOJI.length).toBeGreaterThan(LIMITS.reactionsPerPost);
});

test.each(["emoji-01", "%F0%9F%91%8D", "%F0%9F%91%8D%F0%9F%8F%BD"])(
  "a reaction can be removed by %s",
  async (id) => {
    const path = `${C}/posts/${posts.byAdmin}/reactions/${id}`;
    expect((await askAs("ada", "DELETE", path)).json.response).toEqual([]);
    expect(outcome(await askAs("ada", "DELETE", path))).toBe("200");
    expect((await reactionsOf(posts.byAdmin, "ada"))[0]).toMatchObject({ count: 1, preview: ["grace"] });
  },
);

test("removing an unknown reaction and reacting to a missing post are rejected", async () => {
  expect(outcome(await askAs("ada", "DELETE", `${C}/posts/${posts.byAdmin}/reactions/nonsense`))).toBe("404");
  for (const id of ["1", "nonsense", posts.removed, posts.deleted, COMMUNITIES.private.posts.byAdmin]) {
    expect(outcome(await react("demo", id, { slug: ":fire:" }))).toBe("404.24005");
  }
});

test("moderators see who removed a post, its author sees the removal, and nobody else sees the post", async () => {
  const path = `${C}/moderation/posts/${posts.removed}`;
  const seen = (await askAs("ada", "GET", path)).json.response;
  expect(seen).toMatchObject({
    action: "moderate_post",
    reason: "spam",
    note: "Advertises a shop",
    ts: 1_761_991_200,
    post: { id_string: posts.removed, post_author: "grace", can_moderate: true },
    moderator: { name: "ada" },
  });
  const author = (await askAs("grace", "GET", path)).json.response;
  expect([author.reason, "moderator" in author]).toEqual(["spam", false]);
  expect(outcome(await askAs("reader-04", "GET", path))).toBe("403");
  expect(outcome(await askAs("grace", "DELETE", `${C}/members/grace?reason=other&note=bye`))).toBe("200");
  expect(outcome(await askAs("grace", "GET", path))).toBe("200");
  const restored = (await askAs("ada", "GET", `${C}/moderation/posts/${posts.restored}`)).json.response;
  expect([restored.action, "reason" in restored, restored.note]).toEqual([
    "restore_post",
    false,
    "It was on topic after all",
  ]);
});

test("the moderation of a missing post, or of a post that was never moderated, returns 404", async () => {
  const path = (id: string) => `${C}/moderation/posts/${id}`;
  expect(outcome(await askAs("ada", "GET", path(posts.byAdmin)))).toBe("404");
  for (const id of ["1", "nonsense", posts.deleted]) {
    expect(outcome(await askAs("ada", "GET", path(id)))).toBe("404.24005");
    expect(outcome(await askAs("ada", "DELETE", `${path(id)}?reason=spam`))).toBe("404.24005");
    expect(outcome(await askAs("ada", "PUT", path(id), { note: "x" }))).toBe("404.24005");
  }
});

test("removing or restoring a post returns 204 without a body", async () => {
  const path = `${C}/moderation/posts/${posts.byMember}`;
  const gone = await askAs("ada", "DELETE", `${path}?reason=other&note=why`);
  expect([gone.status, gone.text, gone.headers["content-type"]]).toEqual([204, "", undefined]);
  expect(outcome(await askAs("ada", "DELETE", `${path}?reason=spam`))).toBe("409.24006");
  expect((await timeline("ada")).elements.map((item) => item.id_string)).not.toContain(posts.byMember);
  const back = await askAs("demo", "PUT", path, { note: "x".repeat(1000) });
  expect([back.status, back.text]).toEqual([204, ""]);
  expect(outcome(await askAs("demo", "PUT", path, { note: "x" }))).toBe("409.24007");
  expect((await askAs("demo", "GET", path)).json.response).toMatchObject({
    action: "restore_post",
    ts: 1_800_000_000,
    moderator: { name: "demo" },
  });
});

test.each(["", "reason=boring", "reason=other", `reason=spam&note=${"x".repeat(1001)}`])(
  "the removal of a post with '%s' is rejected with 400",
  async (query) => {
    expect(outcome(await askAs("ada", "DELETE", `${C}/moderation/posts/${posts.byMember}?${query}`))).toBe(
      "400",
    );
  },
);

test.each([{}, { note: " " }, { note: "x".repeat(1001) }])(
  "restoring a post with an invalid note is rejected with 400",
  async (body) => {
    expect(outcome(await askAs("ada", "PUT", `${C}/moderation/posts/${posts.removed}`, body))).toBe("400");
  },
);

test("moderators cannot see a post that its author deleted", async () => {
  const blog = `${sandbox.url}/v2/blog/grace/post/delete`;
  expect(outcome(await askAs("grace", "POST", blog, { id: posts.byMember }))).toBe("200");
  const path = `${C}/moderation/posts/${posts.byMember}?reason=spam`;
  expect(outcome(await askAs("ada", "DELETE", path))).toBe("404.24005");
});
