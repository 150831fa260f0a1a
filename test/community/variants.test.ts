import { expect, test } from "vitest";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { answered, readVariants, serverOf, type Variant } from "../blog/variants/variant.ts";
import { all } from "../blog/world.ts";

type Read = Variant<typeof CommunityService>;
const c = { communityHandle: "gardeners" };
const post = { ...c, postId: 5n };

/** A community in a response, and the expected result. */
const community = (name: string, sent: object, read: object): Read => [
  name,
  (api) => api.getCommunity(c),
  answered(sent),
  { community: read as never },
];

const COMMUNITIES: readonly Read[] = [
  community("the next change of the handle is a flag", { handle_next_change_ts: false }, {}),
  community(
    "the next change of the handle is null",
    { handle_next_change_ts: null, population_cap: null },
    {},
  ),
  community(
    "the next change of the handle is a time, also as text",
    { handle_next_change_ts: "1762600000" },
    { handleNextChangeAt: "2025-11-08T11:06:40Z" },
  ),
  community(
    "the visibility is a number",
    { visibility: 1, join_type: "free", settings: [] },
    { visibility: "COMMUNITY_VISIBILITY_PRIVATE", joinType: "JOIN_TYPE_FREE", settings: {} },
  ),
  community(
    "an invitation of another type",
    { invitation: { type: "link", sender: { uuid: "t:a" }, note: "n" } },
    { invitation: { typeName: "link", sender: { uuid: "t:a" }, unknownFields: { note: '"n"' } } },
  ),
  community(
    "a key that nobody knows",
    { name: "g", mood: { is: "good" } },
    {
      name: "g",
      unknownFields: { mood: '{"is":"good"}' },
    },
  ),
];

const element = (name: string, sent: object, read: object): Read => [
  name,
  (api) => api.listTimeline(c),
  answered({ timeline: { elements: [sent] } }),
  { timeline: { elements: [read as never] } },
];

const TIMELINES: readonly Read[] = [
  element(
    "an element that nobody knows",
    { object_type: "weather", degrees: 20, post: { id: 5 } },
    { objectType: "weather", unknownFields: { degrees: "20", post: '{"id":5}' } },
  ),
  element(
    "a promoted post, with a key that nobody knows",
    { object_type: "post", id_string: "5", display_type: "promoted", is_sunny: true },
    {
      objectType: "post",
      displayType: "promoted",
      post: { id: "5", objectType: "post", unknownFields: { is_sunny: "true" } },
    },
  ),
  element(
    "a blog, with a key that nobody knows",
    { object_type: "blog", resources: [{ name: "a" }], reason: "r" },
    { objectType: "blog", blog: { resources: [{ name: "a" }] }, unknownFields: { reason: '"r"' } },
  ),
  ["a timeline without anything", (api) => api.listTimeline(c), answered({ timeline: [] }), { timeline: {} }],
  ["no timeline", (api) => api.listTimeline(c), answered([]), {}],
];

const OTHERS: readonly Read[] = [
  [
    "a moderation that nobody knows, for a reason of the service's own",
    (api) => api.getModeratedPost(post),
    answered({ action: "hide_post", reason: "vendor_guidelines", ts: 5.9, moderator: false }),
    {
      moderatedPost: {
        actionName: "hide_post",
        reasonName: "vendor_guidelines",
        moderatedAt: "1970-01-01T00:00:05.900Z",
      },
    },
  ],
  [
    "a member of whom no more than the identifier is known",
    (api) => api.listMembers(c),
    answered({ members: [{ uuid: "t:a", joined_ts: "5", is_admin: 1, badge: "b" }, { is_admin: true }] }),
    {
      members: [
        {
          blog: { uuid: "t:a", unknownFields: { badge: '"b"' } },
          joinedAt: "1970-01-01T00:00:05Z",
          isAdmin: true,
        },
        { isAdmin: true },
      ],
    },
  ],
  ...[{}, [], null, "", { timeline: [] }].map(
    (response): Read => [
      `a reaction that is responded to with ${JSON.stringify(response)}`,
      (api) => api.addReaction({ ...post, emoji: { case: "slug", value: ":a:" } }),
      answered(response),
      Array.isArray((response as { timeline?: unknown } | null)?.timeline) ? { timeline: {} } : {},
    ],
  ),
  [
    "a removal that is responded to with a body",
    (api) => api.removePost({ ...post, reason: 1 }),
    answered([]),
    {},
  ],
  ["no body at all", (api) => api.restorePost({ ...post, note: "n" }), { status: 204 }, {}],
];

readVariants(CommunityService, CommunityServiceRest, [...COMMUNITIES, ...TIMELINES, ...OTHERS]);

const C = "/v2/communities/gardeners";
const next = (path: string, query_params: object) => ({
  _links: { next: { href: `${C}/${path}`, method: "GET", query_params } },
});

test("streams of invitations, members and a timeline follow their next-page links", async () => {
  const { api, seen } = await serverOf(CommunityService, CommunityServiceRest, [
    answered({ invitations: [{ sent_on: 5 }], ...next("invitations", { before: "5" }) }),
    answered({ invitations: [{ sent_on: 4 }] }),
    answered({ members: [{ name: "a" }], ...next("members?page=2&filter=admin", { page: "2" }) }),
    answered({ members: [{ name: "b" }] }),
    answered({
      timeline: {
        elements: [{ object_type: "post", id_string: "1" }],
        ...next("timeline", { cursor: "c2" }),
      },
    }),
    answered({ timeline: { elements: [{ object_type: "title" }] } }),
  ]);
  const invitations = await all(api.streamInvitations(c));
  expect(invitations.map(({ sentAt }) => sentAt?.seconds)).toEqual([5n, 4n]);
  const members = await all(api.streamMembers({ ...c, filter: 2 }));
  expect(members.map(({ identity }) => identity.value?.name)).toEqual(["a", "b"]);
  const elements = await all(api.streamTimeline(c));
  expect(elements.map(({ objectType }) => objectType)).toEqual(["post", "title"]);
  expect(seen.map(({ line }) => line)).toEqual([
    `GET ${C}/invitations`,
    `GET ${C}/invitations?before=5`,
    `GET ${C}/members?filter=admin`,
    `GET ${C}/members?page=2&filter=admin`,
    `GET ${C}/timeline`,
    `GET ${C}/timeline?cursor=c2`,
  ]);
});
