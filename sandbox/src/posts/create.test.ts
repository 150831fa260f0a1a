import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { LIMITS } from "../limits.ts";
import {
  ADA,
  ask,
  BEARER,
  type FormPart,
  type Got,
  KEY,
  sendForm,
  sendJson,
  sendParts,
} from "../testing/client.ts";

let sandbox: Sandbox;
let posts: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  posts = `${sandbox.url}/v2/blog/demo/posts`;
});
beforeEach(() => {
  sandbox.clearRates();
  Object.assign(sandbox.limits, LIMITS);
  sandbox.rules.postingDisabled = false;
  sandbox.rules.carouselsAllowed = true;
});
afterAll(() => sandbox.close());

const text = (value: string, more: object = {}) => ({ type: "text", text: value, ...more });
const create = (content: unknown, more: object = {}, headers = {}) =>
  sendJson(posts, { content, ...more }, { headers });
const fetched = async (got: Got) =>
  (await ask(`${posts}/${got.json.response.id}`, { headers: BEARER })).json.response;
const code = (got: Got) => [got.status, got.json.errors?.[0]?.code ?? null];
const image = (id = "x") => ({
  type: "image",
  media: [{ type: "image/png", url: `https://a.example/${id}.png`, width: 10, height: 10 }],
});
const repeat = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

test("a post is created with 201, and its id is a string", async () => {
  const got = await create([text("Hello")], {
    tags: "a, #b ,c d",
    slug: "My Slug",
    date: "2020-01-02T03:04:05Z",
  });
  expect([got.status, got.json.meta.msg]).toEqual([201, "Created"]);
  expect(got.json.response.id).toMatch(/^\d{18}$/);
  expect(await fetched(got)).toMatchObject({
    object_type: "post",
    type: "blocks",
    id: got.json.response.id,
    content: [text("Hello")],
    layout: [],
    tags: ["a", "b", "c d"],
    slug: "my-slug",
    date: "2020-01-02 03:04:05 GMT",
    state: "published",
    interactability_reblog: "everyone",
  });
});

test("a form (JSON strings or brackets) and a multipart body create the same post", async () => {
  const content = JSON.stringify([text("One", { subtype: "indented", indent_level: 2 })]);
  const responses = [
    await sendForm(posts, { content, tags: "a,b" }),
    await sendForm(posts, {
      "content[0][type]": "text",
      "content[0][text]": "One",
      "content[0][subtype]": "indented",
      "content[0][indent_level]": "2",
      "tags[0]": "a",
      "tags[1]": "b",
    }),
    await sendParts(posts, [
      {
        name: "json",
        value: `{"content":${content},"tags":["a","b"]}`,
        type: "application/json; charset=utf-8",
      },
    ]),
    await sendJson(`${posts}?tags=a%2Cb`, { content: JSON.parse(content) }),
  ];
  for (const got of responses) {
    expect(got.status).toBe(201);
    const post = await fetched(got);
    expect(post.content).toEqual([text("One", { subtype: "indented", indent_level: 2 })]);
    expect(post.tags).toEqual(["a", "b"]);
  }
});

test.each([
  ["published", "published"],
  ["queue", "queued"],
  ["draft", "draft"],
  ["private", "private"],
])("a post with state %s becomes %s", async (state, shown) => {
  const post = await fetched(await create([text("x")], { state }));
  expect(post.state).toBe(shown);
  expect(post.queued_state).toBe(shown === "queued" ? "queued" : undefined);
});

test("publish_on schedules a post in the queue, must be in the future, and is ignored in other states", async () => {
  const scheduled = await create([text("x")], { state: "queue", publish_on: "2040-01-01T00:00:00Z" });
  expect(await fetched(scheduled)).toMatchObject({
    queued_state: "scheduled",
    scheduled_publish_time: 2_208_988_800,
    publish_on: "2040-01-01T00:00:00Z",
  });
  expect((await create([text("x")], { state: "draft", publish_on: "nonsense" })).status).toBe(201);
  expect(code(await create([text("x")], { state: "queue", publish_on: "2001-01-01T00:00:00Z" }))).toEqual([
    400, 8001,
  ]);
  expect(code(await create([text("x")], { state: "queue", publish_on: "soon" }))).toEqual([400, 8001]);
  expect(code(await create([text("x")], { date: "2999-01-01T00:00:00Z" }))).toEqual([400, 8001]);
});

test("another user can send a submission to a blog that accepts submissions", async () => {
  const got = await create([text("For you")], { state: "unapproved" }, ADA);
  expect(got.status).toBe(201);
  const { posts: waiting } = (await ask(`${posts}/submission`, { headers: BEARER })).json.response;
  const found = waiting.find((post: { id_string: string }) => post.id_string === got.json.response.id);
  expect(found).toMatchObject({ state: "submission", is_submission: true, post_author: "ada" });
  expect((await create([text("x")], {}, ADA)).status).toBe(403);
});

test("missing required data returns 400 without a subcode", async () => {
  expect(code(await create([]))).toEqual([400, 0]);
  expect(code(await sendJson(posts, {}))).toEqual([400, 0]);
});

test.each<[string, unknown]>([
  ["content that is not an array", "x"],
  ["a block that is not an object", ["x"]],
  ["an unknown block type", [{ type: "hologram" }]],
  ["a text block without text", [{ type: "text" }]],
  ["an unknown subtype", [text("x", { subtype: "heading9" })]],
  ["an indent on a paragraph", [text("x", { indent_level: 1 })]],
  ["an indent of 8", [text("x", { subtype: "indented", indent_level: 8 })]],
  ["4097 code points", [text("\u{1F333}".repeat(4097))]],
  ["formatting outside the text", [text("\u{1F333}", { formatting: [{ type: "bold", start: 0, end: 2 }] })]],
  ["an unknown inline format", [text("x", { formatting: [{ type: "wavy", start: 0, end: 1 }] })]],
  ["a colour without #", [text("x", { formatting: [{ type: "color", hex: "ff0000", start: 0, end: 1 }] })]],
  [
    "a mention of an unknown blog",
    [text("x", { formatting: [{ type: "mention", blog: { uuid: "t:no" }, start: 0, end: 1 }] })],
  ],
  ["an image without media", [{ type: "image" }]],
  ["an alt text of 4097", [{ ...image(), alt_text: "a".repeat(4097) }]],
  ["an audio block without url and media", [{ type: "audio" }]],
  ["a link without url", [{ type: "link" }]],
  ["a paywall at the end", [text("x"), { type: "paywall" }]],
  ["a poll with one answer", [{ type: "poll", question: "?", answers: [{ answer_text: "a" }] }]],
  [
    "two polls",
    repeat(2, { type: "poll", question: "?", answers: [{ answer_text: "a" }, { answer_text: "b" }] }),
  ],
  ["31 images", repeat(31, image())],
  ["11 links", repeat(11, { type: "link", url: "https://a.example/" })],
  ["11 audio blocks", repeat(11, { type: "audio", url: "https://a.example/" })],
  ["11 video blocks", repeat(11, { type: "video", url: "https://a.example/" })],
  ["1001 blocks", repeat(1001, text("x"))],
  [
    "51 mentions",
    [
      text("x", {
        formatting: repeat(51, {
          type: "mention",
          start: 0,
          end: 1,
          blog: { uuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw" },
        }),
      }),
    ],
  ],
  ["more than 1 MB", repeat(300, text("x".repeat(4000)))],
])("content with %s is rejected with 400 and subcode 8001", async (_name, content) => {
  expect(code(await create(content))).toEqual([400, 8001]);
});

test("broken JSON is rejected with 400 and subcode 8001", async () => {
  expect(code(await sendJson(posts, "{"))).toEqual([400, 8001]);
  expect(code(await sendJson(posts, "[]"))).toEqual([400, 8001]);
});

test("30 images, the maximum number of code points and every inline format are accepted", async () => {
  const formatting = [
    { type: "bold", start: 0, end: 3 },
    { type: "bold", start: 2, end: 5 },
    { type: "link", start: 0, end: 1, url: "https://a.example/" },
    { type: "mention", start: 1, end: 2, blog: { uuid: "t:AdaLvlc1842xEngineNote" } },
  ];
  const family = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";
  const got = await create([...repeat(30, image()), text(family, { formatting })]);
  const { content } = await fetched(got);
  expect(content.at(-1).formatting).toContainEqual({ type: "bold", start: 0, end: 5 });
  expect(content.at(-1).formatting).toContainEqual({
    type: "mention",
    start: 1,
    end: 2,
    blog: { uuid: "t:AdaLvlc1842xEngineNote", name: "ada", url: "https://notes.ada.example/" },
  });
});

test("the server adds a provider, truncates link fields, trims empty ends and unwraps a single media object", async () => {
  const content = [
    text(""),
    { type: "video", url: "https://a.example/v" },
    { type: "link", url: "https://a.example/", title: "t".repeat(200), display_url: "ignored" },
    { type: "image", media: { type: "image/png", url: "https://a.example/1.png" } },
    text(""),
    text("end"),
    text(""),
  ];
  const layout = [{ type: "rows", display: content.map((_, i) => ({ blocks: [i] })) }];
  const post = await fetched(await create(content, { layout }));
  expect(post.content.map((block: { type: string }) => block.type)).toEqual([
    "video",
    "link",
    "image",
    "text",
    "text",
  ]);
  expect(post.content[0].provider).toBe("native");
  expect(post.content[1]).toMatchObject({ title: "t".repeat(140), display_url: "https://a.example/" });
  expect(post.content[2].media[0]).toMatchObject({ width: 540, height: 405 });
  expect(post.layout).toEqual([{ type: "rows", display: [0, 1, 2, 3, 4].map((i) => ({ blocks: [i] })) }]);
});

const THREE = [image("1"), image("2"), text("x")];
const rows = (display: unknown, more: object = {}) => [{ type: "rows", display, ...more }];

test.each<[string, unknown, number]>([
  [
    "two of one type",
    [...rows([{ blocks: [0, 1] }, { blocks: [2] }]), ...rows([{ blocks: [0, 1] }, { blocks: [2] }])],
    8001,
  ],
  ["a missing index", rows([{ blocks: [0, 1] }]), 8001],
  ["a repeated index", rows([{ blocks: [0, 1] }, { blocks: [2] }, { blocks: [2] }]), 8001],
  ["an index out of range", rows([{ blocks: [0, 1] }, { blocks: [2] }, { blocks: [3] }]), 8001],
  ["text in a row of two", rows([{ blocks: [0] }, { blocks: [1, 2] }]), 8001],
  ["an unknown mode", rows([{ blocks: [0, 1], mode: { type: "pile" } }, { blocks: [2] }]), 8001],
  ["an unknown type", [{ type: "spiral" }], 8001],
  ["a question with an index out of range", [{ type: "ask", blocks: [7] }], 8016],
  ["an anonymous question with an image", [{ type: "ask", blocks: [0] }], 8016],
])("a layout with %s is rejected", async (_name, layout, subcode) => {
  expect(code(await create(THREE, { layout }))).toEqual([400, subcode]);
});

test("rows, carousels and the old form are valid layouts, and an invalid truncate_after is ignored", async () => {
  const carousel = rows([{ blocks: [0, 1], mode: { type: "carousel" } }, { blocks: [2] }], {
    truncate_after: 1,
  });
  expect((await fetched(await create(THREE, { layout: carousel }))).layout).toEqual(carousel);
  const old = await create(THREE, { layout: [{ type: "rows", rows: [[0, 1], [2]], truncate_after: 0 }] });
  expect((await fetched(old)).layout).toEqual(rows([{ blocks: [0, 1] }, { blocks: [2] }]));
  expect(
    (await fetched(await create(THREE, { layout: [{ type: "condensed", blocks: [0] }] }))).layout,
  ).toEqual([]);
  sandbox.rules.carouselsAllowed = false;
  expect((await create(THREE, { layout: carousel })).status).toBe(403);
});

test("only a paywall block may be absent from the rows of a layout", async () => {
  const content = [text("free"), { type: "paywall" }, text("paid")];
  const layout = rows([{ blocks: [0] }, { blocks: [2] }]);
  const post = await fetched(await create(content, { layout }));
  expect(post.content[1]).toEqual({ type: "paywall", subtype: "cta", is_visible: true });
  expect(post.layout).toEqual(layout);
  expect(code(await create(content, { layout: rows([{ blocks: [0] }, { blocks: [1] }]) }))).toEqual([
    400, 8001,
  ]);
});

test("an answer in blocks is shown as its legacy type", async () => {
  const layout = [
    {
      type: "ask",
      blocks: [0],
      attribution: {
        type: "blog",
        url: "https://notes.ada.example/",
        blog: { uuid: "t:AdaLvlc1842xEngineNote", name: "ada", url: "https://notes.ada.example/" },
      },
    },
  ];
  const got = await create([text("Why?"), text("Because.")], { layout });
  const [post] = (await ask(`${posts}?id=${got.json.response.id}&${KEY}`)).json.response.posts;
  expect(post).toMatchObject({
    type: "answer",
    asking_name: "ada",
    question: "<p>Why?</p>",
    answer: "<p>Because.</p>",
  });
  const bad = await create([{ type: "link", url: "https://a.example/" }, text("x")], { layout });
  expect(code(bad)).toEqual([400, 8016]);
});

test.each([
  ["video", [text("x"), image(), { type: "video", url: "https://a.example/" }]],
  ["photo", [{ type: "audio", url: "https://a.example/" }, image()]],
  ["audio", [text("q", { subtype: "quote" }), { type: "audio", url: "https://a.example/" }]],
  [
    "quote",
    [text("q", { subtype: "quote" }), text("a:b", { subtype: "chat" }), text("a:b", { subtype: "chat" })],
  ],
  ["chat", [text("a: b", { subtype: "chat" }), text("c: d", { subtype: "chat" })]],
  ["link", [text("a: b", { subtype: "chat" }), { type: "link", url: "https://a.example/" }]],
  ["text", [text("x")]],
])("content is shown as the legacy type %s", async (type, content) => {
  const got = await create(content);
  const [post] = (await ask(`${posts}?id=${got.json.response.id}&${KEY}`)).json.response.posts;
  expect(post.type).toBe(type);
});

async function parentPost() {
  const url = `${sandbox.url}/v2/blog/ada/posts?npf=true&sort=asc&limit=1&${KEY}`;
  const [post] = (await ask(url)).json.response.posts;
  return {
    parent_tumblelog_uuid: post.blog.uuid,
    parent_post_id: post.id_string,
    reblog_key: post.reblog_key,
  };
}

test("the trail of a reblog is the content of its parent, and the parent gets a note and a notification", async () => {
  const parent = await parentPost();
  const bare = JSON.stringify({ content: [text("Yes")], tags: "agree", ...parent }).replace(
    `"${parent.parent_post_id}"`,
    parent.parent_post_id,
  );
  const got = await sendJson(posts, bare);
  expect(got.status).toBe(201);
  const post = await fetched(got);
  expect(post).toMatchObject({
    parent_post_id: parent.parent_post_id,
    parent_tumblelog_uuid: parent.parent_tumblelog_uuid,
  });
  expect(post.trail.at(-1).post.id).toBe(parent.parent_post_id);
  expect(post.trail.at(-1).blog.uuid).toBe(parent.parent_tumblelog_uuid);
  const notes = (
    await ask(`${sandbox.url}/v2/blog/ada/notes?id=${parent.parent_post_id}&mode=reblogs_with_tags&${KEY}`)
  ).json.response;
  expect(notes.notes[0]).toMatchObject({
    type: "reblog",
    blog_name: "demo",
    post_id: got.json.response.id,
    tags: ["agree"],
    added_text: "Yes",
  });
  const activity = await ask(`${sandbox.url}/v2/blog/ada/notifications`, { headers: ADA });
  expect(activity.json.response.notifications[0]).toMatchObject({
    type: "reblog_with_content",
    from_tumblelog_name: "demo",
    added_text: "Yes",
  });
});

test("a reblog can exclude items of its trail, and invalid reblogs are rejected", async () => {
  const parent = await parentPost();
  const reblog = (more: object) => sendJson(posts, { ...parent, ...more });
  expect((await fetched(await reblog({ hide_trail: true }))).trail).toEqual([]);
  expect((await fetched(await reblog({ exclude_trail_items: [0], content: [text("x")] }))).trail).toEqual([]);
  expect(code(await reblog({ exclude_trail_items: [9] }))).toEqual([400, 8001]);
  expect(code(await reblog({ reblog_key: "wrong" }))).toEqual([400, 8002]);
  expect(code(await reblog({ parent_post_id: "1" }))).toEqual([400, 8002]);
  expect(code(await reblog({ parent_tumblelog_uuid: "t:no" }))).toEqual([400, 8002]);
  expect(code(await reblog({ reblog_key: undefined }))).toEqual([400, 0]);
  const closed = await sendJson(
    `${sandbox.url}/v2/blog/ada/posts`,
    { content: [text("x")], interactability_reblog: "noone" },
    { headers: ADA },
  );
  const [post] = (await ask(`${sandbox.url}/v2/blog/ada/posts?id=${closed.json.response.id}&${KEY}`)).json
    .response.posts;
  expect(code(await reblog({ parent_post_id: post.id_string, reblog_key: post.reblog_key }))).toEqual([
    403, 0,
  ]);
});

const json = (content: unknown, more: object = {}): FormPart => ({
  name: "json",
  value: JSON.stringify({ content, ...more }),
  type: "application/json",
});
const upload = (identifier: string, more: object = {}) => ({
  type: "image",
  media: [{ identifier, type: "image/png", width: 3, height: 2, ...more }],
});
const file = (name: string, type = "image/png", value: string | Buffer = "bytes"): FormPart => ({
  name,
  value,
  filename: `${name}.bin`,
  type,
});

test("media parts may have any order, and identifiers refer to them", async () => {
  const got = await sendParts(posts, [file("1"), file("0"), json([upload("0"), upload("1")])]);
  expect(got.status).toBe(201);
  const { content } = await fetched(got);
  expect(content[0].media[0]).toMatchObject({
    type: "image/png",
    width: 3,
    height: 2,
    has_original_dimensions: true,
  });
  expect(content[0].media[0].media_key).toMatch(/^[^:]+:[^:]+$/);
  expect(content[0].media[0]).not.toHaveProperty("identifier");
  const again = await create([{ type: "image", media: content[0].media }]);
  expect((await fetched(again)).content[0].media).toEqual(content[0].media);
});

test("a media object with only an identifier takes its type from its part, whose file name and type may be missing", async () => {
  const single = { type: "image", media: { identifier: "a" } };
  const got = await sendParts(posts, [
    { name: "json", filename: "blob.json", value: JSON.stringify({ content: [single] }) },
    file("a", "image/gif"),
  ]);
  expect((await fetched(got)).content[0].media[0]).toMatchObject({
    type: "image/gif",
    original_dimensions_missing: true,
  });
  expect((await sendParts(posts, [json([single]), { name: "a", value: "x" }])).status).toBe(201);
});

test("invalid media is rejected", async () => {
  expect(code(await sendParts(posts, [json([upload("a")])]))).toEqual([400, 8001]);
  expect(code(await sendParts(posts, [json([upload("a")]), file("a"), file("b")]))).toEqual([400, 8001]);
  expect(code(await sendParts(posts, [json([upload("a")]), file("a", "application/pdf")]))).toEqual([
    400, 8005,
  ]);
  expect(code(await sendParts(posts, [json([upload("a", { type: "image/tiff" })]), file("a")]))).toEqual([
    400, 8005,
  ]);
  const parent = await parentPost();
  const video = { type: "video", media: { identifier: "v" } };
  expect(code(await sendParts(posts, [json([video], parent), file("v", "video/mp4")]))).toEqual([403, 8008]);
  const two = [video, { type: "video", media: { identifier: "w" } }];
  expect(code(await sendParts(posts, [json(two), file("v", "video/mp4"), file("w", "video/mp4")]))).toEqual([
    400, 8001,
  ]);
  const broken = { "content-type": "multipart/form-data; boundary=x", ...BEARER };
  expect(
    (await ask(posts, { method: "POST", headers: broken, body: "--x\r\nContent-Disposition: form-data; na" }))
      .status,
  ).toBe(400);
});

test("limits apply to posts, images, videos, the queue and transcoding, and posting can be disabled", async () => {
  sandbox.clock.advance(2 * 86_400_000);
  const video = () =>
    sendParts(posts, [json([{ type: "video", media: { identifier: "v" } }]), file("v", "video/mp4")]);
  Object.assign(sandbox.limits, { postsPerDay: 1, imagesPerDay: 1, videosPerDay: 2, transcodeSeconds: 60 });
  const bearer = BEARER;
  expect((await create([text("x")], {}, bearer)).status).toBe(201);
  expect(code(await create([text("x")]))).toEqual([403, 8023]);
  expect((await create([text("x")], { state: "draft" })).status).toBe(201);
  sandbox.limits.postsPerDay = 100;
  expect((await sendParts(posts, [json([upload("a")]), file("a")])).status).toBe(201);
  expect(code(await sendParts(posts, [json([upload("a")]), file("a")]))).toEqual([403, 8004]);
  expect((await video()).status).toBe(201);
  expect(code(await video())).toEqual([403, 8010]);
  sandbox.clock.advance(61_000);
  expect((await video()).status).toBe(201);
  sandbox.clock.advance(61_000);
  expect(code(await video())).toEqual([403, 8011]);
  sandbox.limits.queuedPosts = 1;
  expect(code(await create([text("x")], { state: "queue" }))).toEqual([403, 8022]);
  sandbox.clock.advance(86_400_000);
  sandbox.limits.postsPerDay = 1;
  expect((await create([text("x")])).status).toBe(201);
  sandbox.rules.postingDisabled = true;
  expect((await create([text("x")])).status).toBe(503);
  sandbox.clock.reset();
});

test.each(["https://www.youtube.com/watch?v=x", "https://vimeo.com/1"])(
  "a video block that embeds %s is not changed",
  async (url) => {
    const embed_html = `<iframe src="${url}"></iframe>`;
    const video = { type: "video", provider: "elsewhere", url, embed_html, embed_url: url };
    const { status, json } = await sendJson(posts, { content: [video] });
    expect(status).toBe(201);
    const got = await ask(`${posts}/${json.response.id}`, { headers: BEARER });
    expect(got.json.response.content).toEqual([video]);
  },
);
