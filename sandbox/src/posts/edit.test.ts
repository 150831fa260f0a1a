import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { ADA, ask, BEARER, type Got, KEY, sendForm, sendJson } from "../testing/client.ts";

let sandbox: Sandbox;
let P: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  P = `${sandbox.url}/v2/blog/demo`;
});
afterEach(() => sandbox.close());

const words = (text: string) => [{ type: "text", text }];
const create = async (more: object = {}): Promise<string> =>
  (await sendJson(`${P}/posts`, { content: words("first"), tags: "a", ...more })).json.response.id;
const edit = (id: string, body: object, headers = {}): Promise<Got> =>
  sendJson(`${P}/posts/${id}`, body, { method: "PUT", headers });
const read = (id: string, query = "") => ask(`${P}/posts/${id}${query}`, { headers: BEARER });
const code = (got: Got) => [got.status, got.json.errors?.[0]?.code ?? null];

test("an edit replaces the given fields, and does not change the other fields and the id", async () => {
  const id = await create();
  const got = await edit(id, { content: words("second") });
  expect([got.status, got.json.response.id]).toEqual([200, id]);
  expect((await read(id)).json.response).toMatchObject({
    content: words("second"),
    tags: ["a"],
    state: "published",
  });
  expect(code(await edit(id, { content: [] }))).toEqual([400, 0]);
  expect((await edit("1", {})).status).toBe(404);
  expect((await edit(id, {}, ADA)).status).toBe(403);
});

test.each(["draft", "queue", "unapproved"])("a %s may change to each of the four states", async (from) => {
  for (const [to, shown] of [
    ["published", "published"],
    ["queue", "queued"],
    ["draft", "draft"],
    ["private", "private"],
  ] as const) {
    const id = await create({ state: from });
    const got = await edit(id, { state: to });
    expect(got.status).toBe(200);
    const fresh = got.json.response.id;
    const post = (await read(fresh)).json.response;
    expect(post.state).toBe(shown);
    const out = shown === "published" || shown === "private";
    expect(fresh === id).toBe(!out);
    expect(post.genesis_post_id).toBe(out ? id : undefined);
    if (out) expect((await read(id)).status).toBe(404);
  }
});

test("published and private posts can change only into each other", async () => {
  const id = await create();
  expect((await edit(id, { state: "private" })).json.response.id).toBe(id);
  expect((await edit(id, { state: "published" })).json.response.id).toBe(id);
  for (const state of ["queue", "draft", "unapproved", "nonsense"]) {
    expect(code(await edit(id, { state }))).toEqual([400, 8001]);
  }
});

test("a scheduled post that is edited without publish_on stays queued, and is published when it is due", async () => {
  const id = await create({ state: "queue", publish_on: "2040-01-01T00:00:00Z" });
  await edit(id, { content: words("x"), publish_on: "2040-01-02T00:00:00Z" });
  expect((await read(id)).json.response.publish_on).toBe("2040-01-02T00:00:00Z");
  await edit(id, { content: words("x") });
  expect((await read(id)).json.response).toMatchObject({ queued_state: "queued" });
  const due = await create({ state: "queue", publish_on: new Date(Date.now() + 3_600_000).toISOString() });
  sandbox.clock.advance(3_700_000);
  expect((await read(due)).status).toBe(404);
  const [post] = (await ask(`${P}/posts?limit=1`, { headers: BEARER })).json.response.posts;
  expect(post).toMatchObject({ genesis_post_id: due, state: "published" });
});

test("a trail item that was removed stays removed after an edit", async () => {
  const { posts } = (await ask(`${P}/posts?npf=true&limit=2`, { headers: BEARER })).json.response;
  const [post] = posts;
  expect(post.trail).toHaveLength(2);
  expect(post.trail[0]).toMatchObject({ broken_blog_name: "gone-blog" });
  expect((await edit(post.id_string, { exclude_trail_items: [0] })).status).toBe(200);
  expect((await read(post.id_string)).json.response.trail).toHaveLength(1);
  expect(code(await edit(post.id_string, { exclude_trail_items: [1] }))).toEqual([400, 8001]);
  expect(code(await edit(post.id_string, { parent_post_id: "5" }))).toEqual([400, 8002]);
});

const newest = async (type: string): Promise<string> => {
  const { posts } = (await ask(`${P}/posts/${type}?${KEY}&sort=asc&limit=1`)).json.response;
  return posts[0].id_string;
};

test("fetch returns legacy posts in legacy form or as blocks, and block posts only as blocks", async () => {
  const photo = await newest("photo");
  expect((await read(photo, "?post_format=legacy")).json.response).toMatchObject({
    type: "photo",
    id: photo,
  });
  expect((await read(photo)).json.response).toMatchObject({ type: "blocks", original_type: "photo" });
  const blocks = await create();
  expect((await read(blocks, "?post_format=legacy")).status).toBe(400);
  expect((await read(blocks, "?post_format=x")).status).toBe(400);
  expect((await read("1")).status).toBe(404);
});

test("a legacy text post can be edited in blocks, and a legacy photo post cannot", async () => {
  const text = await newest("text");
  expect((await edit(text, { content: words("now blocks") })).status).toBe(200);
  expect((await read(text)).json.response).toMatchObject({
    is_blocks_post_format: true,
    content: words("now blocks"),
  });
  expect((await edit(await newest("photo"), { content: words("x") })).status).toBe(400);
});

test("only members can fetch drafts", async () => {
  const id = await create({ state: "draft" });
  expect((await ask(`${P}/posts/${id}`, { headers: ADA })).status).toBe(404);
  const open = await create();
  expect((await ask(`${P}/posts/${open}`, { headers: ADA })).json.response).not.toHaveProperty("muted");
});

test("a mute lasts forever or for a number of seconds, is never negative, and ends on its own or by DELETE", async () => {
  const id = await create();
  const mute = (body: Record<string, string>) => sendForm(`${P}/posts/${id}/mute`, body);
  const state = async () => {
    const { muted, mute_end_timestamp } = (await read(id)).json.response;
    return [muted, mute_end_timestamp];
  };
  sandbox.clock.freeze(1_900_000_000_000);
  const empty = await ask(`${P}/posts/${id}/mute`, {
    method: "POST",
    headers: { ...BEARER, "content-length": "0" },
  });
  expect([empty.status, empty.json.response]).toEqual([200, []]);
  expect(await state()).toEqual([true, 0]);
  await mute({ mute_length_seconds: "60" });
  expect(await state()).toEqual([true, 1_900_000_060]);
  sandbox.clock.advance(60_000);
  expect(await state()).toEqual([false, 0]);
  await mute({ mute_length_seconds: "0" });
  expect((await ask(`${P}/posts/${id}/mute`, { method: "DELETE", headers: BEARER })).status).toBe(200);
  expect(await state()).toEqual([false, 0]);
  expect((await mute({ mute_length_seconds: "-1" })).status).toBe(400);
});

test("the response to a delete has the id as a number and as a string, and the post then returns 404", async () => {
  const id = await create();
  const got = await sendForm(`${P}/post/delete`, { id });
  expect([got.status, got.json.response]).toEqual([200, { id: BigInt(id), id_string: id }]);
  expect((await sendForm(`${P}/post/delete`, { id })).status).toBe(404);
  expect((await sendForm(`${P}/post/delete`, {})).status).toBe(400);
});

test("the queue can be listed in order, reordered and shuffled", async () => {
  const order = async () =>
    (await ask(`${P}/posts/queue`, { headers: BEARER })).json.response.posts.map(
      (post: { id_string: string }) => post.id_string,
    );
  const before = await order();
  expect(before).toHaveLength(5);
  const last = before[4] ?? "";
  const moved = await sendForm(`${P}/posts/queue/reorder`, { post_id: last });
  expect([moved.status, moved.json.response]).toEqual([200, []]);
  expect((await order())[0]).toBe(last);
  await sendJson(`${P}/posts/queue/reorder`, `{"post_id":${last},"insert_after":${before[1]}}`);
  expect((await order())[2]).toBe(last);
  expect((await sendForm(`${P}/posts/queue/reorder`, { post_id: "1" })).status).toBe(400);
  expect((await sendForm(`${P}/posts/queue/reorder`, { post_id: last, insert_after: "1" })).status).toBe(400);
  const shuffle = await ask(`${P}/posts/queue/shuffle`, {
    method: "POST",
    headers: { ...BEARER, "content-length": "0" },
  });
  expect([shuffle.status, shuffle.json.response]).toEqual([200, []]);
  expect((await order()).toSorted()).toEqual(before.toSorted());
  const { state, _links } = (await ask(`${P}/posts/queue?limit=2`, { headers: BEARER })).json.response;
  expect(state).toEqual({ paused: false });
  expect(_links.next.query_params).toEqual({ limit: "2", offset: "2" });
});

test("drafts are paged by before_id", async () => {
  const first = (await ask(`${P}/posts/draft`, { headers: BEARER })).json.response;
  expect(first.posts).toHaveLength(20);
  const { next } = first._links;
  expect(next.query_params).toEqual({ before_id: first.posts[19].id_string });
  const second = (await ask(sandbox.url + next.href, { headers: BEARER })).json.response;
  expect(second.posts).toHaveLength(3);
  expect(second._links).toBeUndefined();
});

test("the seeded questions can be answered in their own formats", async () => {
  const question = async (id: string) =>
    (await ask(`${P}/posts/${id}?post_format=npf`, { headers: BEARER })).json.response;
  const [legacy, blocks] = [await question("735000000000103930"), await question("735000000000105948")];
  expect([legacy.original_type, blocks.original_type]).toEqual(["note", "note"]);
  const listed = (await ask(`${P}/posts/submission`, { headers: BEARER })).json.response.posts;
  expect(listed.map((post: { is_submission: unknown }) => post.is_submission)).toEqual([true, true, true]);

  const answer = { id: legacy.id, answer: "<p>Novels.</p>", state: "published" };
  const told = await sendJson(`${P}/post/edit`, answer);
  expect(told.status).toBe(200);
  const read = await ask(`${P}/posts?id=${told.json.response.id_string}&${KEY}`);
  expect(read.json.response.posts[0]).toMatchObject({ type: "answer", answer: "<p>Novels.</p>" });

  const content = [...blocks.content, { type: "text", text: "Sometimes." }];
  const body = { content, layout: blocks.layout, state: "published" };
  const put = await sendJson(`${P}/posts/${blocks.id}`, body, { method: "PUT" });
  expect(put.status).toBe(200);
  const shown = (await ask(`${P}/posts?id=${put.json.response.id}&npf=true&${KEY}`)).json.response.posts[0];
  expect([shown.original_type, shown.content, shown.layout[0].blocks]).toEqual(["note", content, [0]]);
});
