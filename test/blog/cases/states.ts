import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "vitest";
import { type Post, PostState, QueuedState } from "../../../gen/blog/v1/post_resource_pb.ts";
import { answers, type Case, demo } from "../case.ts";
import type { Api, BlogWorld } from "../world.ts";

const CONTENT = [{ block: { case: "text", value: { text: "hello" } } } as const];

/** The `endpoint` label of every case in this table; these cases span several endpoints. */
const STATE = "States and transitions";

type Facts = Readonly<Record<string, unknown>>;

/** Returns a post as its owner sees it. */
async function fetched({ posts }: Api, postId: bigint): Promise<Partial<Post>> {
  const { post } = await posts.getPost({ ...demo, postId });
  return { ...post, publishOn: post?.publishOn, muteEndTimestamp: post?.muteEndTimestamp };
}

function created(name: string, request: object, facts: Facts): Case {
  return answers(
    STATE,
    name,
    async (api) => {
      const { id } = await api.posts.createPost({ ...demo, content: CONTENT, ...request });
      return fetched(api, id);
    },
    facts,
  );
}

/** Returns the seconds since 1970 by the sandbox's clock. */
const secondsOf = ({ sandbox }: BlogWorld) => sandbox.clock.seconds();

async function order({ posts }: Api, { ids }: BlogWorld): Promise<number[]> {
  const { posts: queued } = await posts.listQueuedPosts(demo);
  return queued.map(({ id }) => ids.queue.indexOf(id));
}

/** Every row of the state table as a case. */
export const STATE_CASES: readonly Case[] = [
  created("nothing -> published, without a state", {}, { state: PostState.PUBLISHED }),
  created("nothing -> published", { state: PostState.PUBLISHED }, { state: PostState.PUBLISHED }),
  answers(
    STATE,
    "nothing -> queued, at the end of the queue",
    async (api, world) => {
      await api.posts.createPost({ ...demo, content: CONTENT, state: PostState.QUEUED });
      return order(api, world);
    },
    [0, 1, 2, 3, 4, -1],
  ),
  created(
    "nothing -> scheduled",
    { state: PostState.QUEUED, publishOn: timestampFromMs(4e12) },
    {
      state: PostState.QUEUED,
      queuedState: QueuedState.SCHEDULED,
      publishOn: { seconds: 4_000_000_000n },
    },
  ),
  created("nothing -> draft", { state: PostState.DRAFT }, { state: PostState.DRAFT }),
  created("nothing -> private", { state: PostState.PRIVATE }, { state: PostState.PRIVATE }),
  created(
    "publish_on is ignored where the state is not queue",
    { state: PostState.DRAFT, publishOn: timestampFromMs(4e12) },
    {
      state: PostState.DRAFT,
      publishOn: undefined,
    },
  ),
  answers(
    STATE,
    "nothing -> submission",
    async ({ posts }, world) => {
      const { id } = await posts.createPost({ ...demo, content: CONTENT, state: PostState.UNAPPROVED });
      world.identity = "demo";
      const { posts: waiting } = await posts.listSubmissionPosts(demo);
      return waiting.find((post) => post.id === id);
    },
    { state: PostState.SUBMISSION, isSubmission: true },
    { as: "ada" },
  ),
  answers(
    STATE,
    "queued -> queued, after another post",
    async (api, world) => {
      const [first = 0n, , third = 0n] = world.ids.queue;
      await api.posts.reorderQueue({ ...demo, postId: first, insertAfter: third });
      return order(api, world);
    },
    [1, 2, 0, 3, 4],
  ),
  answers(
    STATE,
    "queued -> queued, at the top",
    async (api, world) => {
      await api.posts.reorderQueue({ ...demo, postId: world.ids.queue[3] ?? 0n, insertAfter: 0n });
      return order(api, world);
    },
    [3, 0, 1, 2, 4],
  ),
  answers(
    STATE,
    "queued -> queued, in any order",
    async (api, world) => {
      await api.posts.shuffleQueue(demo);
      return (await order(api, world)).sort();
    },
    [0, 1, 2, 3, 4],
  ),
  answers(
    STATE,
    "scheduled -> published, with another id",
    async ({ posts }, world) => {
      const publishOn = timestampFromMs((secondsOf(world) + 3600) * 1000);
      const { id } = await posts.createPost({
        ...demo,
        content: CONTENT,
        state: PostState.QUEUED,
        publishOn,
      });
      world.sandbox.clock.advance(3_601_000);
      const { posts: found } = await posts.listPosts({ ...demo, limit: 1 });
      return { ...found[0], was: id, isSame: found[0]?.genesisPostId === id && found[0]?.id !== id };
    },
    { state: PostState.PUBLISHED, isSame: true },
  ),
  ...(["drafts", "queue"] as const).map((from) =>
    answers(
      STATE,
      `${from} -> published by an edit, with another id`,
      async (api, { ids }) => {
        const postId = (from === "drafts" ? ids.drafts.at(-1) : ids.queue[0]) ?? 0n;
        const { id } = await api.posts.updatePost({ ...demo, postId, state: PostState.PUBLISHED });
        const post = await fetched(api, id);
        return { state: post.state, isSame: post.genesisPostId === postId && id !== postId };
      },
      { state: PostState.PUBLISHED, isSame: true },
    ),
  ),
  answers(
    STATE,
    "published -> private by an edit",
    async (api, { ids }) => {
      const { id } = await api.posts.updatePost({ ...demo, postId: ids.blocks, state: PostState.PRIVATE });
      return fetched(api, id);
    },
    { state: PostState.PRIVATE },
  ),
  answers(
    STATE,
    "scheduled -> scheduled later by an edit",
    async (api, { ids }) => {
      const { id } = await api.posts.updatePost({
        ...demo,
        postId: ids.queue[4] ?? 0n,
        state: PostState.QUEUED,
        publishOn: timestampFromMs(4e12),
      });
      return fetched(api, id);
    },
    { queuedState: QueuedState.SCHEDULED, publishOn: { seconds: 4_000_000_000n } },
  ),
  answers(
    STATE,
    "unmuted -> muted, until it is unmuted",
    async (api, { ids }) => {
      await api.posts.mutePost({ ...demo, postId: ids.blocks });
      return fetched(api, ids.blocks);
    },
    { muted: true, muteEndTimestamp: undefined },
  ),
  answers(
    STATE,
    "muted -> unmuted, when its time has passed",
    async (api, world) => {
      const postId = world.ids.blocks;
      await api.posts.mutePost({ ...demo, postId, muteLengthSeconds: 60 });
      const muted = await fetched(api, postId);
      expect(muted).toMatchObject({ muted: true, muteEndTimestamp: { seconds: expect.any(BigInt) } });
      world.sandbox.clock.advance(61_000);
      return fetched(api, postId);
    },
    { muted: false, muteEndTimestamp: undefined },
  ),
  answers(
    STATE,
    "muted -> unmuted",
    async (api, { ids }) => {
      await api.posts.mutePost({ ...demo, postId: ids.blocks });
      await api.posts.unmutePost({ ...demo, postId: ids.blocks });
      return fetched(api, ids.blocks);
    },
    { muted: false },
  ),
];
