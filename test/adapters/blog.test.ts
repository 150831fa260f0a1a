import { create, type DescMessage, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import type { UnaryAdapter } from "connect-rest-runtime/adapter";
import { expect, test } from "vitest";
import { GetBlogInfoRequestSchema } from "../../gen/blog/v1/blog_pb.ts";
import { BlogService_getBlogInfo } from "../../gen/blog/v1/blog_rest.ts";
import { InlineFormatType } from "../../gen/blog/v1/inline_format_pb.ts";
import { TextSubtype } from "../../gen/blog/v1/npf_pb.ts";
import { CreatePostRequestSchema, ListPostsRequestSchema, SortOrder } from "../../gen/blog/v1/post_pb.ts";
import {
  InteractabilityReblog,
  PostFilter,
  PostState,
  PostType,
} from "../../gen/blog/v1/post_resource_pb.ts";
import { PostService_createPost, PostService_listPosts } from "../../gen/blog/v1/post_rest.ts";
import { received, sent } from "../support/adapter.ts";

/** Returns the message that an adapter reads from a payload in the envelope. */
function answer<O extends DescMessage>(adapter: UnaryAdapter<never, O>, payload: string) {
  const text = `{"meta":{"status":200,"msg":"OK"},"response":${payload}}`;
  const { message, differences, isSecond } = received(adapter as UnaryAdapter, text);
  return { json: toJson(adapter.method.output, message as never) as JsonObject, differences, isSecond };
}

const info = (blog: unknown) => {
  const payload = `{"blog":${typeof blog === "string" ? blog : JSON.stringify(blog)}}`;
  const { json, ...rest } = answer(BlogService_getBlogInfo as never, payload);
  return { blog: json.blog, ...rest };
};

const posts = (...items: unknown[]) => {
  const texts = items.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
  const { json, ...rest } = answer(PostService_listPosts as never, `{"posts":[${texts.join(",")}]}`);
  return { posts: json.posts as JsonValue[], ...rest };
};

test("GetBlogInfo: sends GET /v2/blog/{blog-identifier}/info with comma-separated fields", () => {
  const message = create(GetBlogInfoRequestSchema, {
    blogIdentifier: "t:abc/1",
    fields: ["name", "?is_following_you"],
  });
  expect(sent(BlogService_getBlogInfo, message)).toEqual({
    verb: "GET",
    path: "/v2/blog/t%3Aabc%2F1/info",
    query: "fields%5Bblogs%5D=name,%3Fis_following_you",
    headers: [],
    body: undefined,
  });
  const plain = create(GetBlogInfoRequestSchema, { blogIdentifier: "staff.service.test" });
  expect(sent(BlogService_getBlogInfo, plain)).toMatchObject({
    path: "/v2/blog/staff.service.test/info",
    query: "",
  });
});

test("GetBlogInfo: sends an API key as the query parameter api_key, and unwraps the envelope", () => {
  expect(BlogService_getBlogInfo.rules).toMatchObject({
    credentials: ["oauth1", "oauth2", "api_key"],
    apiKey: { query: "api_key" },
    envelope: { payload: ["response"], status: "meta.status", message: "meta.msg", errors: "errors" },
  });
});

test("GetBlogInfo: reads a blog", () => {
  const blog = {
    title: "Staff",
    posts: 4123,
    name: "staff",
    updated: 1_700_000_000,
    description: "<p>Hi \u2028</p>",
    ask: true,
    ask_anon: false,
    avatar: [
      { width: 512, height: 512, url: "https://a.test/512.png" },
      { width: 16, height: 16, url: "https://a.test/16.png" },
    ],
    url: "https://staff.service.test/",
    theme: {
      avatar_shape: "circle",
      background_color: "#FAFAFA",
      header_bounds: "0,1280,720,0",
      header_image_poster: "",
      show_title: true,
    },
    uuid: "t:0aY0xL2Fi1OFJg4YxpmegQ",
    duration_following_blog: -1,
  };
  const { blog: read, differences } = info(blog);
  expect(differences).toEqual([]);
  expect(read).toMatchObject({
    title: "Staff",
    posts: 4123,
    name: "staff",
    updated: "2023-11-14T22:13:20Z",
    description: "<p>Hi \u2028</p>",
    ask: true,
    askAnon: false,
    avatar: blog.avatar,
    url: "https://staff.service.test/",
    theme: {
      avatarShape: "AVATAR_SHAPE_CIRCLE",
      backgroundColor: "#FAFAFA",
      headerBounds: [0, 1280, 720, 0],
      showTitle: true,
    },
    uuid: "t:0aY0xL2Fi1OFJg4YxpmegQ",
    durationFollowingBlog: -1,
  });
});

test("ListPosts: sends GET /v2/blog/{blog-identifier}/posts with every parameter", () => {
  const message = create(ListPostsRequestSchema, {
    blogIdentifier: "staff",
    type: PostType.QUOTE,
    postId: 700_000_000_000_000_001n,
    tags: ["a b", "c&d"],
    limit: 20,
    offset: 40,
    before: { seconds: 1_699_999_999n, nanos: 1 },
    after: { seconds: 1_600_000_000n, nanos: 999_999_999 },
    sort: SortOrder.ASC,
    reblogInfo: true,
    notesInfo: true,
    filter: PostFilter.RAW,
    npf: true,
    blogFields: ["name", "?timezone"],
  });
  expect(sent(PostService_listPosts, message)).toEqual({
    verb: "GET",
    path: "/v2/blog/staff/posts/quote",
    query: [
      "id=700000000000000001",
      "tag%5B0%5D=a%20b&tag%5B1%5D=c%26d",
      "limit=20",
      "offset=40",
      "before=1700000000",
      "after=1600000000",
      "sort=asc",
      "reblog_info=true",
      "notes_info=true",
      "filter=raw",
      "npf=true",
      "fields%5Bblogs%5D=name,%3Ftimezone",
    ].join("&"),
    headers: [],
    body: undefined,
  });
});

test("ListPosts: sends no parameters for unset fields", () => {
  const message = create(ListPostsRequestSchema, { blogIdentifier: "staff" });
  expect(sent(PostService_listPosts, message)).toMatchObject({
    path: "/v2/blog/staff/posts",
    query: "",
    body: undefined,
  });
});

test("ListPosts: reads a page of posts with exact 18-digit ids in one pass", () => {
  const ids = Array.from({ length: 20 }, (_, index) => `7000000000000000${String(index).padStart(2, "0")}`);
  const {
    posts: read,
    differences,
    isSecond,
  } = posts(
    ...ids.map((id) => `{"type":"text","id":${id},"id_string":"${id}","title":"t","body":"b","tags":["x"]}`),
  );
  expect(read.map((post) => (post as JsonObject).id)).toEqual(ids);
  expect({ differences, isSecond }).toEqual({ differences: [], isSecond: false });
  expect(read[0]).toMatchObject({
    type: "POST_TYPE_TEXT",
    typeName: "text",
    text: { title: "t", body: "b" },
  });
});

test("ListPosts: reads blocks", () => {
  const { posts: read, differences } = posts({
    type: "blocks",
    id_string: "700000000000000001",
    content: [
      { type: "text", text: "Hi", subtype: "heading1", formatting: [{ start: 0, end: 2, type: "bold" }] },
      {
        type: "image",
        media: [{ url: "https://m.test/1.jpg", type: "image/jpeg", width: 1280, height: 1073 }],
        alt_text: "A sonogram",
      },
    ],
  });
  expect(differences).toEqual([]);
  expect(read[0]).toMatchObject({
    blocks: {
      content: [
        {
          typeName: "text",
          text: {
            text: "Hi",
            subtype: "TEXT_SUBTYPE_HEADING1",
            formatting: [{ start: 0, end: 2, type: "INLINE_FORMAT_TYPE_BOLD" }],
          },
        },
        {
          typeName: "image",
          image: { media: [{ url: "https://m.test/1.jpg", width: 1280 }], altText: "A sonogram" },
        },
      ],
    },
  });
});

test("CreatePost: sends POST /v2/blog/{blog-identifier}/posts with a JSON body", () => {
  const message = create(CreatePostRequestSchema, {
    blogIdentifier: "staff",
    content: [
      {
        block: {
          case: "text",
          value: {
            text: "Hi",
            subtype: TextSubtype.HEADING1,
            formatting: [{ start: 0, end: 2, type: InlineFormatType.LINK, url: "https://x.test" }],
            unknownFields: { more: '{"id":700000000000000001}' },
          },
        },
      },
    ],
    state: PostState.QUEUED,
    publishOn: { seconds: 1_700_000_000n },
    date: { seconds: 1_600_000_000n, nanos: 500_000_000 },
    tags: ["a b", "c"],
    sourceUrl: "https://source.test",
    slug: "hi",
    sendToSocial: false,
    isPrivate: true,
    interactabilityReblog: InteractabilityReblog.NOONE,
  });
  const { body, ...rest } = sent(PostService_createPost, message);
  expect(rest).toEqual({ verb: "POST", path: "/v2/blog/staff/posts", query: "", headers: [] });
  expect(body).toBe(
    '{"content":[{"type":"text","text":"Hi","subtype":"heading1","formatting":' +
      '[{"start":0,"end":2,"type":"link","url":"https://x.test"}],"more":{"id":700000000000000001}}],' +
      '"state":"queue","publish_on":"2023-11-14T22:13:20Z","date":"2020-09-13T12:26:40Z",' +
      '"tags":"a b,c","source_url":"https://source.test","slug":"hi","send_to_social":false,' +
      '"is_private":true,"interactability_reblog":"noone"}',
  );
});

test.each(['"700000000000000001"', "700000000000000001"])(
  "CreatePost: reads the id of the new post from %s",
  (id) => {
    const { json, differences } = answer(PostService_createPost as never, `{"id":${id},"state":"queued"}`);
    expect(json).toEqual({ id: "700000000000000001", state: "POST_STATE_QUEUED" });
    expect(differences).toEqual([]);
  },
);

test("leniency for responses: 1: keeps unknown keys unchanged at any depth", () => {
  const blog = '{"name":"b","zzz":[1,{"id":700000000000000001}],"theme":{"zzz":null}}';
  expect(info(blog)).toEqual({
    blog: {
      name: "b",
      unknownFields: { zzz: '[1,{"id":700000000000000001}]' },
      theme: { unknownFields: { zzz: "null" } },
    },
    differences: [],
    isSecond: true,
  });
});

test("leniency for responses: 2: keeps the name of an unknown type, and the whole object", () => {
  const { posts: read } = posts({
    type: "hologram",
    state: "frozen",
    id_string: "5",
    depth: 3,
  });
  expect(read[0]).toMatchObject({
    typeName: "hologram",
    stateName: "frozen",
    unknownFields: { depth: "3" },
  });
  expect(read[0]).not.toHaveProperty("type");
  const { posts: blocks } = posts({ type: "blocks", content: [{ type: "hologram", depth: 3 }] });
  expect(blocks[0]).toMatchObject({
    blocks: { content: [{ typeName: "hologram", unknownFields: { depth: "3" } }] },
  });
});

test("leniency for responses: 3: accepts [] for an empty object and for an empty response", () => {
  expect(info({ name: "b", theme: [] })).toEqual({
    blog: { name: "b", theme: {} },
    differences: [],
    isSecond: false,
  });
  expect(answer(BlogService_getBlogInfo as never, "[]")).toEqual({
    json: {},
    differences: [{ path: "(root)", expected: "object", got: "array", class: "converted" }],
    isSecond: false,
  });
});

test("leniency for responses: 4: accepts a single object for an array of one", () => {
  const { posts: read } = posts({ type: "blocks", content: [{ type: "image", media: { url: "u" } }] });
  expect(read[0]).toMatchObject({ blocks: { content: [{ image: { media: [{ url: "u" }] } }] } });
});

test("leniency for responses: 5: uses the first element of an array for an object", () => {
  expect(info({ theme: [{ body_font: "f" }] }).blog).toEqual({ theme: { bodyFont: "f" } });
  const { posts: read } = posts({
    type: "blocks",
    content: [{ type: "image", media: [{ url: "u", poster: [{ url: "p" }] }] }],
  });
  expect(read[0]).toMatchObject({
    blocks: { content: [{ image: { media: [{ poster: { url: "p" } }] } }] },
  });
});

test("leniency for responses: 6: treats null, a missing key and false as absent", () => {
  expect(info({ name: null, theme: null, avatar: null, updated: null })).toEqual({
    blog: {},
    differences: [],
    isSecond: false,
  });
  const { blog } = info({ name: "b", theme: { header_bounds: false, header_image: false } });
  expect(blog).toEqual({ name: "b", theme: {} });
  expect(info({ theme: false }).blog).toEqual({});
});

test("leniency for responses: 7: accepts numbers as strings and strings as numbers", () => {
  const { blog, differences } = info({ posts: "12", title: 12, updated: "1700000000" });
  expect(blog).toMatchObject({ posts: 12, title: "12", updated: "2023-11-14T22:13:20Z" });
  expect(differences).toEqual([
    { path: "blog.title", expected: "string", got: "number 12", class: "converted" },
    { path: "blog.posts", expected: "int32", got: 'string "12"', class: "converted" },
  ]);
});

test("leniency for responses: 8: keeps sharing flags unchanged", () => {
  expect(info({ tweet: "Y" }).blog).toEqual({ tweet: "Y" });
  expect(info({ tweet: "auto" }).blog).toEqual({ tweet: "auto" });
  expect(info({ ask: "N" }).blog).toEqual({ ask: false });
});

test("leniency for responses: 9: accepts every JSON escape in strings", () => {
  expect(info('{"url":"https:\\/\\/b.test\\/","title":"\\u003c\\u00e9\\ud83d\\ude00"}').blog).toEqual({
    url: "https://b.test/",
    title: "<é😀",
  });
});

test("leniency for responses: 10: treats empty strings as empty", () => {
  expect(info({ title: "", theme: { header_image_poster: "", header_bounds: "" } })).toEqual({
    blog: { theme: {} },
    differences: [],
    isSecond: false,
  });
});

test("leniency for responses: 11: reads timestamps in seconds, with or without a fraction", () => {
  const { posts: read, differences } = posts({ timestamp: 1_700_000_000.5, mute_end_timestamp: 0 });
  expect(read[0]).toEqual({ timestamp: "2023-11-14T22:13:20.500Z" });
  expect(differences).toEqual([]);
});

test("leniency for responses: 12: keeps dates as strings", () => {
  expect(posts({ date: "2023-11-14 22:13:20 GMT" }).posts[0]).toEqual({ date: "2023-11-14 22:13:20 GMT" });
});

test("leniency for responses: 13: reads the variant with lowerCamel keys", () => {
  const { posts: read } = posts({ idString: "5", blogName: "b", isBlocksPostFormat: true, noteCount: 3 });
  expect(read[0]).toEqual({ id: "5", blogName: "b", isBlocksPostFormat: true, noteCount: 3 });
});

test("leniency for responses: reads ids exactly from any JSON type", () => {
  const id = "700000000000000001";
  for (const text of [`{"id":${id}}`, `{"id":"${id}"}`, `{"id":${id},"id_string":"${id}"}`]) {
    expect(posts(text).posts[0]).toEqual({ id });
  }
  const mixed = posts(`{"id_string":"1","reblogged_from_id":${id},"reblogged_root_id":"${id}"}`);
  expect(mixed.posts[0]).toEqual({ id: "1", rebloggedFromId: id, rebloggedRootId: id });
  expect(mixed).toMatchObject({ differences: [], isSecond: true });
});

test("trail content that is neither blocks nor HTML is reported", () => {
  const { differences } = posts({ trail: [{ content: { text: "t" } }] });
  expect(differences).toEqual([expect.objectContaining({ path: "posts[0].trail[0].content" })]);
});
