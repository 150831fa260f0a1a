import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { LIMITS } from "../limits.ts";
import { ask, BEARER, type Got, KEY, sendForm, sendJson, sendParts } from "../testing/client.ts";

let sandbox: Sandbox;
let P: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  P = `${sandbox.url}/v2/blog/demo`;
});
beforeEach(() => {
  sandbox.clearRates();
  Object.assign(sandbox.limits, LIMITS);
});
afterAll(() => sandbox.close());

const shown = async (got: Got) => {
  const url = `${P}/posts/${got.json.response.id_string}?post_format=legacy`;
  return (await ask(url, { headers: BEARER })).json.response;
};

test.each<[string, Record<string, string>, object]>([
  ["text", { title: "A <b>", body: "<p>x</p>" }, { title: "A &lt;b&gt;", body: "<p>x</p>" }],
  ["photo", { source: "https://a.example/p.jpg", caption: "c" }, { caption: "c", width: 1280 }],
  ["photo", { data64: Buffer.from("picture").toString("base64") }, { height: 960 }],
  ["quote", { quote: 'say "so"', source: "<i>me</i>" }, { text: "say &quot;so&quot;", source: "<i>me</i>" }],
  ["link", { url: "https://a.example/", author: "N" }, { url: "https://a.example/", link_author: "N" }],
  [
    "chat",
    { conversation: "A: hi\nB: ho" },
    {
      dialogue: [
        { name: "A", label: "A:", phrase: "hi" },
        { name: "B", label: "B:", phrase: "ho" },
      ],
    },
  ],
  [
    "audio",
    { external_url: "https://a.example/a.mp3" },
    { audio_url: "https://a.example/a.mp3", is_external: true },
  ],
  ["video", { embed: "https://video.example/watch?v=1" }, { video_url: "https://video.example/watch?v=1" }],
])("a %s post is created by form, JSON and multipart", async (type, fields, expected) => {
  const body = { type, tags: "one, two", date: "2019-05-06 07:08:09", slug: "a-slug", ...fields };
  const responses = [
    await sendForm(`${P}/post`, body),
    await sendJson(`${P}/post`, body),
    await sendParts(
      `${P}/post`,
      Object.entries(body).map(([name, value]) => ({ name, value })),
    ),
  ];
  for (const got of responses) {
    expect(got.status).toBe(201);
    expect(typeof got.json.response.id).toBe("bigint");
    expect(await shown(got)).toMatchObject({
      type,
      tags: ["one", "two"],
      date: "2019-05-06 07:08:09 GMT",
      slug: "a-slug",
      ...expected,
    });
  }
});

test.each<[string, Record<string, string>]>([
  ["text without body", { type: "text", title: "x" }],
  ["photo without picture", { type: "photo", caption: "x" }],
  ["photo with broken base64", { type: "photo", data64: "***" }],
  ["quote without quote", { type: "quote" }],
  ["link without url", { type: "link" }],
  ["chat without conversation", { type: "chat" }],
  ["audio without audio", { type: "audio" }],
  ["video without video", { type: "video" }],
  ["video of an unsupported service", { type: "video", embed: "https://unknown.example/v" }],
  ["answer", { type: "answer", answer: "x" }],
  ["an unknown state", { type: "text", body: "x", state: "unapproved" }],
  ["an unknown format", { type: "text", body: "x", format: "raw" }],
  ["a broken date", { type: "text", body: "x", date: "yesterday-ish" }],
])("a legacy post with %s is rejected with 400", async (_name, body) => {
  expect((await sendForm(`${P}/post`, body)).status).toBe(400);
});

test("files are accepted as data, or as data[0] and data[1], even if the fields are in the query", async () => {
  const part = (name: string) => ({
    name,
    value: Buffer.from("jpeg"),
    filename: "a.jpg",
    type: "image/jpeg",
  });
  const one = await sendParts(`${P}/post?type=photo&caption=q`, [
    { name: "type", value: "photo" },
    part("data"),
  ]);
  expect((await shown(one)).photos).toHaveLength(1);
  expect((await shown(one)).caption).toBe("q");
  const set = await sendParts(`${P}/post`, [
    part("data[0]"),
    { name: "type", value: "photo" },
    part("data[1]"),
  ]);
  expect((await shown(set)).photos).toHaveLength(2);
  expect((await shown(set)).photoset_layout).toBe("11");
  const wrong = { name: "data", value: "x", filename: "a.pdf", type: "application/pdf" };
  expect((await sendParts(`${P}/post?type=photo`, [wrong])).status).toBe(400);
});

test("the size of files and their number per day are limited", async () => {
  sandbox.limits.fileBytes = 10;
  const upload = (type: string, mime: string, size: number) =>
    sendParts(`${P}/post`, [
      { name: "type", value: type },
      { name: "data", value: Buffer.alloc(size, 1), filename: "f", type: mime },
    ]);
  expect((await upload("photo", "image/png", 10)).status).toBe(201);
  expect((await upload("photo", "image/png", 11)).status).toBe(400);
  expect((await upload("audio", "audio/mpeg", 11)).status).toBe(400);
  expect((await upload("video", "video/mp4", 11)).status).toBe(201);
  sandbox.limits.videosPerDay = 1;
  const got = await upload("video", "video/mp4", 1);
  expect([got.status, got.json.errors[0].code]).toEqual([403, 8011]);
});

test("an edit does not change absent fields, and follows the rules for states", async () => {
  const made = await sendForm(`${P}/post`, { type: "text", title: "T", body: "<p>x</p>", state: "draft" });
  const id = made.json.response.id_string;
  const got = await sendForm(`${P}/post/edit`, { id, body: "<p>y</p>" });
  expect([got.status, got.json.response.id_string]).toEqual([200, id]);
  expect(await shown(got)).toMatchObject({ title: "T", body: "<p>y</p>", state: "draft" });
  const out = await sendJson(`${P}/post/edit`, `{"id":${id},"state":"published"}`);
  expect(out.json.response.id_string).not.toBe(id);
  expect(await shown(out)).toMatchObject({ state: "published", genesis_post_id: id });
  expect((await sendForm(`${P}/post/edit`, { id: out.json.response.id_string, state: "queue" })).status).toBe(
    400,
  );
  expect((await sendForm(`${P}/post/edit`, { id: "1" })).status).toBe(404);
  expect((await sendForm(`${P}/post/edit`, {})).status).toBe(400);
});

test("a reblog may have a comment", async () => {
  const { posts } = (await ask(`${sandbox.url}/v2/blog/newsroom/posts?${KEY}&limit=1`)).json.response;
  const [parent] = posts;
  const values = { id: parent.id_string, reblog_key: parent.reblog_key, comment: "<p>so true</p>" };
  const got = await sendForm(`${P}/post/reblog`, values);
  expect(got.status).toBe(201);
  const [post] = (await ask(`${P}/posts?id=${got.json.response.id_string}&reblog_info=true&${KEY}`)).json
    .response.posts;
  expect(post).toMatchObject({
    type: parent.type,
    reblogged_from_id: parent.id,
    reblogged_root_id: parent.id_string,
  });
  expect(post.reblog.comment).toBe("<p>so true</p>");
  expect((await sendForm(`${P}/post/reblog`, { ...values, reblog_key: "no" })).status).toBe(400);
  expect((await sendForm(`${P}/post/reblog`, { ...values, id: "1" })).status).toBe(404);
  expect((await sendForm(`${P}/post/reblog`, { id: parent.id_string })).status).toBe(400);
});

const OUTSIDE = "https://pictures.example.org/cat.PNG?w=2";
const INSIDE = "https://media.blog.example/kept.jpg";

test.each([
  ["html", `<p>a <img alt="x" src="${OUTSIDE}"> <img src='${INSIDE}'> <a href="${OUTSIDE}">b</a></p>`],
  ["markdown", `a ![x](${OUTSIDE}) ![y](${INSIDE}) [b](${OUTSIDE})`],
])("native_inline_images replaces external images in %s with images of the service", async (format, body) => {
  const post = async (flag: string) => {
    const got = await sendForm(`${P}/post`, { type: "text", format, body, native_inline_images: flag });
    const url = `${P}/posts?id=${got.json.response.id_string}&filter=raw&${KEY}`;
    return String((await ask(url)).json.response.posts[0].body);
  };
  expect(await post("false")).toBe(body);
  const native = await post("True");
  expect(native).not.toBe(body);
  const own = /https:\/\/media\.blog\.example\/[0-9a-f]{32}\.png/;
  expect(native.replace(own, OUTSIDE)).toBe(body);
});

test("native_inline_images also applies to the comment of a reblog", async () => {
  const made = await sendForm(`${P}/post`, { type: "text", body: "<p>root</p>" });
  const id = made.json.response.id_string;
  const { reblog_key } = await shown(made);
  const comment = `<img src="${OUTSIDE}">`;
  const reblog = { id, reblog_key, comment, native_inline_images: "1" };
  const got = await sendForm(`${sandbox.url}/v2/blog/newsroom/post/reblog`, reblog);
  const url = `${sandbox.url}/v2/blog/newsroom/posts?id=${got.json.response.id_string}&${KEY}`;
  const text = (await ask(url)).text;
  expect(text).not.toContain("pictures.example.org");
  expect(text).toMatch(/media\.blog\.example\\?\/[0-9a-f]{32}\.png/);
});

test.each([
  ["https://www.youtube.com/watch?v=x", 201],
  ["https://youtu.be/x", 201],
  ["https://vimeo.com/1", 201],
  ["https://notyoutube.com/x", 400],
  ["https://a.example/?u=youtube.com", 400],
])("the response to a post with a video at %s is %i", async (embed, status) => {
  expect((await sendForm(`${P}/post`, { type: "video", embed })).status).toBe(status);
});
