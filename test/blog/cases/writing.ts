import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import type { CreateLegacyPostRequestSchema } from "../../../gen/blog/v1/legacy_post_pb.ts";
import type { ContentBlockSchema } from "../../../gen/blog/v1/npf_pb.ts";
import { type CreatePostRequestSchema, SortOrder } from "../../../gen/blog/v1/post_pb.ts";
import { InteractabilityReblog, PostFormat, PostState } from "../../../gen/blog/v1/post_resource_pb.ts";
import { answers, type Case, commonCases, demo, documented, fails, rejects } from "../case.ts";
import type { BlogWorld } from "../world.ts";

type Create = Omit<MessageInitShape<typeof CreatePostRequestSchema>, "$typeName" | "$unknown">;
type Block = MessageInitShape<typeof ContentBlockSchema>;
type Legacy = Omit<MessageInitShape<typeof CreateLegacyPostRequestSchema>, "$typeName" | "$unknown">;

const EPOCH = 1_761_998_400;
const at = (seconds: number) => timestampFromMs(seconds * 1000);
const FUTURE = at(4_000_000_000);
const PNG = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const words: Block = { block: { case: "text", value: { text: "hello" } } };
const CONTENT: NonNullable<Create["content"]> = [words];
const picture = (identifier: string): Block => ({
  block: { case: "image", value: { media: [{ identifier }] } },
});
const film = (identifier: string): Block => ({
  block: { case: "video", value: { media: { identifier, type: "video/mp4" } } },
});
const upload = (identifier: string, contentType = "image/png") => ({
  identifier,
  content: PNG,
  contentType,
  filename: `${identifier}.bin`,
});
const limit =
  (limits: Partial<BlogWorld["sandbox"]["limits"]>) =>
  ({ sandbox }: BlogWorld) =>
    Object.assign(sandbox.limits, limits);
const off = ({ sandbox }: BlogWorld) => Object.assign(sandbox.rules, { postingDisabled: true });

/** Every field of a post in blocks except the blocks. */
const EVERYTHING: Create = {
  ...demo,
  content: [words, picture("0")],
  layout: [{ layout: { case: "rows", value: { display: [{ blocks: [0] }, { blocks: [1] }] } } }],
  media: [upload("0")],
  date: at(EPOCH - 86_400),
  tags: ["one", "two words"],
  sourceUrl: "https://example.org/source",
  slug: "a-slug",
  sendToSocial: false,
  isPrivate: true,
  interactabilityReblog: InteractabilityReblog.NOONE,
  hasCommunityLabel: true,
  communityLabelCategories: ["violence"],
  canBeTipped: false,
};

const ORIGINAL = "POST P/posts";
const create =
  (more: Partial<Create>): Case["call"] =>
  ({ posts }) =>
    posts.createPost({ ...demo, content: CONTENT, ...more });

const CREATING: Case[] = [
  answers(ORIGINAL, "published at once", create({}), { id: expect.any(BigInt), state: PostState.PUBLISHED }),
  answers(ORIGINAL, "state: PUBLISHED", create({ state: PostState.PUBLISHED }), {
    state: PostState.PUBLISHED,
  }),
  answers(ORIGINAL, "state: QUEUED", create({ state: PostState.QUEUED }), { state: PostState.QUEUED }),
  answers(ORIGINAL, "state: QUEUED, at a time", create({ state: PostState.QUEUED, publishOn: FUTURE }), {
    state: PostState.QUEUED,
  }),
  answers(ORIGINAL, "state: DRAFT", create({ state: PostState.DRAFT }), { state: PostState.DRAFT }),
  answers(ORIGINAL, "state: PRIVATE", create({ state: PostState.PRIVATE }), { state: PostState.PRIVATE }),
  answers(
    ORIGINAL,
    "state: UNAPPROVED",
    create({ state: PostState.UNAPPROVED }),
    { state: PostState.SUBMISSION },
    { as: "ada" },
  ),
  answers(
    ORIGINAL,
    "everything that a post can have",
    async ({ posts }) => {
      const { id } = await posts.createPost(EVERYTHING);
      return posts.getPost({ ...demo, postId: id });
    },
    {
      post: {
        tags: ["one", "two words"],
        slug: "a-slug",
        sourceUrl: "https://example.org/source",
        communityLabels: { categories: ["violence"] },
        interactabilityReblog: InteractabilityReblog.NOONE,
        timestamp: { seconds: BigInt(EPOCH - 86_400) },
      },
    },
  ),
  answers(
    ORIGINAL,
    "two pictures, in parts",
    create({ content: [picture("a"), picture("b")], media: [upload("a"), upload("b")] }),
    { state: PostState.PUBLISHED },
  ),
  ...commonCases(
    ORIGINAL,
    ({ posts }, blogIdentifier) => posts.createPost({ blogIdentifier, content: CONTENT }),
    "user",
  ),
  ...documented(ORIGINAL, create({})),
  fails(ORIGINAL, "somebody else's blog", ({ posts }) =>
    posts.createPost({ blogIdentifier: "ada", content: CONTENT }),
  ),
  fails(ORIGINAL, "a token that may only read", create({}), { as: "read-only" }),
  fails(
    ORIGINAL,
    "an identifier without a medium",
    create({ content: [picture("a"), picture("b")], media: [upload("a")] }),
  ),
  fails(
    ORIGINAL,
    "a medium without an identifier",
    create({ content: [picture("a")], media: [upload("a"), upload("b")] }),
  ),
  fails(
    ORIGINAL,
    "a medium that is no picture",
    create({ content: [picture("a")], media: [upload("a", "text/html")] }),
  ),
  fails(
    ORIGINAL,
    "more media than are allowed in a day",
    create({ content: [picture("a")], media: [upload("a")] }),
    { prepare: limit({ imagesPerDay: 0 }) },
  ),
  fails(
    ORIGINAL,
    "more videos than are allowed in a day",
    create({ content: [film("a")], media: [upload("a", "video/mp4")] }),
    { prepare: limit({ videosPerDay: 0 }) },
  ),
  fails(
    ORIGINAL,
    "a video while another is converted",
    async ({ posts }) => {
      await posts.createPost({ ...demo, content: [film("a")], media: [upload("a", "video/mp4")] });
      return posts.createPost({ ...demo, content: [film("a")], media: [upload("a", "video/mp4")] });
    },
    { prepare: limit({ transcodeSeconds: 60 }) },
  ),
  fails(ORIGINAL, "a queue that is full", create({ state: PostState.QUEUED }), {
    prepare: limit({ queuedPosts: 5 }),
  }),
  fails(ORIGINAL, "more posts than are allowed in a day", create({}), { prepare: limit({ postsPerDay: 0 }) }),
  fails(ORIGINAL, "posting that is switched off", create({}), { prepare: off }),
  fails(
    ORIGINAL,
    "a layout without all of its blocks",
    create({
      content: [words, words],
      layout: [{ layout: { case: "rows", value: { display: [{ blocks: [0] }] } } }],
    }),
  ),
  fails(
    ORIGINAL,
    "an answer without its question",
    create({ layout: [{ layout: { case: "ask", value: { blocks: [9] } } }] }),
  ),
  fails(
    ORIGINAL,
    "a time of publication that has passed",
    create({ state: PostState.QUEUED, publishOn: at(1) }),
  ),
  rejects(ORIGINAL, "no content", ({ posts }) => posts.createPost(demo)),
  rejects(ORIGINAL, "state: SUBMISSION", create({ state: PostState.SUBMISSION })),
  rejects(ORIGINAL, "a tag with a comma", create({ tags: ["a,b"] })),
  rejects(
    ORIGINAL,
    "a text of 4097 characters",
    create({ content: [{ block: { case: "text", value: { text: "x".repeat(4097) } } }] }),
  ),
  rejects(
    ORIGINAL,
    "31 pictures",
    create({
      content: new Array(31).fill({
        block: { case: "image", value: { media: [{ url: "https://e.example/a.png" }] } },
      }),
    }),
  ),
  rejects(
    ORIGINAL,
    "11 links",
    create({
      content: new Array(11).fill({ block: { case: "link", value: { url: "https://e.example/" } } }),
    }),
  ),
  rejects(ORIGINAL, "a block without anything", create({ content: [{}] })),
  rejects(
    ORIGINAL,
    "a block of text without text",
    create({ content: [{ block: { case: "text", value: {} } }] }),
  ),
  rejects(
    ORIGINAL,
    "a picture without a medium",
    create({ content: [{ block: { case: "image", value: {} } }] }),
  ),
  rejects(
    ORIGINAL,
    "a sound without an address",
    create({ content: [{ block: { case: "audio", value: {} } }] }),
  ),
  rejects(
    ORIGINAL,
    "an indentation of 8",
    create({ content: [{ block: { case: "text", value: { text: "x", indentLevel: 8 } } }] }),
  ),
  rejects(
    ORIGINAL,
    "a medium without a name",
    create({ content: [picture("a")], media: [{ content: PNG }] }),
  ),
  rejects(
    ORIGINAL,
    "a reader that is not there",
    create({ interactabilityReblog: 9 as InteractabilityReblog }),
  ),
];

const REBLOG = "POST P/posts (reblog)";
const parent = ({ ids }: BlogWorld) => ({
  parentBlogUuid: ids.ada.uuid,
  parentPostId: ids.ada.id,
  reblogKey: ids.ada.key,
});
const REBLOGGING: Case[] = [
  answers(
    REBLOG,
    "with words",
    async ({ posts }, world) => {
      const { id } = await posts.reblogPost({
        ...demo,
        ...parent(world),
        content: CONTENT,
        tags: ["re"],
        layout: [],
      });
      return posts.getPost({ ...demo, postId: id });
    },
    { post: { parentTumblelogUuid: "t:AdaLvlc1842xEngineNote", trail: [{}] } },
  ),
  answers(
    REBLOG,
    "without the chain",
    async ({ posts }, world) => {
      const { id } = await posts.reblogPost({ ...demo, ...parent(world), hideTrail: true });
      return posts.getPost({ ...demo, postId: id });
    },
    { post: { trail: [] } },
  ),
  answers(
    REBLOG,
    "without an item of the chain",
    async ({ posts }, world) => {
      const { id } = await posts.reblogPost({ ...demo, ...parent(world), excludeTrailItems: [0] });
      return posts.getPost({ ...demo, postId: id });
    },
    { post: { trail: [] } },
  ),
  ...documented(REBLOG, ({ posts }, world) => posts.reblogPost({ ...demo, ...parent(world) })),
  fails(REBLOG, "a wrong key", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), reblogKey: "wrong" }),
  ),
  fails(REBLOG, "a post that is not there", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), parentPostId: 5n }),
  ),
  fails(REBLOG, "a post that may not be reblogged", async ({ posts }) => {
    await posts.createPost({ ...demo, content: CONTENT, interactabilityReblog: InteractabilityReblog.NOONE });
    const [post] = (await posts.listPosts({ ...demo, limit: 1, sort: SortOrder.DESC })).posts;
    const of = {
      parentBlogUuid: "t:Dm0aXQkq5rCkyTnYIYv1Nw",
      parentPostId: post?.id ?? 0n,
      reblogKey: post?.reblogKey ?? "",
    };
    return posts.reblogPost({ ...demo, ...of });
  }),
  fails(REBLOG, "a video", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), content: [film("a")], media: [upload("a", "video/mp4")] }),
  ),
  fails(REBLOG, "an item that the chain does not have", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), excludeTrailItems: [7] }),
  ),
  rejects(REBLOG, "no blog of the post", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), parentBlogUuid: "" }),
  ),
  rejects(REBLOG, "no post", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), parentPostId: 0n }),
  ),
  rejects(REBLOG, "no key", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), reblogKey: "" }),
  ),
  rejects(REBLOG, "item -1 of the chain", ({ posts }, world) =>
    posts.reblogPost({ ...demo, ...parent(world), excludeTrailItems: [-1] }),
  ),
];

const EDIT = "PUT P/posts/{post-id}";
const EDITING: Case[] = [
  answers(
    EDIT,
    "everything that a post can have",
    async ({ posts }, { ids }) => {
      const { publishOn: _, ...more } = EVERYTHING;
      const { id } = await posts.updatePost({ ...more, postId: ids.blocks });
      return posts.getPost({ ...demo, postId: id });
    },
    { post: { tags: ["one", "two words"], slug: "a-slug" } },
  ),
  answers(
    EDIT,
    "a draft into the queue, at a time",
    ({ posts }, { ids }) =>
      posts.updatePost({
        ...demo,
        postId: ids.drafts.at(-1) ?? 0n,
        state: PostState.QUEUED,
        publishOn: FUTURE,
      }),
    { state: PostState.QUEUED },
  ),
  answers(
    EDIT,
    "a reblog, without an item of its chain",
    async ({ posts }, { ids }) => {
      const { post } = await posts.getPost({ ...demo, postId: ids.reblog });
      const own = {
        parentBlogUuid: post?.parentTumblelogUuid ?? "",
        parentPostId: post?.parentPostId ?? 0n,
        reblogKey: post?.reblogKey ?? "",
      };
      return posts.updatePost({
        ...demo,
        postId: ids.reblog,
        ...own,
        hideTrail: false,
        excludeTrailItems: [0],
      });
    },
    { id: expect.any(BigInt) },
  ),
  ...commonCases(
    EDIT,
    ({ posts }, blogIdentifier, { ids }) =>
      posts.updatePost({ blogIdentifier, postId: ids.blocks, content: CONTENT }),
    "user",
  ),
  ...documented(EDIT, ({ posts }, { ids }) =>
    posts.updatePost({ ...demo, postId: ids.blocks, content: CONTENT }),
  ),
  fails(EDIT, "a post that is not there", ({ posts }) =>
    posts.updatePost({ ...demo, postId: 5n, content: CONTENT }),
  ),
  fails(EDIT, "a photo in the older form", ({ posts }, { ids }) =>
    posts.updatePost({ ...demo, postId: ids.legacy.photo ?? 0n, content: CONTENT }),
  ),
  fails(EDIT, "a published post into the queue", ({ posts }, { ids }) =>
    posts.updatePost({ ...demo, postId: ids.blocks, state: PostState.QUEUED }),
  ),
  fails(EDIT, "another parent", ({ posts }, { ids }) =>
    posts.updatePost({ ...demo, postId: ids.reblog, parentPostId: 5n }),
  ),
  fails(
    EDIT,
    "posting that is switched off",
    ({ posts }, { ids }) => posts.updatePost({ ...demo, postId: ids.blocks, content: CONTENT }),
    { prepare: off },
  ),
  rejects(EDIT, "no post", ({ posts }) => posts.updatePost({ ...demo, content: CONTENT })),
  rejects(EDIT, "state: ASK", ({ posts }, { ids }) =>
    posts.updatePost({ ...demo, postId: ids.blocks, state: PostState.ASK }),
  ),
];

const file = { content: PNG, contentType: "image/png", filename: "a.png" };
const COMMON: Legacy = {
  ...demo,
  state: PostState.DRAFT,
  tags: ["a", "b"],
  tweet: "off",
  date: at(EPOCH - 60),
  format: PostFormat.MARKDOWN,
  slug: "s",
  nativeInlineImages: true,
};
const TYPES: Readonly<Record<string, NonNullable<Legacy["content"]>>> = {
  text: { case: "text", value: { title: "T", body: "<p>B</p>" } },
  "photo by address": {
    case: "photo",
    value: { caption: "C", link: "https://e.example/", source: "https://e.example/a.png" },
  },
  "photo in base64": { case: "photo", value: { data64: PNG } },
  "photos as files": { case: "photo", value: { caption: "C", data: [file, file] } },
  quote: { case: "quote", value: { quote: "Q", source: "S" } },
  link: {
    case: "link",
    value: {
      url: "https://e.example/",
      title: "T",
      description: "D",
      thumbnail: "https://e.example/a.png",
      excerpt: "E",
      author: "A",
    },
  },
  chat: { case: "chat", value: { title: "T", conversation: "a: hi\nb: ho" } },
  "audio by address": { case: "audio", value: { caption: "C", externalUrl: "https://e.example/a.mp3" } },
  "audio as a file": { case: "audio", value: { caption: "C", data: { ...file, contentType: "audio/mpeg" } } },
  "video by code": { case: "video", value: { caption: "C", embed: "<iframe></iframe>" } },
  "video as a file": { case: "video", value: { caption: "C", data: { ...file, contentType: "video/mp4" } } },
};
const CREATE = "POST P/post";
const text = { content: { case: "text", value: { body: "B" } } } as const;
const LEGACY: Case[] = [
  ...Object.entries(TYPES).map(([name, value]) =>
    answers(CREATE, `a ${name}`, ({ posts }) => posts.createLegacyPost({ ...COMMON, content: value }), {
      state: PostState.DRAFT,
    }),
  ),
  ...(["PUBLISHED", "QUEUED", "PRIVATE"] as const).map((state) =>
    answers(
      CREATE,
      `state: ${state}`,
      ({ posts }) =>
        posts.createLegacyPost({ ...demo, ...text, state: PostState[state], format: PostFormat.HTML }),
      { state: PostState[state] },
    ),
  ),
  ...commonCases(
    CREATE,
    ({ posts }, blogIdentifier) => posts.createLegacyPost({ blogIdentifier, ...text }),
    "user",
  ),
  fails(CREATE, "a video of a site that is not supported", ({ posts }) =>
    posts.createLegacyPost({
      ...demo,
      content: { case: "video", value: { embed: "https://unknown.example/v" } },
    }),
  ),
  fails(
    CREATE,
    "a photo that is too large",
    ({ posts }) => posts.createLegacyPost({ ...demo, content: { case: "photo", value: { data: [file] } } }),
    { prepare: limit({ fileBytes: 4 }) },
  ),
  fails(
    CREATE,
    "a video that is too large",
    ({ posts }) =>
      posts.createLegacyPost({
        ...demo,
        content: { case: "video", value: { data: { ...file, contentType: "video/mp4" } } },
      }),
    { prepare: limit({ videoBytes: 4 }) },
  ),
  fails(CREATE, "a sound that is a picture", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "audio", value: { data: file } } }),
  ),
  fails(CREATE, "posting that is switched off", ({ posts }) => posts.createLegacyPost({ ...demo, ...text }), {
    prepare: off,
  }),
  rejects(CREATE, "no type", ({ posts }) => posts.createLegacyPost(demo)),
  rejects(CREATE, "a text without text", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "text", value: {} } }),
  ),
  rejects(CREATE, "a photo without a photo", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "photo", value: {} } }),
  ),
  rejects(CREATE, "a quotation without one", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "quote", value: {} } }),
  ),
  rejects(CREATE, "a link without an address", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "link", value: {} } }),
  ),
  rejects(CREATE, "a chat without words", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "chat", value: {} } }),
  ),
  rejects(CREATE, "a sound without one", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "audio", value: {} } }),
  ),
  rejects(CREATE, "a video without one", ({ posts }) =>
    posts.createLegacyPost({ ...demo, content: { case: "video", value: {} } }),
  ),
  rejects(CREATE, "state: UNAPPROVED", ({ posts }) =>
    posts.createLegacyPost({ ...demo, ...text, state: PostState.UNAPPROVED }),
  ),
  rejects(CREATE, "format: RAW", ({ posts }) =>
    posts.createLegacyPost({ ...demo, ...text, format: PostFormat.RAW }),
  ),
  rejects(CREATE, "a tag with a comma", ({ posts }) =>
    posts.createLegacyPost({ ...demo, ...text, tags: ["a,b"] }),
  ),
];

const CHANGE = "POST P/post/edit";
const oldText = ({ ids }: BlogWorld) => ids.legacy.text ?? 0n;
const CHANGING: Case[] = [
  answers(
    CHANGE,
    "a text",
    ({ posts }, world) =>
      posts.updateLegacyPost({ ...COMMON, state: PostState.PUBLISHED, ...text, postId: oldText(world) }),
    {
      id: expect.any(BigInt),
      state: PostState.PUBLISHED,
    },
  ),
  ...commonCases(
    CHANGE,
    ({ posts }, blogIdentifier, world) =>
      posts.updateLegacyPost({ blogIdentifier, ...text, postId: oldText(world) }),
    "user",
  ),
  fails(CHANGE, "a post that is not there", ({ posts }) =>
    posts.updateLegacyPost({ ...demo, ...text, postId: 5n }),
  ),
  fails(CHANGE, "a post in blocks", ({ posts }, { ids }) =>
    posts.updateLegacyPost({ ...demo, ...text, postId: ids.blocks }),
  ),
  rejects(CHANGE, "no post", ({ posts }) => posts.updateLegacyPost({ ...demo, ...text })),
  rejects(CHANGE, "state: UNAPPROVED", ({ posts }, world) =>
    posts.updateLegacyPost({ ...demo, postId: oldText(world), state: PostState.UNAPPROVED }),
  ),
];

const SHARE = "POST P/post/reblog";
const shared = ({ ids }: BlogWorld) => ({ postId: ids.ada.id, reblogKey: ids.ada.key });
const SHARING: Case[] = [
  answers(
    SHARE,
    "with a comment",
    ({ posts }, world) => posts.reblogLegacyPost({ ...COMMON, ...shared(world), comment: "Words" }),
    {
      id: expect.any(BigInt),
      state: PostState.DRAFT,
    },
  ),
  ...commonCases(
    SHARE,
    ({ posts }, blogIdentifier, world) => posts.reblogLegacyPost({ blogIdentifier, ...shared(world) }),
    "user",
  ),
  fails(SHARE, "a post that is not there", ({ posts }, world) =>
    posts.reblogLegacyPost({ ...demo, ...shared(world), postId: 5n }),
  ),
  fails(SHARE, "a wrong key", ({ posts }, world) =>
    posts.reblogLegacyPost({ ...demo, ...shared(world), reblogKey: "wrong" }),
  ),
  rejects(SHARE, "no post", ({ posts }, world) =>
    posts.reblogLegacyPost({ ...demo, ...shared(world), postId: 0n }),
  ),
  rejects(SHARE, "no key", ({ posts }, world) =>
    posts.reblogLegacyPost({ ...demo, ...shared(world), reblogKey: "" }),
  ),
];

/** The endpoints that write posts. */
export const WRITING_CASES: readonly Case[] = [
  ...CREATING,
  ...REBLOGGING,
  ...EDITING,
  ...LEGACY,
  ...CHANGING,
  ...SHARING,
];
