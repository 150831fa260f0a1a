import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import { PostContentFormat } from "../../../gen/blog/v1/editing_pb.ts";
import { LinkType } from "../../../gen/blog/v1/links_pb.ts";
import { NoteMode } from "../../../gen/blog/v1/note_pb.ts";
import { SortOrder } from "../../../gen/blog/v1/post_pb.ts";
import { PostFilter, PostState, PostType, QueuedState } from "../../../gen/blog/v1/post_resource_pb.ts";
import {
  answers,
  type Case,
  commonCases,
  demo,
  documented,
  FORMS,
  fails,
  pageCases,
  rejects,
} from "../case.ts";

const at = (seconds: number) => timestampFromMs(seconds * 1000);
const EPOCH = 1_761_998_400;
const several = expect.arrayContaining([expect.anything()]);
const TYPES = ["TEXT", "QUOTE", "LINK", "ANSWER", "VIDEO", "AUDIO", "PHOTO", "CHAT"] as const;

const LIST = "GET P/posts[/type]";
const list: Case[] = [
  ...FORMS.map(([form, blogIdentifier]) =>
    answers(LIST, `a blog ${form}`, ({ posts }) => posts.listPosts({ blogIdentifier, limit: 1 }), {
      totalPosts: 53,
      blog: { name: "demo" },
    }),
  ),
  ...TYPES.map((type) =>
    answers(LIST, `type: ${type}`, ({ posts }) => posts.listPosts({ ...demo, type: PostType[type] }), {
      posts: expect.arrayContaining([expect.objectContaining({ type: PostType[type] })]),
    }),
  ),
  answers(
    LIST,
    "everything at once, as an API key may ask",
    ({ posts }) =>
      posts.listPosts({
        ...demo,
        tags: ["seed", "demo"],
        limit: 2,
        offset: 1,
        reblogInfo: true,
        notesInfo: true,
        filter: PostFilter.TEXT,
        npf: false,
        sort: SortOrder.ASC,
        blogFields: ["name", "?is_following_you"],
      }),
    { posts: several, links: { next: { queryParams: { tumblelog: "demo" } } } },
    { as: "key" },
  ),
  answers(
    LIST,
    "posts as blocks",
    ({ posts }) => posts.listPosts({ ...demo, npf: true, notesInfo: true, reblogInfo: true }),
    {
      posts: expect.arrayContaining([expect.objectContaining({ typeName: "blocks" })]),
    },
  ),
  answers(LIST, "one post", ({ posts }, { ids }) => posts.listPosts({ ...demo, postId: ids.noted }), {
    posts: [{}],
    totalPosts: 1,
  }),
  answers(
    LIST,
    "between two times, as they were typed",
    ({ posts }) =>
      posts.listPosts({
        ...demo,
        before: at(EPOCH - 3600),
        after: at(EPOCH - 90 * 86_400),
        sort: SortOrder.DESC,
        filter: PostFilter.RAW,
      }),
    { posts: several },
  ),
  answers(
    LIST,
    "a page by its token, unchanged",
    async ({ posts }) => {
      const first = await posts.listPosts({ ...demo, limit: 2 });
      return posts.listPosts({ ...demo, pageToken: first.links?.next?.queryParams ?? {} });
    },
    { posts: [{}, {}], links: { next: { queryParams: { limit: "2" } } } },
  ),
  answers(
    LIST,
    "links of both types",
    ({ posts }) => posts.listPosts({ ...demo, limit: 1 }),
    {
      links: {
        next: { type: LinkType.ACTION, method: "GET" },
        unknownFields: { terms_of_service: '{"type":"navigation","href":"https://blog.example/terms"}' },
      },
    },
    {
      prepare: ({ sandbox }) =>
        sandbox.next({
          drift: (json) => {
            const { _links: links } = (json as { response: { _links: { next: object } } }).response;
            Object.assign(links.next, { type: "action" });
            Object.assign(links, {
              terms_of_service: { type: "navigation", href: "https://blog.example/terms" },
            });
            return json;
          },
        }),
    },
  ),
  answers(
    LIST,
    "a post of a community",
    ({ posts }) => posts.listPosts({ ...demo, limit: 1 }),
    {
      posts: [
        { canReact: true, reactions: [{ count: 2, emoji: { grapheme: "👍" } }], authorBlog: { name: "ada" } },
      ],
    },
    {
      prepare: ({ sandbox }) =>
        sandbox.next({
          drift: (json) => {
            const [post] = (json as { response: { posts: object[] } }).response.posts;
            Object.assign(post ?? {}, {
              community: { name: "c", title: "C", uuid: "t:c" },
              can_react: true,
              can_moderate: true,
              is_admin: true,
              is_moderator: true,
              reactions: [
                {
                  count: 2,
                  preview: ["ada"],
                  reacted: true,
                  emoji: { id: 7, grapheme: "👍", variants: [], base_slug: ":thumbs_up:" },
                },
              ],
              post_author: "ada",
              author_blog: { name: "ada" },
            });
            return json;
          },
        }),
    },
  ),
  ...commonCases(LIST, ({ posts }, blogIdentifier) => posts.listPosts({ blogIdentifier }), "key"),
  ...pageCases(LIST, ({ posts }, page) => posts.listPosts({ ...demo, ...page })),
  fails(LIST, "a post that is not there", ({ posts }) => posts.listPosts({ ...demo, postId: 5n })),
  fails(LIST, "a private blog", ({ posts }) => posts.listPosts({ blogIdentifier: "ada-secret" })),
  fails(LIST, "a page token that was changed", ({ posts }) =>
    posts.listPosts({ ...demo, pageToken: { page_number: "x" } }),
  ),
  rejects(LIST, "five tags", ({ posts }) => posts.listPosts({ ...demo, tags: ["a", "b", "c", "d", "e"] })),
  rejects(LIST, "type: BLOCKS", ({ posts }) => posts.listPosts({ ...demo, type: PostType.BLOCKS })),
  rejects(LIST, "before and offset", ({ posts }) => posts.listPosts({ ...demo, before: at(1), offset: 1 })),
  rejects(LIST, "an order that is not there", ({ posts }) =>
    posts.listPosts({ ...demo, sort: 9 as SortOrder }),
  ),
  rejects(LIST, "a notation that is not there", ({ posts }) =>
    posts.listPosts({ ...demo, filter: 9 as PostFilter }),
  ),
];

const QUEUE: Case[] = [
  answers(
    "GET P/posts/queue",
    "the queue",
    ({ posts }) =>
      posts.listQueuedPosts({
        ...demo,
        limit: 2,
        offset: 3,
        filter: PostFilter.RAW,
        npf: true,
        blogFields: ["name"],
      }),
    {
      posts: [
        { queuedState: QueuedState.QUEUED },
        { queuedState: QueuedState.SCHEDULED, publishOn: { seconds: 4_070_908_800n } },
      ],
      state: { paused: false },
    },
  ),
  ...commonCases(
    "GET P/posts/queue",
    ({ posts }, blogIdentifier) => posts.listQueuedPosts({ blogIdentifier }),
    "user",
  ),
  ...pageCases("GET P/posts/queue", ({ posts }, page) => posts.listQueuedPosts({ ...demo, ...page })),
  fails("GET P/posts/queue", "not a member", ({ posts }) => posts.listQueuedPosts({ blogIdentifier: "ada" })),

  answers(
    "POST P/posts/queue/reorder",
    "behind another post",
    async ({ posts }, { ids }) => {
      await posts.reorderQueue({ ...demo, postId: ids.queue[0] ?? 0n, insertAfter: ids.queue[2] ?? 0n });
      const { posts: queued } = await posts.listQueuedPosts(demo);
      return queued.map(({ id }) => ids.queue.indexOf(id));
    },
    [1, 2, 0, 3, 4],
  ),
  answers(
    "POST P/posts/queue/reorder",
    "to the top",
    async ({ posts }, { ids }) => {
      await posts.reorderQueue({ ...demo, postId: ids.queue[2] ?? 0n });
      const { posts: queued } = await posts.listQueuedPosts(demo);
      return queued.map(({ id }) => ids.queue.indexOf(id));
    },
    [2, 0, 1, 3, 4],
  ),
  ...commonCases(
    "POST P/posts/queue/reorder",
    ({ posts }, blogIdentifier, { ids }) =>
      posts.reorderQueue({ blogIdentifier, postId: ids.queue[0] ?? 0n }),
    "user",
  ),
  fails("POST P/posts/queue/reorder", "a post that is not in the queue", ({ posts }, { ids }) =>
    posts.reorderQueue({ ...demo, postId: ids.blocks }),
  ),
  fails("POST P/posts/queue/reorder", "behind one that is not in the queue", ({ posts }, { ids }) =>
    posts.reorderQueue({ ...demo, postId: ids.queue[0] ?? 0n, insertAfter: 5n }),
  ),
  rejects("POST P/posts/queue/reorder", "no post", ({ posts }) => posts.reorderQueue(demo)),

  answers(
    "POST P/posts/queue/shuffle",
    "the same posts",
    async ({ posts }, { ids }) => {
      await posts.shuffleQueue(demo);
      const { posts: queued } = await posts.listQueuedPosts(demo);
      return queued.map(({ id }) => ids.queue.indexOf(id)).sort();
    },
    [0, 1, 2, 3, 4],
  ),
  ...commonCases(
    "POST P/posts/queue/shuffle",
    ({ posts }, blogIdentifier) => posts.shuffleQueue({ blogIdentifier }),
    "user",
  ),
];

const WAITING: Case[] = [
  answers(
    "GET P/posts/draft",
    "drafts",
    ({ posts }) =>
      posts.listDraftPosts({ ...demo, filter: PostFilter.TEXT, npf: true, blogFields: ["name"] }),
    {
      posts: expect.arrayContaining([expect.objectContaining({ state: PostState.DRAFT })]),
      links: { next: { queryParams: {} } },
    },
  ),
  answers(
    "GET P/posts/draft",
    "those before another",
    ({ posts }, { ids }) => posts.listDraftPosts({ ...demo, beforePostId: ids.drafts[19] ?? 0n }),
    { posts: [{}, {}, {}] },
  ),
  ...commonCases(
    "GET P/posts/draft",
    ({ posts }, blogIdentifier) => posts.listDraftPosts({ blogIdentifier }),
    "user",
  ),
  rejects("GET P/posts/draft", "a notation that is not there", ({ posts }) =>
    posts.listDraftPosts({ ...demo, filter: 9 as PostFilter }),
  ),

  answers(
    "GET P/posts/submission",
    "submissions",
    ({ posts }) =>
      posts.listSubmissionPosts({ ...demo, offset: 1, filter: PostFilter.TEXT, blogFields: ["name"] }),
    {
      posts: [
        { isSubmission: true, postAuthor: "ada" },
        { isSubmission: true, anonymousName: "A Reader", anonymousEmail: "reader@example.org" },
      ],
    },
  ),
  answers(
    "GET P/posts/submission",
    "as blocks",
    ({ posts }) => posts.listSubmissionPosts({ ...demo, npf: true }),
    { posts: several },
  ),
  ...commonCases(
    "GET P/posts/submission",
    ({ posts }, blogIdentifier) => posts.listSubmissionPosts({ blogIdentifier }),
    "user",
  ),
  rejects("GET P/posts/submission", "offset: -1", ({ posts }) =>
    posts.listSubmissionPosts({ ...demo, offset: -1 }),
  ),
];

const ONE = "GET P/posts/{post-id}";
const ONE_CASES: Case[] = [
  answers(
    ONE,
    "as blocks",
    ({ posts }, { ids }) => posts.getPost({ ...demo, postId: ids.blocks, blogFields: ["name"] }),
    {
      post: { objectType: "post", typeName: "blocks", body: { case: "blocks" }, isBlocksPostFormat: true },
    },
  ),
  answers(
    ONE,
    "in the older form",
    ({ posts }, { ids }) =>
      posts.getPost({ ...demo, postId: ids.legacy.photo ?? 0n, postFormat: PostContentFormat.LEGACY }),
    {
      post: { typeName: "photo", body: { case: "photo" } },
    },
  ),
  answers(
    ONE,
    "the older form as blocks",
    ({ posts }, { ids }) =>
      posts.getPost({ ...demo, postId: ids.legacy.text ?? 0n, postFormat: PostContentFormat.NPF }),
    {
      post: { body: { case: "blocks" } },
    },
  ),
  answers(
    ONE,
    "a reblog, with its chain",
    ({ posts }, { ids }) => posts.getPost({ ...demo, postId: ids.reblog }),
    {
      post: { trail: several, parentTumblelogUuid: "t:AdaLvlc1842xEngineNote" },
    },
  ),
  answers(
    ONE,
    "a scheduled post",
    ({ posts }, { ids }) => posts.getPost({ ...demo, postId: ids.queue[4] ?? 0n }),
    {
      post: {
        queuedState: QueuedState.SCHEDULED,
        scheduledPublishTime: { seconds: 4_070_908_800n },
        publishOn: { seconds: 4_070_908_800n },
      },
    },
  ),
  ...commonCases(
    ONE,
    ({ posts }, blogIdentifier, { ids }) => posts.getPost({ blogIdentifier, postId: ids.blocks }),
    "user",
  ),
  fails(ONE, "a post that is not there", ({ posts }) => posts.getPost({ ...demo, postId: 5n })),
  fails(ONE, "blocks in the older form", ({ posts }, { ids }) =>
    posts.getPost({ ...demo, postId: ids.blocks, postFormat: PostContentFormat.LEGACY }),
  ),
  ...documented(ONE, ({ posts }, { ids }) => posts.getPost({ ...demo, postId: ids.blocks })),
  rejects(ONE, "no post", ({ posts }) => posts.getPost(demo)),
  rejects(ONE, "a form that is not there", ({ posts }, { ids }) =>
    posts.getPost({ ...demo, postId: ids.blocks, postFormat: 9 as PostContentFormat }),
  ),
];

const MUTE = "POST P/posts/{post-id}/mute";
const UNMUTE = "DELETE P/posts/{post-id}/mute";
const MUTE_CASES: Case[] = [
  answers(
    MUTE,
    "for an hour",
    async ({ posts }, { ids }) => {
      await posts.mutePost({ ...demo, postId: ids.blocks, muteLengthSeconds: 3600 });
      return posts.getPost({ ...demo, postId: ids.blocks });
    },
    { post: { muted: true, muteEndTimestamp: { nanos: 0 } } },
  ),
  answers(
    MUTE,
    "until it is unmuted",
    async ({ posts }, { ids }) => {
      await posts.mutePost({ ...demo, postId: ids.blocks });
      return posts.getPost({ ...demo, postId: ids.blocks });
    },
    { post: { muted: true } },
  ),
  ...commonCases(
    MUTE,
    ({ posts }, blogIdentifier, { ids }) => posts.mutePost({ blogIdentifier, postId: ids.blocks }),
    "user",
  ),
  fails(MUTE, "a post that is not there", ({ posts }) => posts.mutePost({ ...demo, postId: 5n })),
  rejects(MUTE, "a length below 0", ({ posts }, { ids }) =>
    posts.mutePost({ ...demo, postId: ids.blocks, muteLengthSeconds: -1 }),
  ),
  rejects(MUTE, "no post", ({ posts }) => posts.mutePost(demo)),
  answers(
    UNMUTE,
    "a muted post",
    async ({ posts }, { ids }) => {
      await posts.mutePost({ ...demo, postId: ids.blocks });
      await posts.unmutePost({ ...demo, postId: ids.blocks });
      return posts.getPost({ ...demo, postId: ids.blocks });
    },
    { post: { muted: false } },
  ),
  ...commonCases(
    UNMUTE,
    ({ posts }, blogIdentifier, { ids }) => posts.unmutePost({ blogIdentifier, postId: ids.blocks }),
    "user",
  ),
  fails(UNMUTE, "a post that is not there", ({ posts }) => posts.unmutePost({ ...demo, postId: 5n })),
  rejects(UNMUTE, "no post", ({ posts }) => posts.unmutePost(demo)),
];

const DELETE = "POST P/post/delete";
const REMOVE: Case[] = [
  answers(DELETE, "a post", ({ posts }, { ids }) => posts.deletePost({ ...demo, postId: ids.blocks }), {
    id: expect.any(BigInt),
  }),
  ...commonCases(
    DELETE,
    ({ posts }, blogIdentifier, { ids }) => posts.deletePost({ blogIdentifier, postId: ids.blocks }),
    "user",
  ),
  fails(DELETE, "a post that is not there", ({ posts }) => posts.deletePost({ ...demo, postId: 5n })),
  rejects(DELETE, "no post", ({ posts }) => posts.deletePost(demo)),
];

const NOTES = "GET P/notes";
const notes: Case[] = [
  ...(["ALL", "LIKES", "CONVERSATION", "ROLLUP", "REBLOGS_WITH_TAGS"] as const).map((mode) =>
    answers(
      NOTES,
      `mode: ${mode}`,
      ({ posts }, { ids }) => posts.listNotes({ ...demo, postId: ids.noted, mode: NoteMode[mode] }),
      {
        notes: several,
        totalNotes: expect.any(Number),
      },
    ),
  ),
  answers(
    NOTES,
    "with an API key",
    ({ posts }, { ids }) => posts.listNotes({ ...demo, postId: ids.noted }),
    { notes: several },
    { as: "key" },
  ),
  answers(
    NOTES,
    "before a time",
    ({ posts }, { ids }) => posts.listNotes({ ...demo, postId: ids.noted, before: at(EPOCH) }),
    { notes: several },
  ),
  answers(
    NOTES,
    "a conversation before a time",
    ({ posts }, { ids }) =>
      posts.listNotes({
        ...demo,
        postId: ids.noted,
        mode: NoteMode.CONVERSATION,
        beforeMicros: { seconds: BigInt(EPOCH), nanos: 1000 },
      }),
    { notes: several, rollupNotes: several, totalLikes: 24, totalReblogs: 24 },
  ),
  ...commonCases(
    NOTES,
    ({ posts }, blogIdentifier, { ids }) => posts.listNotes({ blogIdentifier, postId: ids.noted }),
    "key",
  ),
  fails(NOTES, "a post that is not there", ({ posts }) => posts.listNotes({ ...demo, postId: 5n })),
  rejects(NOTES, "no post", ({ posts }) => posts.listNotes(demo)),
  rejects(NOTES, "a mode that is not there", ({ posts }, { ids }) =>
    posts.listNotes({ ...demo, postId: ids.noted, mode: 9 as NoteMode }),
  ),
  rejects(NOTES, "microseconds outside of a conversation", ({ posts }, { ids }) =>
    posts.listNotes({ ...demo, postId: ids.noted, beforeMicros: at(EPOCH) }),
  ),
  rejects(NOTES, "seconds in a conversation", ({ posts }, { ids }) =>
    posts.listNotes({ ...demo, postId: ids.noted, mode: NoteMode.CONVERSATION, before: at(EPOCH) }),
  ),
];

/** The endpoints that read posts and their notes. */
export const POST_CASES: readonly Case[] = [
  ...list,
  ...QUEUE,
  ...WAITING,
  ...ONE_CASES,
  ...MUTE_CASES,
  ...REMOVE,
  ...notes,
];
