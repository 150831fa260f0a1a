import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import type { JsonObject } from "../json.ts";
import { LIMITS } from "../limits.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, askAs, bearer, KEY, outcome, sendForm } from "../testing/client.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
let sandbox: Sandbox;
let U: string;
beforeAll(async () => {
  sandbox = await startSandbox({ clock: NOW * 1000 });
  U = `${sandbox.url}/v2/user`;
});
beforeEach(() => {
  sandbox.reset();
  sandbox.clock.freeze(NOW * 1000);
  Object.assign(sandbox.limits, LIMITS);
});
afterAll(() => sandbox.close());

const get = async (path: string, user = "demo") => (await askAs(user, "GET", U + path)).json.response;
const post = (path: string, body: unknown, user = "demo") => askAs(user, "POST", U + path, body);

/** Returns a published post of `ada`, as the dashboard of `demo` shows it. */
async function adasPost(): Promise<{ id: bigint; id_string: string; reblog_key: string }> {
  const { response } = (await ask(`${sandbox.url}/v2/blog/ada/posts?limit=1&${KEY}`)).json;
  return response.posts[0];
}

test("info returns the user and the blogs that the user writes for, the primary blog first", async () => {
  const { user } = await get("/info");
  expect(user).toMatchObject({ name: "demo", likes: 25, following: 25, default_post_format: "html" });
  expect(user.blogs.map((blog: JsonObject) => [blog.name, blog.primary, blog.type])).toEqual([
    ["demo", true, "public"],
    ["demo-journal", false, "private"],
    ["newsroom", false, "public"],
  ]);
  expect(user.blogs[0]).toMatchObject({
    url: "https://demo.blog.example/",
    title: "Demo & friends",
    followers: 25,
    tweet: "N",
    uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
  });
  const short = (await get("/info?fields%5Bblogs%5D=name", "ada")).user.blogs;
  expect(short).toEqual([{ name: "ada" }, { name: "ada-secret" }, { name: "newsroom" }]);
});

test("limits returns an object for each limit, which counts uses and is reset at midnight", async () => {
  await post("/follow", { url: "https://grace.blog.example/" });
  const { user } = await get("/limits");
  const reset_at = (Math.floor(NOW / DAY) + 1) * DAY;
  expect(Object.keys(user)).toEqual([
    "blogs",
    "follows",
    "likes",
    "photos",
    "posts",
    "video_seconds",
    "videos",
  ]);
  expect(user.blogs).toEqual({ description: expect.any(String), limit: 10, remaining: 10, reset_at });
  expect(user.follows).toEqual({ description: expect.any(String), limit: 200, remaining: 199, reset_at });
  sandbox.clock.advance(DAY * 1000);
  expect((await get("/limits")).user.follows.remaining).toBe(200);
});

test("a disabled limit is omitted", async () => {
  sandbox.limits.likesPerDay = Number.POSITIVE_INFINITY;
  expect("likes" in (await get("/limits")).user).toBe(false);
});

test("the dashboard contains posts of followed blogs and the user's own posts, without a blog object", async () => {
  const first = await get("/dashboard");
  expect(first.posts).toHaveLength(20);
  for (const item of first.posts) expect([typeof item.blog_name, "blog" in item]).toEqual(["string", false]);
  const times = first.posts.map((item: JsonObject) => item.timestamp);
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a));
  const names = new Set<unknown>();
  for (let page = first; ; ) {
    for (const item of page.posts) names.add(item.blog_name);
    if (!page._links?.next) break;
    page = (await askAs("demo", "GET", sandbox.url + page._links.next.href)).json.response;
  }
  expect(names).toEqual(new Set(["demo", "ada", "newsroom", "demo-journal"]));
  expect((await get("/dashboard", "reader-01")).posts[0].blog_name).toBe("demo");
});

test("the dashboard can be filtered by type and id, paged, and shown in blocks and with notes", async () => {
  const quotes = await get("/dashboard?type=quote&limit=2&npf=true&notes_info=true&reblog_info=true");
  expect(quotes.posts).toHaveLength(2);
  expect(quotes.posts[0]).toMatchObject({ type: "blocks", original_type: "quote", notes: expect.any(Array) });
  expect(quotes._links.next.query_params).toMatchObject({
    type: "quote",
    limit: "2",
    offset: "2",
    npf: "true",
  });
  const all = await get("/dashboard?limit=20");
  const ids = all.posts.map((item: JsonObject) => BigInt(String(item.id_string)));
  const since = ids.toSorted((a: bigint, b: bigint) => (a < b ? -1 : 1))[10];
  for (const item of (await get(`/dashboard?since_id=${since}`)).posts) {
    expect(BigInt(item.id_string) > since).toBe(true);
  }
});

test.each(["limit=0", "limit=x", "offset=-1", "type=poll", "since_id=x", "npf=maybe"])(
  "a dashboard with %s is rejected with 400",
  async (query) => {
    expect(outcome(await askAs("demo", "GET", `${U}/dashboard?${query}`))).toBe("400");
  },
);

test("likes accept only one of offset, before and after", async () => {
  const first = await get("/likes?limit=5");
  expect([first.liked_posts.length, first.liked_count]).toEqual([5, 25]);
  const next = (await askAs("demo", "GET", sandbox.url + first._links.next.href)).json.response;
  expect(next.liked_posts[0].liked_timestamp).toBeLessThan(first.liked_posts[4].liked_timestamp);
  expect((await get("/likes?offset=1000")).liked_posts).toEqual([]);
  for (const query of ["offset=1001", "offset=1&before=5", "before=5&after=5", "limit=0"]) {
    expect(outcome(await askAs("demo", "GET", `${U}/likes?${query}`))).toBe("400");
  }
});

test("following lists blogs, most recently followed first, with a total", async () => {
  const got = await get("/following?limit=2");
  expect(got).toMatchObject({
    total_blogs: 25,
    blogs: [{ name: "reader-01", url: "https://reader-01.blog.example/" }, { name: "reader-02" }],
  });
  expect(got.blogs[0]).toMatchObject({ title: "Reader 1", description: "", updated: expect.any(Number) });
  expect(got._links.next.query_params).toEqual({ limit: "2", offset: "2" });
});

test.each(["https://grace.blog.example/", "http://grace.blog.example/post/1", "grace.blog.example"])(
  "the blog at %s can be followed and unfollowed",
  async (url) => {
    const got = await post("/follow", { url });
    expect([got.status, got.json.response.blog.name, got.json.response.blog.followed]).toEqual([
      200,
      "grace",
      true,
    ]);
    expect((await get("/following?limit=1")).blogs[0].name).toBe("grace");
    expect(outcome(await post("/follow", { url }))).toBe("200");
    expect((await get("/limits")).user.follows.remaining).toBe(199);
    expect((await sendForm(`${U}/unfollow`, { url })).json.response).toEqual([]);
    expect(outcome(await post("/unfollow", { url }))).toBe("200");
    expect((await get("/following")).total_blogs).toBe(25);
  },
);

test("a blog is followed by e-mail address if the blog allows this, and its owner is notified", async () => {
  const got = await post("/follow", { email: "Ada@example.org" }, "grace");
  expect(got.json.response.blog.name).toBe("ada");
  const activity = await askAs("ada", "GET", `${sandbox.url}/v2/blog/ada/notifications`);
  expect(activity.json.response.notifications[0]).toMatchObject({
    type: "follow",
    from_tumblelog_name: "grace",
  });
  expect(outcome(await post("/follow", { email: "grace@example.org" }))).toBe("404");
});

test.each([
  ["400", {}],
  ["400", { url: "" }],
  ["400", { url: "not a url" }],
  ["400", { url: "https://" }],
  ["400", { email: "nobody" }],
  ["400", { email: "@example.org" }],
  ["400", { url: "https://demo.blog.example/" }],
  ["404", { url: "https://nobody.blog.example/" }],
  ["404", { url: "https://ada-secret.blog.example/" }],
  ["404", { email: "nobody@example.org" }],
])("the response is %s to a request to follow %j", async (expected, body) => {
  expect(outcome(await post("/follow", body))).toBe(expected);
});

test.each([
  ["400", {}],
  ["400", { url: "nonsense" }],
  ["404", { url: "https://nobody.blog.example/" }],
])("the response is %s to a request to unfollow %j", async (expected, body) => {
  expect(outcome(await post("/unfollow", body))).toBe(expected);
});

test("a blog that blocks the caller cannot be followed", async () => {
  expect(outcome(await post("/follow", { url: "demo.blog.example" }, "grace"))).toBe("403");
});

test("follows and likes have a daily limit, and follows also have a total limit", async () => {
  sandbox.limits.followsPerDay = 1;
  expect(outcome(await post("/follow", { url: "grace.blog.example" }, "reader-01"))).toBe("200");
  const rejected = await post("/follow", { url: "ada.blog.example" }, "reader-01");
  expect([outcome(rejected), rejected.headers["retry-after"]]).toEqual(["429", String(DAY - (NOW % DAY))]);
  sandbox.clock.advance(DAY * 1000);
  expect(outcome(await post("/follow", { url: "ada.blog.example" }, "reader-01"))).toBe("200");
  sandbox.limits.followedBlogs = 25;
  expect(outcome(await post("/follow", { url: "grace.blog.example" }))).toBe("429");
  sandbox.limits.likesPerDay = 0;
  const { id_string: id, reblog_key } = await adasPost();
  expect(outcome(await post("/like", { id, reblog_key }, "reader-01"))).toBe("429");
});

test("a like is in the list of likes and in the notes of the post, and can be undone", async () => {
  const { id_string: id, reblog_key } = await adasPost();
  const liked = await askAs("reader-01", "POST", `${U}/like`, `{"id": ${id}, "reblog_key": "${reblog_key}"}`);
  expect([liked.status, liked.json.response]).toEqual([200, []]);
  expect(outcome(await post("/like", { id, reblog_key }, "reader-01"))).toBe("200");
  const likes = await get("/likes", "reader-01");
  expect([likes.liked_count, likes.liked_posts[0].id_string, likes.liked_posts[0].liked]).toEqual([
    1,
    id,
    true,
  ]);
  const notes = await ask(`${sandbox.url}/v2/blog/ada/notes?id=${id}&${KEY}`);
  expect(notes.json.response.notes[0]).toMatchObject({ type: "like", blog_name: "reader-01" });
  const headers = bearer("reader-01");
  const undone = await sendForm(`${U}/unlike`, { id, reblog_key }, { headers });
  expect([undone.status, undone.json.response]).toEqual([200, []]);
  expect(outcome(await post("/unlike", { id, reblog_key }, "reader-01"))).toBe("200");
  expect((await get("/likes", "reader-01")).liked_count).toBe(0);
});

test.each(["/like", "/unlike"])("%s needs an id and a matching key", async (path) => {
  const { id_string: id, reblog_key } = await adasPost();
  expect(outcome(await post(path, { reblog_key }))).toBe("400");
  expect(outcome(await post(path, { id }))).toBe("400");
  expect(outcome(await post(path, { id: "x", reblog_key }))).toBe("400");
  expect(outcome(await post(path, { id: "1", reblog_key }))).toBe("404");
  expect(outcome(await post(path, { id, reblog_key: "wrong" }))).toBe("404");
});

test("tagged returns a plain array, newest first, for a key or a user", async () => {
  const tagged = async (query: string) =>
    (await ask(`${sandbox.url}/v2/tagged?${query}&${KEY}`)).json.response;
  const first = await tagged("tag=Caf%C3%A9%20au%20lait&limit=3");
  expect(first).toHaveLength(3);
  for (const item of first) expect(item.tags).toContain("Caf\u00e9 au lait");
  const next = await tagged(`tag=seed&before=${first[2].timestamp}&npf=true`);
  expect(next[0].timestamp).toBeLessThan(first[2].timestamp);
  expect(next[0].type).toBe("blocks");
  expect(await tagged("tag=nothing-has-this")).toEqual([]);
  const liked = await askAs("demo", "GET", `${sandbox.url}/v2/tagged?tag=blocks&limit=1&filter=text`);
  expect(liked.json.response[0].liked).toBe(true);
});

test("posts of a featured tag are paged by the time when they were featured", async () => {
  const tagged = (query: string) =>
    askAs("demo", "GET", `${sandbox.url}/v2/tagged?tag=blocks&limit=1${query}`);
  const [first] = (await tagged("")).json.response;
  expect(first.featured_timestamp).toBeGreaterThan(first.timestamp);
  const [second] = (await tagged(`&before=${first.featured_timestamp}`)).json.response;
  expect(second.featured_timestamp).toBeLessThan(first.featured_timestamp);
});

test.each(["", "tag=", "tag=x&limit=0", "tag=x&before=y", "tag=x&filter=markdown"])(
  "tagged with '%s' is rejected with 400",
  async (query) => {
    expect((await ask(`${sandbox.url}/v2/tagged?${query}&${KEY}`)).status).toBe(400);
  },
);

test("every user endpoint requires a user", async () => {
  for (const path of [
    "/info",
    "/limits",
    "/dashboard",
    "/likes",
    "/following",
    "/filtered_tags",
    "/filtered_content",
  ]) {
    expect(outcome(await ask(U + path))).toBe("401.1016");
    const application = { authorization: `Bearer ${CREDENTIALS.applicationToken}` };
    expect(outcome(await ask(U + path, { headers: application }))).toBe("403");
  }
  expect(outcome(await ask(`${sandbox.url}/v2/tagged?tag=x`))).toBe("401.1016");
});
