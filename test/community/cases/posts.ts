import { ModerationAction } from "../../../gen/community/v1/moderation_pb.ts";
import { RemovalReason } from "../../../gen/community/v1/removal_reason_pb.ts";
import { answers, type Case, rejects, says, sends } from "../../blog/case.ts";
import { BANNER, MODERATED } from "../bodies.ts";
import { communityCases, documented, gardeners } from "../case.ts";

const post = { ...gardeners, postId: 700000000000000123n };
const thumb = { ...post, emoji: { case: "slug", value: ":thumbs_up:" } } as const;

const REACT = "PUT C/posts/{post-id}/reactions";
const UNREACT = "DELETE C/posts/{post-id}/reactions/{reaction-id}";
const REACTIONS: Case[] = [
  answers(
    REACT,
    "the first one, by its slug",
    ({ communities }) => communities.addReaction(thumb),
    {
      timeline: {
        elements: [{ objectType: "signpost_cta", unknownFields: { title: '"Your first reaction!"' } }],
      },
    },
    { prepare: sends({ timeline: BANNER }) },
  ),
  answers(
    REACT,
    "another one, by its grapheme",
    ({ communities }) => communities.addReaction({ ...post, emoji: { case: "grapheme", value: "👍🏽" } }),
    {},
    { prepare: sends({}) },
  ),
  ...communityCases(REACT, ({ communities }, communityHandle) =>
    communities.addReaction({ ...thumb, communityHandle }),
  ),
  ...documented(
    REACT,
    [
      [400, 0, "an unknown reaction"],
      [400, 22001, "a post with all the reactions that it may have"],
      [400, 22002, "a user who has given all reactions that one may"],
      [403, 23002, "no member"],
    ],
    ({ communities }) => communities.addReaction(thumb),
  ),
  rejects(REACT, "no emoji", ({ communities }) => communities.addReaction(post), { prepare: says(400) }),
  rejects(
    REACT,
    "an empty slug",
    ({ communities }) => communities.addReaction({ ...post, emoji: { case: "slug", value: "" } }),
    { prepare: says(400) },
  ),
  rejects(REACT, "no post", ({ communities }) => communities.addReaction({ ...thumb, postId: 0n }), {
    prepare: says(404),
  }),

  ...["7", "👍🏽", "#️⃣"].map((reactionId) =>
    answers(
      UNREACT,
      `reaction: ${reactionId}`,
      ({ communities }) => communities.removeReaction({ ...post, reactionId }),
      {},
      { prepare: sends([]) },
    ),
  ),
  ...communityCases(UNREACT, ({ communities }, communityHandle) =>
    communities.removeReaction({ ...post, communityHandle, reactionId: "7" }),
  ),
  rejects(UNREACT, "no reaction", ({ communities }) => communities.removeReaction(post)),
];

const GET = "GET C/moderation/posts/{post-id}";
const REMOVE = "DELETE C/moderation/posts/{post-id}";
const RESTORE = "PUT C/moderation/posts/{post-id}";
const offTopic = { ...post, reason: RemovalReason.OFF_TOPIC };
const again = { ...post, note: "A garden after all" };

const MODERATION: Case[] = [
  answers(
    GET,
    "a post that was removed, for a moderator",
    ({ communities }) => communities.getModeratedPost({ ...post, npf: true, blogFields: ["name"] }),
    {
      moderatedPost: {
        action: ModerationAction.MODERATE_POST,
        actionName: "moderate_post",
        reason: RemovalReason.OFF_TOPIC,
        reasonName: "off_topic",
        note: "Not a garden",
        moderatedAt: { seconds: 1_761_998_100n },
        post: { id: 700000000000000123n },
        moderator: { name: "ada" },
      },
    },
    { prepare: sends(MODERATED) },
  ),
  ...communityCases(GET, ({ communities }, communityHandle) =>
    communities.getModeratedPost({ ...post, communityHandle }),
  ),
  ...documented(
    GET,
    [
      [403, 0, "neither a moderator nor the author"],
      [404, 0, "no such post"],
    ],
    ({ communities }) => communities.getModeratedPost(post),
  ),
  rejects(GET, "no post", ({ communities }) => communities.getModeratedPost(gardeners), {
    prepare: says(404),
  }),

  answers(
    REMOVE,
    "a post",
    ({ communities }) => communities.removePost(offTopic),
    {},
    {
      prepare: sends(undefined, 204),
    },
  ),
  answers(
    REMOVE,
    "a post, for another reason",
    ({ communities }) =>
      communities.removePost({ ...post, reason: RemovalReason.OTHER, note: "n".repeat(1000) }),
    {},
    { prepare: sends(undefined, 204) },
  ),
  ...communityCases(REMOVE, ({ communities }, communityHandle) =>
    communities.removePost({ ...offTopic, communityHandle }),
  ),
  ...documented(
    REMOVE,
    [
      [400, 0, "an invalid reason, or a missing note"],
      [403, 0, "no moderator"],
      [404, 24005, "a post that is not there, or was deleted"],
      [409, 24006, "removed already"],
    ],
    ({ communities }) => communities.removePost(offTopic),
  ),
  rejects(REMOVE, "no reason", ({ communities }) => communities.removePost(post), { prepare: says(400) }),
  rejects(
    REMOVE,
    "another reason without a note",
    ({ communities }) => communities.removePost({ ...post, reason: RemovalReason.OTHER }),
    { prepare: says(400) },
  ),
  rejects(
    REMOVE,
    "a note of 1001 characters",
    ({ communities }) => communities.removePost({ ...offTopic, note: "x".repeat(1001) }),
    { prepare: says(400) },
  ),

  answers(
    RESTORE,
    "a post",
    ({ communities }) => communities.restorePost(again),
    {},
    {
      prepare: sends(undefined, 204),
    },
  ),
  ...communityCases(RESTORE, ({ communities }, communityHandle) =>
    communities.restorePost({ ...again, communityHandle }),
  ),
  ...documented(
    RESTORE,
    [
      [403, 0, "no moderator"],
      [404, 24005, "a post that is not there, or was deleted"],
      [409, 24007, "restored already"],
      [503, 0, "a change that could not be saved"],
    ],
    ({ communities }) => communities.restorePost(again),
  ),
  rejects(RESTORE, "no note", ({ communities }) => communities.restorePost(post), { prepare: says(400) }),
  rejects(
    RESTORE,
    "a note of 1001 characters",
    ({ communities }) => communities.restorePost({ ...post, note: "x".repeat(1001) }),
    { prepare: says(400) },
  ),
];

export const COMMUNITY_POST_CASES: readonly Case[] = [...REACTIONS, ...MODERATION];
