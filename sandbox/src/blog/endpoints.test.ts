import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ADA, ask, BEARER, type Got, KEY, sendForm, sendJson, signed } from "../testing/client.ts";

let sandbox: Sandbox;
let P: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  P = `${sandbox.url}/v2/blog/demo`;
});
beforeEach(() => sandbox.clearRates());
afterAll(() => sandbox.close());

const get = (path: string, headers: Record<string, string> = BEARER): Promise<Got> =>
  ask(P + path, { headers });
const names = (items: { name: string }[]) => items.map((item) => item.name);

test("an avatar is a PNG of the requested size, 64 by default", async () => {
  const got = await get("/avatar", {});
  expect([got.status, got.headers["content-type"]]).toEqual([200, "image/png"]);
  expect(got.bytes.subarray(1, 4).toString()).toBe("PNG");
  expect(got.bytes.readUInt32BE(16)).toBe(64);
  const big = await get("/avatar/512", {});
  expect(big.bytes.readUInt32BE(20)).toBe(512);
  const data = big.bytes.subarray(big.bytes.indexOf("IDAT") + 4, big.bytes.lastIndexOf("IEND") - 8);
  expect(inflateSync(data)).toHaveLength(512 * (512 * 3 + 1));
});

test("a signed request, or a request that accepts JSON, gets a 302 to the address of the avatar", async () => {
  for (const headers of [signed(`${P}/avatar/96`), { accept: "text/html, application/json;q=0.9" }]) {
    const got = await get("/avatar/96", headers);
    expect(got.status).toBe(302);
    expect(got.json.meta).toEqual({ status: 302, msg: "Found" });
    expect(got.json.response.avatar_url).toBe(got.headers.location);
    expect((await ask(String(got.headers.location))).bytes.readUInt32BE(16)).toBe(96);
  }
  const jsonp = await get("/avatar?jsonp=f", {});
  expect([jsonp.status, jsonp.text.slice(0, 26)]).toEqual([200, 'f({"meta":{"status":302,"m']);
});

test("an unsupported avatar size returns 400, and an unknown blog returns 404", async () => {
  expect((await get("/avatar/50", {})).status).toBe(400);
  const got = await ask(`${sandbox.url}/v2/blog/nobody/avatar`);
  expect(got.json).toMatchObject({
    meta: { status: 404 },
    response: [],
    errors: [{ title: "Not Found", code: 0 }],
  });
});

test("blocks can be listed, added one by one or in bulk, and removed", async () => {
  const listed = async () => names((await get("/blocks")).json.response.blocked_tumblelogs);
  expect(await listed()).toEqual(["grace"]);
  const first = await sendForm(`${P}/blocks`, { blocked_tumblelog: "notes.ada.example" });
  expect([first.status, first.json.response]).toEqual([201, { already_blocked: false }]);
  const again = await sendJson(`${P}/blocks`, { blocked_tumblelog: "t:AdaLvlc1842xEngineNote" });
  expect([again.status, again.json.response]).toEqual([201, { already_blocked: true }]);
  const bulk = await sendForm(`${P}/blocks/bulk`, {
    blocked_tumblelogs: "reader-01,reader-02",
    force: "true",
  });
  expect([bulk.status, bulk.json.response]).toEqual([200, []]);
  expect((await listed()).toSorted()).toEqual(["ada", "grace", "reader-01", "reader-02"]);
  expect((await sendForm(`${P}/blocks/bulk`, { blocked_tumblelogs: "reader-03,nobody" })).status).toBe(404);
  expect(await listed()).toHaveLength(4);
  const gone = await ask(`${P}/blocks?blocked_tumblelog=ada&anonymous_only=false`, {
    method: "DELETE",
    headers: BEARER,
  });
  expect([gone.status, gone.json.response]).toEqual([200, []]);
  expect(await listed()).not.toContain("ada");
});

test("DELETE blocks removes the blocks of anonymous users with anonymous_only=true, and otherwise returns 404", async () => {
  const remove = (query: string) => ask(`${P}/blocks${query}`, { method: "DELETE", headers: BEARER });
  expect((await remove("?anonymous_only=true")).status).toBe(200);
  expect((await remove("?anonymous_only=false")).status).toBe(404);
  expect((await remove("")).status).toBe(404);
  expect((await sendForm(`${P}/blocks`, { anonymous_only: "true" }, { method: "DELETE" })).status).toBe(200);
});

test("the author of an anonymous post can be blocked, and the author of a signed post cannot", async () => {
  const { posts } = (await get("/posts/submission")).json.response;
  const anonymous = posts.find((post: { anonymous_email?: string }) => post.anonymous_email);
  const named = posts.find((post: { post_author?: string }) => post.post_author);
  expect((await sendForm(`${P}/blocks`, { post_id: anonymous.id_string })).status).toBe(201);
  expect((await sendForm(`${P}/blocks`, { post_id: named.id_string })).status).toBe(400);
  expect((await sendForm(`${P}/blocks`, {})).status).toBe(400);
});

test("the four block endpoints share a limit per minute, and only admins may use them", async () => {
  expect((await get("/blocks", ADA)).status).toBe(403);
  sandbox.clearRates();
  sandbox.limits.blocksPerMinute = 2;
  sandbox.clock.freeze(1_800_000_000_000);
  expect((await get("/blocks")).status).toBe(200);
  expect((await sendForm(`${P}/blocks/bulk`, { blocked_tumblelogs: "reader-05" })).status).toBe(200);
  const third = await ask(`${P}/blocks`, { method: "DELETE", headers: BEARER });
  expect([third.status, third.json.meta.msg, third.headers["retry-after"]]).toEqual([
    429,
    "Limit Exceeded",
    "60",
  ]);
  sandbox.clock.advance(60_000);
  expect((await get("/blocks")).status).toBe(200);
  sandbox.clock.reset();
  sandbox.limits.blocksPerMinute = 60;
});

test("likes are paged by time or by offset, and a request with both is rejected", async () => {
  const got = await get(`/likes?${KEY}`, {});
  expect(got.json.response.liked_posts).toHaveLength(20);
  expect(got.json.response.liked_count).toBe(25);
  const last = got.json.response.liked_posts.at(-1);
  const { next, prev } = got.json.response._links;
  expect(next.query_params).toEqual({ limit: "20", before: String(last.liked_timestamp) });
  expect(prev.query_params.after).toBeDefined();
  const rest = await ask(`${sandbox.url}${next.href}&${KEY}`);
  expect(rest.json.response.liked_posts).toHaveLength(5);
  expect(rest.json.response._links.next).toBeUndefined();
  expect((await get(`/likes?before=1&offset=2&${KEY}`, {})).status).toBe(400);
  expect((await get(`/likes?offset=1001&${KEY}`, {})).status).toBe(400);
});

test("a request for private likes gets a 403 with a string as the response", async () => {
  const got = await ask(`${sandbox.url}/v2/blog/grace/likes?${KEY}`);
  expect(got.status).toBe(403);
  expect(got.json).toEqual({ meta: { status: 403, msg: "Forbidden" }, response: "Not authorized." });
});

test("following lists short blogs, most recently followed first, with offset links", async () => {
  const got = (await get("/following?limit=5&offset=5")).json.response;
  expect(names(got.blogs)).toEqual(["reader-06", "reader-07", "reader-08", "reader-09", "reader-10"]);
  expect(got.total_blogs).toBe(25);
  expect(got._links.next.query_params).toEqual({ limit: "5", offset: "10" });
  expect(got.blogs[0]).not.toHaveProperty("theme");
});

test("only members see the followers, and the total is inside `users`", async () => {
  const got = (await get("/followers")).json.response;
  expect(got.users.total_users).toBe(25);
  expect(Object.keys(got.users.users[0]).sort()).toEqual(["following", "name", "updated", "url"]);
  expect((await get("/followers", ADA)).status).toBe(403);
});

test("followed_by without a name is rejected", async () => {
  expect((await get("/followed_by?query=ada")).json.response).toEqual({ followed_by: true });
  expect((await get("/followed_by?query=grace")).json.response).toEqual({ followed_by: false });
  expect((await get("/followed_by")).status).toBe(400);
});

test("notifications of every type can be filtered with any form of array, and are paged by `before`", async () => {
  const got = (await get("/notifications")).json.response;
  expect(got.notifications).toHaveLength(20);
  const follow = got.notifications.find((item: { type: string }) => item.type === "follow");
  expect(follow.target_post_id).toBe("");
  const { next } = got._links;
  expect(next.query_params).toEqual({ before: String(got.notifications[19].before), rollups: "true" });
  const second = (await ask(sandbox.url + next.href, { headers: BEARER })).json.response;
  expect(second.notifications[0].timestamp).toBeLessThan(got.notifications[19].timestamp);
  for (const query of [
    "types=like",
    "types[0]=like&types[1]=reply",
    "types%5B0%5D=like&types%5B1%5D=reply",
  ]) {
    const { notifications } = (await get(`/notifications?${query}`)).json.response;
    expect(notifications.length).toBeGreaterThan(0);
    for (const item of notifications) expect(["like", "reply"]).toContain(item.type);
  }
  const target = got.notifications[0].target_post_id;
  const omitted = (await get(`/notifications?omit_post_ids[0]=${target}`)).json.response.notifications;
  expect(omitted.some((item: { target_post_id: string }) => item.target_post_id === target)).toBe(false);
});

test("pages are listed by position, and fetched by an encoded path", async () => {
  const got = (await get("/pages")).json.response;
  expect(got.total_pages).toBe(3);
  expect(got.pages.map((page: { position: number }) => page.position)).toEqual([1, 2, 3]);
  expect(Object.keys(got.pages[0]).sort()).toEqual([
    "content",
    "custom_template",
    "path",
    "position",
    "show_link",
    "title",
    "updated_at",
  ]);
  expect((await get("/pages/faq%2Fanswers")).json.response.title).toBe("Questions & answers");
  expect((await get("/pages/nothing")).status).toBe(404);
});

test("pages respond with 401 without a login, 400 to a bad identifier, 403 to users without permission, and 404 to an unknown blog", async () => {
  const at = (blog: string, headers: Record<string, string>) =>
    ask(`${sandbox.url}/v2/blog/${blog}/pages`, { headers });
  expect((await at("demo", {})).status).toBe(401);
  expect((await at("no%20such", BEARER)).status).toBe(400);
  expect((await at("ada-secret", BEARER)).status).toBe(403);
  expect((await at("nobody", BEARER)).status).toBe(404);
});

test("oEmbed returns a bare object, limits the width, and reports errors with 400, 404 and 501", async () => {
  const post = (await get(`/posts?limit=1&${KEY}`, {})).json.response.posts[0];
  const at = (query: string) => ask(`${sandbox.url}/oembed${query}`);
  const got = await at(`?url=${encodeURIComponent(post.post_url)}&maxwidth=300`);
  expect(got.json).toMatchObject({
    type: "rich",
    version: "1.0",
    width: 300,
    height: null,
    cache_age: 3600,
    url: post.post_url,
  });
  expect(got.json.html).toMatch(
    /^<div [^>]*data-href="[^"]+\/embed\/post\/t:[^"]+\/\d+\/v2"[^>]*><a href=.*<\/a><\/div><script async src=/,
  );
  expect((await at(`/1.0?url=${encodeURIComponent(post.post_url)}`)).json.width).toBe(540);
  expect((await at("")).status).toBe(400);
  expect((await at("?url=https%3A%2F%2Fexample.org%2Fpost%2F1")).status).toBe(404);
  expect((await at(`?url=${encodeURIComponent(post.post_url)}&format=xml`)).status).toBe(501);
});

test.each([
  "/blocks",
  "/following",
  "/followers",
  "/posts/queue",
  "/posts/draft",
  "/posts/submission",
  "/notifications",
  "/pages",
])("%s needs a user: a key gets 401, and an application gets 403", async (path) => {
  expect((await get(`${path}?${KEY}`, {})).status).toBe(401);
  expect((await get(path, { authorization: `Bearer ${CREDENTIALS.applicationToken}` })).status).toBe(403);
});

test("the avatar shape of a blog is the same in its theme and in the notes of its posts", async () => {
  const shape = async (blog: string) =>
    (await ask(`${sandbox.url}/v2/blog/${blog}/info?${KEY}`)).json.response.blog.theme.avatar_shape;
  expect([await shape("ada"), await shape("demo")]).toEqual(["circle", "square"]);
});
