import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { ask, BEARER, KEY } from "../testing/client.ts";

let sandbox: Sandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  id = (await ask(`${sandbox.url}/v2/blog/demo/posts?sort=asc&limit=1&${KEY}`)).json.response.posts[0]
    .id_string;
});
beforeEach(() => sandbox.clearRates());
afterAll(() => sandbox.close());

const notes = async (query = "") =>
  (await ask(`${sandbox.url}/v2/blog/demo/notes?id=${id}${query}&${KEY}`)).json.response;
const types = (items: { type: string }[]) => [...new Set(items.map((item) => item.type))].sort();

test("mode all lists fifty notes of every type per page, newest first, and its next link contains a time in seconds", async () => {
  const first = await notes();
  expect(first.notes).toHaveLength(50);
  expect(first).not.toHaveProperty("rollup_notes");
  const { next } = first._links;
  expect(next.query_params).toEqual({ before_timestamp: expect.stringMatching(/^\d{10}$/), id, mode: "all" });
  const second = (await ask(`${sandbox.url}${next.href}&${KEY}`)).json.response;
  expect(first.notes.length + second.notes.length).toBe(first.total_notes);
  expect(types([...first.notes, ...second.notes])).toEqual([
    "like",
    "post_attribution",
    "posted",
    "reblog",
    "reply",
  ]);
  expect(second.notes.at(-1).type).toBe("posted");
  expect(first.notes[1]).toMatchObject({
    blog_uuid: expect.stringMatching(/^t:/),
    followed: false,
    avatar_shape: "square",
  });
});

test("the modes likes, rollup and reblogs_with_tags list the documented notes", async () => {
  expect(types((await notes("&mode=likes")).notes)).toEqual(["like"]);
  expect(types((await notes("&mode=rollup")).notes)).toEqual(["like", "reblog"]);
  const reblogs = (await notes("&mode=reblogs_with_tags")).notes;
  expect(types(reblogs)).toEqual(["reblog"]);
  for (const note of reblogs) expect(Array.isArray(note.tags)).toBe(true);
});

test("mode conversation lists replies and reblogs with text, rolls up the other notes, and accepts a time in microseconds", async () => {
  const got = await notes("&mode=conversation");
  for (const note of got.notes) expect(note.type === "reply" || "added_text" in note).toBe(true);
  for (const note of got.rollup_notes) expect(note.type !== "reply" && !("added_text" in note)).toBe(true);
  expect(got).toMatchObject({ total_likes: 24, total_reblogs: 24 });
  expect(got.notes.find((note: { type: string }) => note.type === "reply")).toMatchObject({
    reply_text: expect.any(String),
    formatting: expect.any(Array),
  });
  const micros = got.notes[0].timestamp * 1_000_000;
  const earlier = await notes(`&mode=conversation&before_timestamp=${micros}`);
  expect(earlier.notes).toHaveLength(got.notes.length - 1);
});

test("followed refers to the caller, an unknown post returns 404, and a missing id or unknown mode returns 400", async () => {
  const url = `${sandbox.url}/v2/blog/demo/notes`;
  const mine = (await ask(`${url}?id=${id}`, { headers: BEARER })).json.response;
  expect(mine.notes[1].followed).toBe(true);
  expect((await ask(`${url}?id=1&${KEY}`)).status).toBe(404);
  expect((await ask(`${url}?${KEY}`)).status).toBe(400);
  expect((await ask(`${url}?id=${id}&mode=x&${KEY}`)).status).toBe(400);
});
