import { CommunityContext } from "../../../gen/community/v1/community_pb.ts";
import { CommunityVisibility, JoinType } from "../../../gen/community/v1/community_resource_pb.ts";
import { InvitationType } from "../../../gen/community/v1/invitation_resource_pb.ts";
import { TimelineType } from "../../../gen/community/v1/timeline_pb.ts";
import { answers, type Case, fails, rejects, says, sends } from "../../blog/case.ts";
import { callerCases } from "../../user/case.ts";
import { EDITABLE, FULL, INVITED, SHORT, TIMELINE } from "../bodies.ts";
import { ACCESS, communityCases, documented, gardeners } from "../case.ts";

const LIST = "GET /v2/communities";
const GET = "GET C";
const UPDATE = "PUT C";
const ID = 700000000000000123n;

const READING: Case[] = [
  answers(
    LIST,
    "communities in full, and in short",
    ({ communities }) => communities.listCommunities({ blogFields: ["name"] }),
    {
      communities: [
        { name: "gardeners", visibility: CommunityVisibility.PUBLIC, joinType: JoinType.FREE },
        { name: "gardeners", memberCount: 42, canView: true, avatarImage: [{ width: 64 }] },
      ],
    },
    { prepare: sends([FULL, SHORT]) },
  ),
  answers(
    LIST,
    "none",
    ({ communities }) => communities.listCommunities({}),
    { communities: [] },
    {
      prepare: sends([]),
    },
  ),
  ...callerCases(LIST, ({ communities }) => communities.listCommunities({})),

  answers(
    GET,
    "a community",
    ({ communities }) => communities.getCommunity({ ...gardeners, blogFields: ["name"] }),
    {
      community: {
        name: "gardeners",
        uuid: "t:GardenersGardeners0001",
        title: "Gardeners",
        mentionTag: "@@gardeners",
        description: "All that grows",
        about: "Gardens",
        guidelines: ["Be kind", "No weeds"],
        membersOnlineCount: 3,
        isMember: true,
        canPost: true,
        canEdit: false,
        canInteract: true,
        canInvite: false,
        canViewComments: true,
        postCount: 7,
        unreadPostCount: 2,
        tags: ["garden"],
        createdAt: { seconds: 1_700_000_000n },
        headerImage: [{ type: "image/png", width: 1280, height: 720 }],
        hasContentLabel: false,
        contentLabelLastReporter: "",
        inviteLink: "",
      },
    },
    { prepare: sends(FULL) },
  ),
  answers(
    GET,
    "a community by its uuid, to which the caller is invited",
    ({ communities }) => communities.getCommunity({ communityHandle: SHORT.uuid }),
    {
      community: {
        isMember: false,
        visibility: CommunityVisibility.PRIVATE,
        joinType: JoinType.INVITE,
        populationCap: 1000,
        invitation: { type: InvitationType.DIRECT, typeName: "direct", sender: { name: "ada" } },
      },
    },
    { prepare: sends(INVITED) },
  ),
  answers(
    GET,
    "a community for editing",
    ({ communities }) => communities.getCommunity({ ...gardeners, context: CommunityContext.EDIT }),
    {
      community: {
        inviteLink: "https://www.blog.example/communities/gardeners/join/h4sh",
        pendingInvitationsCount: 1,
        handleCanChange: false,
        handleNextChangeAt: { seconds: 1_762_600_000n },
        canEditContentLabel: true,
        contentLabelCategories: ["violence"],
        contentLabelLastReporter: "admin",
        settings: {
          inviteLinksEnabled: true,
          joinType: JoinType.INVITE,
          modsCanInvite: false,
          automodLinks: true,
        },
      },
    },
    { prepare: sends(EDITABLE) },
  ),
  ...communityCases(GET, ({ communities }, communityHandle) => communities.getCommunity({ communityHandle })),
  ...documented(GET, ACCESS, ({ communities }) => communities.getCommunity(gardeners)),
  rejects(
    GET,
    "a context that is not there",
    ({ communities }) => communities.getCommunity({ ...gardeners, context: 9 as CommunityContext }),
    { prepare: says(400) },
  ),
];

/** Every field that an administrator can change. */
export const CHANGES = {
  title: "Growers",
  description: "D",
  handle: "growers",
  visibility: CommunityVisibility.PRIVATE,
  tags: { values: ["garden", "grow"] },
  about: "A",
  guidelines: { values: ["Be kind"] },
  inviteLinksEnabled: true,
  joinType: JoinType.INVITE,
  modsCanInvite: false,
  hasContentLabel: true,
  contentLabelCategories: { values: ["sexual_themes", "violence", "drug_use"] },
  automodLinks: true,
};

const UPDATING: Case[] = [
  answers(
    UPDATE,
    "everything",
    ({ communities }) => communities.updateCommunity({ ...gardeners, ...CHANGES }),
    { community: { handleCanChange: false, settings: { automodLinks: true } } },
    { prepare: sends(EDITABLE) },
  ),
  answers(
    UPDATE,
    "nothing",
    ({ communities }) => communities.updateCommunity(gardeners),
    { community: { name: "gardeners" } },
    { prepare: sends(EDITABLE) },
  ),
  ...communityCases(UPDATE, ({ communities }, communityHandle) =>
    communities.updateCommunity({ communityHandle, title: "T" }),
  ),
  ...documented(
    UPDATE,
    [
      [400, 0, "an invalid parameter"],
      [400, 23025, "a content label that cannot be edited"],
      [403, 0, "no permission"],
      [503, 0, "a change that could not be saved"],
    ],
    ({ communities }) => communities.updateCommunity({ ...gardeners, title: "T" }),
  ),
  fails(
    UPDATE,
    "a second change of the handle in 7 days",
    ({ communities }) => communities.updateCommunity({ ...gardeners, handle: "growers" }),
    { prepare: says(400, 0, "The handle can be changed once in 7 days") },
  ),
  ...["", "@@growers", "a/b", "a b"].map((handle) =>
    rejects(
      UPDATE,
      `handle: ${JSON.stringify(handle)}`,
      ({ communities }) => communities.updateCommunity({ ...gardeners, handle }),
      { prepare: says(400) },
    ),
  ),
  rejects(
    UPDATE,
    "no visibility that there is",
    ({ communities }) =>
      communities.updateCommunity({ ...gardeners, visibility: CommunityVisibility.UNSPECIFIED }),
    { prepare: says(400) },
  ),
  rejects(
    UPDATE,
    "no way to join that there is",
    ({ communities }) => communities.updateCommunity({ ...gardeners, joinType: 9 as JoinType }),
    { prepare: says(400) },
  ),
  rejects(
    UPDATE,
    "an empty tag",
    ({ communities }) => communities.updateCommunity({ ...gardeners, tags: { values: [""] } }),
    { prepare: says(400) },
  ),
];

const MUTE = "PUT C/mute";
const UNMUTE = "DELETE C/mute";
const MUTING: Case[] = [
  answers(
    MUTE,
    "a community",
    ({ communities }) => communities.muteCommunity(gardeners),
    {},
    {
      prepare: sends([]),
    },
  ),
  ...communityCases(MUTE, ({ communities }, communityHandle) =>
    communities.muteCommunity({ communityHandle }),
  ),
  ...documented(
    MUTE,
    [
      [403, 0, "no member, without a subcode"],
      [403, 23002, "no member"],
    ],
    ({ communities }) => communities.muteCommunity(gardeners),
  ),
  answers(
    UNMUTE,
    "a community",
    ({ communities }) => communities.unmuteCommunity(gardeners),
    {},
    {
      prepare: sends([]),
    },
  ),
  ...communityCases(UNMUTE, ({ communities }, communityHandle) =>
    communities.unmuteCommunity({ communityHandle }),
  ),
  ...documented(UNMUTE, [[403, 0, "no member"]], ({ communities }) => communities.unmuteCommunity(gardeners)),
];

const TIME = "GET C/timeline";
const TIMELINES: Case[] = [
  answers(
    TIME,
    "posts, and what is between them",
    ({ communities }) => communities.listTimeline({ ...gardeners, npf: true, blogFields: ["name"] }),
    {
      timeline: {
        elements: [
          {
            objectType: "post",
            displayType: "",
            element: {
              case: "post",
              value: {
                id: ID,
                community: { name: "gardeners", memberCount: 42 },
                canReact: true,
                canModerate: true,
                reactions: [{ count: 2, emoji: { grapheme: "👍" } }],
                isModerator: true,
                postAuthor: "ada",
                authorBlog: { name: "ada" },
                unknownFields: {},
              },
            },
          },
          { objectType: "title", unknownFields: { text: '"More"' } },
          { element: { case: "blog", value: { resources: [{ name: "ada" }] } } },
          { element: { case: "carousel", value: { elements: [{ displayType: "recommended" }] } } },
        ],
        links: { next: { queryParams: { cursor: "c2" } } },
      },
    },
    { prepare: sends({ timeline: TIMELINE }) },
  ),
  ...(["RECENT", "POLLS", "DISCOVER"] as const).map((type) =>
    answers(
      TIME,
      `type: ${type}`,
      ({ communities }) => communities.listTimeline({ ...gardeners, type: TimelineType[type] }),
      { timeline: { elements: [] } },
      { prepare: sends({ timeline: { elements: [] } }) },
    ),
  ),
  ...communityCases(TIME, ({ communities }, communityHandle) =>
    communities.listTimeline({ communityHandle }),
  ),
  ...documented(TIME, ACCESS, ({ communities }) => communities.listTimeline(gardeners)),
  rejects(
    TIME,
    "a type that is not there",
    ({ communities }) => communities.listTimeline({ ...gardeners, type: 9 as TimelineType }),
    { prepare: says(400) },
  ),
];

export const COMMUNITY_CASES: readonly Case[] = [...READING, ...UPDATING, ...MUTING, ...TIMELINES];
