import type { Client } from "@connectrpc/connect";
import { PostService } from "../../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../../gen/blog/v1/post_rest.ts";
import { answered, demo, readVariants, type Variant, written } from "./variant.ts";

type Api = Client<typeof PostService>;
type Read = Variant<typeof PostService>;

const ID = "700000000000000001";

/** A post in a response, as JSON or text, and the expected result. */
const post = (name: string, sent: string | object, read: object): Read => [
  name,
  (api) => api.listPosts(demo),
  written(`{"posts":[${typeof sent === "string" ? sent : JSON.stringify(sent)}]}`),
  { posts: [read as never] },
];

/** A post with one block in a response, and the expected result. */
const block = (name: string, sent: object, read: object): Read =>
  post(
    name,
    { type: "blocks", content: [sent] },
    { type: "POST_TYPE_BLOCKS", typeName: "blocks", blocks: { content: [read] } },
  );

const POSTS: readonly Read[] = [
  post("an id is a number alone", `{"id":${ID}}`, { id: ID }),
  post("an id is a text alone", `{"id":"${ID}"}`, { id: ID }),
  post("an id is null beside its text", `{"id":null,"id_string":"${ID}"}`, { id: ID }),
  post("the text of an id is null", `{"id":${ID},"id_string":null}`, { id: ID }),
  post("ids beyond 63 bits", '{"id":18446744073709551615,"reblogged_from_id":18446744073709551614}', {
    id: "18446744073709551615",
    rebloggedFromId: "18446744073709551614",
  }),
  post("tags are null", { tags: null, state: "queue" }, { state: "POST_STATE_QUEUED", stateName: "queue" }),
  post("tags are a text", { tags: "a" }, { tags: ["a"] }),
  post("a state that nobody knows", { state: "frozen" }, { stateName: "frozen" }),
  post(
    "a type that nobody knows",
    { type: "hologram", depth: 3 },
    { typeName: "hologram", unknownFields: { depth: "3" } },
  ),
  post("muted for ever", { muted: true, mute_end_timestamp: 0 }, { muted: true }),
  post(
    "muted, with texts",
    { muted: "true", mute_end_timestamp: "5" },
    { muted: true, muteEndTimestamp: "1970-01-01T00:00:05Z" },
  ),
  post(
    "a title is null",
    { type: "text", title: null, body: "b" },
    { type: "POST_TYPE_TEXT", typeName: "text", text: { body: "b" } },
  ),
  post(
    "a video has no player",
    {
      type: "video",
      player: [
        { width: 250, embed_code: false },
        { width: "400", embed_code: "<p>" },
      ],
    },
    {
      type: "POST_TYPE_VIDEO",
      typeName: "video",
      video: { player: [{ width: 250 }, { width: 400, embedCode: "<p>" }] },
    },
  ),
  post(
    "a video's player is false",
    { type: "video", player: false, duration: "3.5" },
    { type: "POST_TYPE_VIDEO", typeName: "video", video: { duration: 3.5 } },
  ),
  post(
    "a track and a year are texts",
    { type: "audio", track_number: "3", year: "1999", plays: "7" },
    { type: "POST_TYPE_AUDIO", typeName: "audio", audio: { trackNumber: 3, year: 1999, plays: 7 } },
  ),
  post(
    "a year is no number",
    { type: "audio", year: "MCM", player: "<p>" },
    { type: "POST_TYPE_AUDIO", typeName: "audio", audio: { player: "<p>" } },
  ),
  post(
    "photos without captions, and settings of a camera",
    {
      type: "photo",
      photos: [
        { caption: "", exif: { ISO: 100, Camera: "X" }, original_size: { width: "1", height: 2, url: "u" } },
      ],
    },
    {
      type: "POST_TYPE_PHOTO",
      typeName: "photo",
      photo: {
        photos: [{ originalSize: { width: 1, height: 2, url: "u" }, exif: { ISO: "100", Camera: "X" } }],
      },
    },
  ),
  post(
    "settings of a camera are an empty array",
    { type: "photo", photos: [{ exif: [] }] },
    { type: "POST_TYPE_PHOTO", typeName: "photo", photo: { photos: [{}] } },
  ),
  post(
    "a recommendation has a reason in words",
    { recommendation_reason: "Because" },
    { recommendationReason: "Because" },
  ),
  post(
    "a recommendation has a reason with parts",
    { recommendation_reason: { text: "Because" } },
    { recommendationReason: { text: "Because" } },
  ),
  post(
    "an item of an old trail",
    { trail: [{ blog: { name: "b", theme: [] }, post: { id: 5 }, content: "<p>", content_raw: "<p>" }] },
    { trail: [{ blog: { name: "b", theme: {} }, post: { id: "5" }, html: "<p>", contentRaw: "<p>" }] },
  ),
  post(
    "an item of a new trail",
    { trail: [{ post: { id: "5" }, content: [{ type: "text", text: "" }], layout: [] }] },
    { trail: [{ post: { id: "5" }, blocks: { blocks: [{ typeName: "text", text: { text: "" } }] } }] },
  ),
  post(
    "a broken item of a trail",
    { trail: [{ broken_blog_name: "b", broken_blog: { name: "b", avatar: [] }, content: [] }] },
    { trail: [{ blocks: {}, brokenBlogName: "b", brokenBlog: { name: "b" } }] },
  ),
  post(
    "a community, and reactions to the post",
    {
      community: { name: "c", uuid: "t:c" },
      can_react: 1,
      reactions: [
        { emoji: { id: 5, grapheme: "👍", variants: [] }, count: "2", preview: ["a"], reacted: false },
      ],
    },
    {
      community: { name: "c", uuid: "t:c" },
      canReact: true,
      reactions: [
        { emoji: { id: "5", grapheme: "👍", variants: [] }, count: 2, preview: ["a"], reacted: false },
      ],
    },
  ),
  post(
    "links to more",
    { _links: { reveal_filtered: { type: "web", href: "/r" } }, filtered: { tags: ["t"], more: 1 } },
    {
      links: { reveal_filtered: { type: "LINK_TYPE_WEB", href: "/r" } },
      filtered: { tags: ["t"], unknownFields: { more: "1" } },
    },
  ),
  post(
    "times in the queue",
    { scheduled_publish_time: "5", publish_on: "2026-01-02T03:04:05+01:00", queued_state: "scheduled" },
    {
      scheduledPublishTime: "1970-01-01T00:00:05Z",
      publishOn: "2026-01-02T02:04:05Z",
      queuedState: "QUEUED_STATE_SCHEDULED",
    },
  ),
];

const BLOCKS: readonly Read[] = [
  block(
    "a type that nobody knows",
    { type: "map", lat: 1.5 },
    { typeName: "map", unknownFields: { lat: "1.5" } },
  ),
  block(
    "a kind of text that nobody knows",
    { type: "text", text: "x", subtype: "poem" },
    { typeName: "text", text: { text: "x", subtypeName: "poem" } },
  ),
  block(
    "formatting that nobody knows",
    { type: "text", text: "x", formatting: [{ start: 0, end: 1, type: "size", size: "big" }] },
    {
      typeName: "text",
      text: {
        text: "x",
        formatting: [{ start: 0, end: 1, typeName: "size", unknownFields: { size: '"big"' } }],
      },
    },
  ),
  block(
    "one medium of a picture, and colors that are numbers",
    { type: "image", media: { url: "u", width: "5" }, colors: { c0: 123456 }, attribution: [] },
    {
      typeName: "image",
      image: { media: [{ url: "u", width: 5 }], colors: { c0: "123456" }, attribution: {} },
    },
  ),
  block(
    "stills and videos of a picture in arrays",
    { type: "image", media: [{ url: "u", poster: [{ url: "p" }], video: [{ url: "v" }] }] },
    { typeName: "image", image: { media: [{ url: "u", poster: { url: "p" }, video: { url: "v" } }] } },
  ),
  block(
    "a click that leads nowhere",
    { type: "image", media: [], clickthrough: { web_url: "w", deeplink_url: null } },
    { typeName: "image", image: { clickthrough: { webUrl: "w" } } },
  ),
  block(
    "the medium of a sound in an array",
    { type: "audio", provider: "other", media: [{ url: "u" }], metadata: { other: { id: "5" } } },
    {
      typeName: "audio",
      audio: { provider: "other", media: { url: "u" }, metadata: { other: { id: "5" } } },
    },
  ),
  block(
    "one still of a video",
    { type: "video", url: "u", poster: { url: "p" }, filmstrip: { url: "f" }, duration: "1500" },
    {
      typeName: "video",
      video: { url: "u", poster: [{ url: "p" }], filmstrip: [{ url: "f" }], duration: "1500" },
    },
  ),
  block(
    "a border that nobody knows",
    { type: "paywall", subtype: "wall", is_visible: 0 },
    { typeName: "paywall", paywall: { isVisible: false, subtypeName: "wall" } },
  ),
  block(
    "a poll",
    {
      type: "poll",
      client_id: "c",
      created_at: "2026-01-02 03:04:05 GMT",
      settings: { expire_after: "86400", multiple_choice: "false" },
    },
    {
      typeName: "poll",
      poll: { clientId: "c", createdAt: "2026-01-02T03:04:05Z", settings: { expireAfter: 86400 } },
    },
  ),
  block(
    "an attribution that nobody knows",
    { type: "image", media: [], attribution: { type: "song", id: 1 } },
    { typeName: "image", image: { attribution: { typeName: "song", unknownFields: { id: "1" } } } },
  ),
  block(
    "an attribution to a post with a number",
    { type: "image", media: [], attribution: { type: "post", url: "u", post: { id: 5 } } },
    {
      typeName: "image",
      image: { attribution: { typeName: "post", post: { url: "u", post: { id: "5" } } } },
    },
  ),
  post(
    "layouts, an old one among them",
    {
      type: "blocks",
      content: [],
      layout: [
        { type: "rows", rows: [[0, 1], [2]] },
        { type: "vertical", gap: 1 },
        { type: "condensed", truncate_after: "1" },
      ],
    },
    {
      type: "POST_TYPE_BLOCKS",
      typeName: "blocks",
      blocks: {
        layout: [
          { typeName: "rows", rows: { rows: [{ blocks: [0, 1] }, { blocks: [2] }] } },
          { typeName: "vertical", unknownFields: { gap: "1" } },
          { typeName: "condensed", condensed: { truncateAfter: 1 } },
        ],
      },
    },
  ),
];

const notes = (name: string, sent: object, read: object): Read => [
  name,
  (api) => api.listNotes({ ...demo, postId: 5n }),
  answered(sent),
  read as never,
];

const NOTES: readonly Read[] = [
  notes(
    "a time with a fraction",
    { notes: [{ type: "reply", timestamp: 5.25, reply_text: "r", formatting: [] }] },
    {
      notes: [
        { type: "NOTE_TYPE_REPLY", typeName: "reply", timestamp: "1970-01-01T00:00:05.250Z", replyText: "r" },
      ],
    },
  ),
  notes(
    "ids that are texts, and avatars by size",
    {
      notes: [
        { type: "reblog", post_id: ID, reblog_parent_post_id: Number(5), avatar_url: { 64: "u" }, tags: [] },
      ],
      total_notes: "3",
    },
    {
      notes: [
        {
          type: "NOTE_TYPE_REBLOG",
          typeName: "reblog",
          postId: ID,
          reblogParentPostId: "5",
          avatarUrls: { 64: "u" },
        },
      ],
      totalNotes: 3,
    },
  ),
  notes(
    "avatars that are an empty array",
    { notes: [{ type: "like", avatar_url: [] }] },
    { notes: [{ type: "NOTE_TYPE_LIKE", typeName: "like" }] },
  ),
  notes(
    "a type that nobody knows",
    { notes: [{ type: "tip", amount: 5 }], rollup_notes: null },
    { notes: [{ typeName: "tip", unknownFields: { amount: "5" } }] },
  ),
];

const create = (api: Api) =>
  api.createLegacyPost({ ...demo, content: { case: "text", value: { body: "b" } } });
const remove = (api: Api) => api.deletePost({ ...demo, postId: 5n });
const WRITING: readonly Read[] = [
  ["an id of a new post that is a number", create, { ...written(`{"id":${ID}}`), status: 201 }, { id: ID }],
  [
    "an id of a new post that is a text",
    create,
    written(`{"id":"${ID}","state":"queued","display_text":null}`),
    { id: ID, state: "POST_STATE_QUEUED" },
  ],
  ["a deleted post, with its id", remove, written(`{"id":${ID},"id_string":"${ID}"}`), { id: ID }],
  ["a deleted post, without", remove, answered([]), {}],
  ["a muted post", (api) => api.mutePost({ ...demo, postId: 5n }), answered(null), {}],
  [
    "a queue whose state is a word",
    (api) => api.listQueuedPosts(demo),
    answered({ posts: [], state: "active" }),
    {},
  ],
  [
    "a queue that rests",
    (api) => api.listQueuedPosts(demo),
    answered({ posts: [], state: { paused: 1 } }),
    { state: { paused: true } },
  ],
  [
    "a post to edit, its tags in an array",
    (api) => api.getPost({ ...demo, postId: 5n }),
    written(
      `{"object_type":"post","type":"blocks","id":"${ID}","tags":["a"],"content":[],"layout":[],"parent_post_id":"5","scheduled_publish_time":5}`,
    ),
    {
      post: {
        id: ID,
        objectType: "post",
        type: "POST_TYPE_BLOCKS",
        typeName: "blocks",
        tags: ["a"],
        blocks: {},
        parentPostId: "5",
        scheduledPublishTime: "1970-01-01T00:00:05Z",
      },
    },
  ],
];

readVariants(PostService, PostServiceRest, [...POSTS, ...BLOCKS, ...NOTES, ...WRITING]);
