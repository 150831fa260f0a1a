import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { ask, BEARER, type Got, KEY } from "../testing/client.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
beforeEach(() => sandbox.clearRates());
afterAll(() => sandbox.close());

const posts = (query = "", blog = "demo"): Promise<Got> =>
  ask(`${sandbox.url}/v2/blog/${blog}/posts${query}${query.includes("?") ? "&" : "?"}${KEY}`);
const times = (got: Got): number[] =>
  got.json.response.posts.map((post: { timestamp: number }) => post.timestamp);

test("a page contains twenty posts, newest first, with the blog and the total", async () => {
  const got = await posts();
  expect(got.status).toBe(200);
  expect(got.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(got.json.meta).toEqual({ status: 200, msg: "OK" });
  expect(got.json.response.blog.name).toBe("demo");
  expect(got.json.response.posts).toHaveLength(20);
  expect(got.json.response.total_posts).toBeGreaterThanOrEqual(45);
  expect(times(got)).toEqual(times(got).toSorted((a, b) => b - a));
});

test("ids are JSON numbers beyond 2^53, and are repeated as strings", async () => {
  const got = await posts("?limit=1");
  const [post] = got.json.response.posts;
  expect(typeof post.id).toBe("bigint");
  expect(post.id).toBe(BigInt(post.id_string));
  expect(post.id_string).toMatch(/^\d{18}$/);
  expect(String(Number(post.id_string))).not.toBe(post.id_string);
  expect(got.text).toContain(`"id":${post.id_string},`);
});

test("limit is clamped to 20, and is rejected with 400 if it is below 1 or not a number", async () => {
  expect((await posts("?limit=50")).json.response.posts).toHaveLength(20);
  for (const bad of ["0", "-1", "x", "1.5"]) expect((await posts(`?limit=${bad}`)).status).toBe(400);
});

test("before and offset exclude each other, and after and sort can be combined", async () => {
  expect((await posts("?before=1761000000&offset=1")).status).toBe(400);
  const before = await posts("?before=1761000000");
  expect(Math.max(...times(before))).toBeLessThan(1_761_000_000);
  const after = await posts("?after=1761000000&sort=asc&limit=5");
  expect(Math.min(...times(after))).toBeGreaterThan(1_761_000_000);
  expect(times(after)).toEqual(times(after).toSorted((a, b) => a - b));
  expect((await posts("?sort=up")).status).toBe(400);
});

test.each(["text", "quote", "link", "answer", "video", "audio", "photo", "chat"])(
  "posts of type %s can be selected in the query and in the path",
  async (type) => {
    const query = await posts(`?type=${type}`);
    const path = await ask(`${sandbox.url}/v2/blog/demo/posts/${type}?${KEY}`);
    for (const got of [query, path]) {
      expect(got.json.response.posts.length).toBeGreaterThanOrEqual(5);
      for (const post of got.json.response.posts) expect(post.type).toBe(type);
    }
  },
);

test("an unknown type is rejected with 400", async () => {
  expect((await posts("?type=hologram")).status).toBe(400);
});

test.each([
  "?tag=seed",
  "?tag[0]=seed&tag[1]=demo",
  "?tag%5B0%5D=seed&tag%5B1%5D=demo",
  "?tag[]=seed&tag[]=demo",
  "?tag=seed&tag=demo",
])("posts are selected by tags in the form %s", async (query) => {
  const got = await posts(query);
  const wanted = query.includes("demo") ? ["seed", "demo"] : ["seed"];
  expect(got.json.response.posts.length).toBeGreaterThan(0);
  for (const post of got.json.response.posts) expect(post.tags).toEqual(expect.arrayContaining(wanted));
});

test("four tags are allowed, five are rejected with 400, and encoded tags match", async () => {
  expect((await posts("?tag[0]=a&tag[1]=b&tag[2]=c&tag[3]=d")).status).toBe(200);
  expect((await posts("?tag[0]=a&tag[1]=b&tag[2]=c&tag[3]=d&tag[4]=e")).status).toBe(400);
  expect((await posts("?tag=Caf%C3%A9+au+lait")).json.response.total_posts).toBeGreaterThan(0);
  expect((await posts("?tag=c%2B%2B")).json.response.total_posts).toBeGreaterThan(0);
});

test("the next link lists every post once, by an opaque cursor", async () => {
  const seen: string[] = [];
  let url = `/v2/blog/demo/posts?limit=20&npf=true&${KEY}`;
  for (let pages = 0; url !== "" && pages < 10; pages++) {
    const got = await ask(sandbox.url + url);
    expect(got.status).toBe(200);
    seen.push(...got.json.response.posts.map((post: { id_string: string }) => post.id_string));
    const next = got.json.response._links?.next;
    if (next) {
      expect(Object.keys(next)).toEqual(["type", "href", "method", "query_params"]);
      expect(next.type).toBe("action");
      expect(next.method).toBe("GET");
      expect(next.query_params).toMatchObject({ limit: "20", npf: "true", tumblelog: "demo" });
      expect(next.query_params.page_number.length).toBeGreaterThan(200);
      expect(JSON.stringify(next)).not.toContain("api_key");
    }
    url = next ? `${next.href}&${KEY}` : "";
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength((await posts()).json.response.total_posts);
});

test("an invalid cursor, or a cursor with other parameters, is rejected with 400", async () => {
  const { next } = (await posts("?limit=2")).json.response._links;
  const cursor = encodeURIComponent(next.query_params.page_number);
  expect((await posts(`?limit=2&tumblelog=demo&page_number=${cursor}`)).status).toBe(200);
  expect((await posts(`?limit=3&tumblelog=demo&page_number=${cursor}`)).status).toBe(400);
  expect((await posts(`?limit=2&page_number=${cursor}`)).status).toBe(400);
  expect((await posts("?limit=2&tumblelog=demo&page_number=xxx")).status).toBe(400);
});

test("id returns one post, or 404", async () => {
  const id = (await posts("?limit=1&offset=3")).json.response.posts[0].id_string;
  const got = await posts(`?id=${id}`);
  expect(got.json.response.posts.map((post: { id_string: string }) => post.id_string)).toEqual([id]);
  const missing = await posts("?id=1");
  expect(missing.status).toBe(404);
  expect(missing.json).toMatchObject({
    meta: { status: 404, msg: "Not Found" },
    response: [],
    errors: [{ title: "Not Found", code: 0 }],
  });
  expect((await posts("?id=abc")).status).toBe(400);
});

test("filter selects HTML (the default), plain text or the raw text", async () => {
  const body = (got: Got) =>
    got.json.response.posts.find((post: { format: string }) => post.format === "markdown").body;
  expect(body(await posts("/text?"))).toContain("<strong>strong</strong>");
  expect(body(await posts("/text?filter=text"))).not.toMatch(/<|\*\*/);
  expect(body(await posts("/text?filter=raw"))).toContain("**strong**");
  expect((await posts("/text?filter=other")).status).toBe(400);
});

test("npf converts every post to blocks", async () => {
  const got = await posts("?npf=true");
  for (const post of got.json.response.posts) {
    expect(post.type).toBe("blocks");
    expect(Array.isArray(post.content)).toBe(true);
    expect(Array.isArray(post.layout)).toBe(true);
    expect(Array.isArray(post.trail)).toBe(true);
  }
  const stored = new Set(
    got.json.response.posts.map((post: { is_blocks_post_format: boolean }) => post.is_blocks_post_format),
  );
  expect(stored).toEqual(new Set([true, false]));
});

test("reblog_info adds the origin of a reblog, with its id as a number and as a string", async () => {
  const reblogs = (got: Got) =>
    got.json.response.posts.filter((post: { parent_post_url?: string }) => post.parent_post_url);
  const [plain] = reblogs(await posts());
  expect(plain.reblogged_from_id).toBeUndefined();
  const [post] = reblogs(await posts("?reblog_info=true"));
  expect(typeof post.reblogged_from_id).toBe("bigint");
  expect(typeof post.reblogged_root_id).toBe("string");
  expect(post.reblogged_from_name).toBe("ada");
  expect(post.reblogged_root_uuid).toBe("t:AdaLvlc1842xEngineNote");
});

test("notes_info adds the notes", async () => {
  const got = await posts("?notes_info=true&sort=asc&limit=1");
  expect(got.json.response.posts[0].note_count).toBeGreaterThan(20);
  expect(got.json.response.posts[0].notes[0]).toHaveProperty("blog_uuid");
});

test("liked and followed are present only for a user", async () => {
  const anonymous = (await posts("?limit=1")).json.response;
  expect(anonymous.posts[0]).not.toHaveProperty("liked");
  expect(anonymous.blog).not.toHaveProperty("followed");
  const user = (await ask(`${sandbox.url}/v2/blog/ada/posts`, { headers: BEARER })).json.response;
  expect(user.posts[0].liked).toBe(true);
  expect(user.blog.followed).toBe(true);
  expect(user.blog.is_blocked_from_primary).toBe(false);
});

test.each(["demo", "DEMO", "demo.blog.example", "t:Dm0aXQkq5rCkyTnYIYv1Nw", "t%3ADm0aXQkq5rCkyTnYIYv1Nw"])(
  "a blog can be named as %s",
  async (blog) => {
    expect((await posts("?limit=1", blog)).json.response.blog.name).toBe("demo");
  },
);

test("a custom domain names its blog, an unknown name returns 404, and a private blog returns 403", async () => {
  expect((await posts("", "notes.ada.example")).json.response.blog.name).toBe("ada");
  expect((await posts("", "nobody")).status).toBe(404);
  expect((await posts("", "ada-secret")).status).toBe(403);
  expect((await posts("", "demo-journal")).status).toBe(403);
});

test("fields[blogs] selects fields, and names that begin with ? add fields", async () => {
  const named = await posts("?limit=1&fields[blogs]=name,url");
  expect(Object.keys(named.json.response.blog).sort()).toEqual(["name", "url"]);
  expect(Object.keys(named.json.response.posts[0].blog).sort()).toEqual(["name", "url"]);
  const url = `${sandbox.url}/v2/blog/ada/info?fields%5Bblogs%5D=%3Fis_following_you,%3Fduration_following_blog`;
  const { blog } = (await ask(url, { headers: BEARER })).json.response;
  expect(blog.is_following_you).toBe(true);
  expect(blog.duration_following_blog).toBeGreaterThan(0);
  expect(blog.title).toBe("Ada's notes");
});

test("the status of JSONP is always 200, and the body contains the real status", async () => {
  const good = await posts("?limit=1&jsonp=a.b$c");
  expect(good.headers["content-type"]).toBe("application/javascript; charset=utf-8");
  expect(good.text).toMatch(/^a\.b\$c\(\{"meta":\{"status":200,.*\}\);$/s);
  const bad = await posts("?id=1&callback=f&jsonp=g");
  expect(bad.status).toBe(200);
  expect(bad.text).toMatch(/^g\(\{"meta":\{"status":404,/);
  const name = await posts("?callback=1%2Balert()");
  expect(name.status).toBe(400);
  expect(name.json.meta.status).toBe(400);
});

test("a trailing slash is accepted, another method returns 405, and an unknown path returns 404", async () => {
  expect((await ask(`${sandbox.url}/v2/blog/demo/info/?${KEY}`)).status).toBe(200);
  expect((await ask(`${sandbox.url}/v2/blog/demo/info?${KEY}`, { method: "POST" })).status).toBe(405);
  expect((await ask(`${sandbox.url}/v2/nothing`)).status).toBe(404);
});

test("every start of the sandbox returns the same bytes", async () => {
  const other = await startSandbox();
  const url = `/v2/blog/demo/posts?npf=true&notes_info=true&reblog_info=true&${KEY}`;
  const [a, b] = await Promise.all([ask(sandbox.url + url), ask(other.url + url)]);
  await other.close();
  expect(a.text).toBe(b.text);
});
