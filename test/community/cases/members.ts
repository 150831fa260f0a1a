import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { MemberFilter, MemberRole } from "../../../gen/community/v1/member_pb.ts";
import { RemovalReason } from "../../../gen/community/v1/removal_reason_pb.ts";
import { answers, type Case, fails, rejects, says, sends } from "../../blog/case.ts";
import { INVITATION, LINKS, MEMBER } from "../bodies.ts";
import { ACCESS, communityCases, documented, gardeners } from "../case.ts";

const at = (seconds: number) => timestampFromMs(seconds * 1000);
const reader = { ...gardeners, blogIdentifier: "reader-01" };
/** Invalid blog identifiers. */
const NO_BLOGS = ["", "a/b", "www.blog.example", "a b"];

/** Returns cases of an endpoint that has a blog in its path. */
function blogCases(
  endpoint: string,
  call: (api: Parameters<Case["call"]>[0], blog: string) => Promise<unknown>,
): Case[] {
  return NO_BLOGS.map((blog) =>
    rejects(
      endpoint,
      `blog: ${JSON.stringify(blog)}`,
      (api) => call(api, blog),
      blog === "" ? {} : { prepare: says(404) },
    ),
  );
}

const INVITATIONS = "GET C/invitations";
const INVITE = "PUT C/invitations";
const INVITED = "GET C/invitations/{blog-identifier}";
const CANCEL = "DELETE C/invitations/{blog-identifier}";
const HASH = "POST C/invite_hash";

const INVITATION_CASES: Case[] = [
  answers(
    INVITATIONS,
    "a page of them, with a link to the next",
    ({ communities }) =>
      communities.listInvitations({ ...gardeners, before: at(1_761_998_400), blogFields: ["name"] }),
    {
      invitations: [
        { sender: { name: "ada" }, recipient: { name: "reader-01" }, sentAt: { seconds: 1_761_998_000n } },
      ],
      links: { next: { queryParams: { page: "2" } } },
    },
    { prepare: sends({ invitations: [INVITATION], _links: LINKS }) },
  ),
  ...communityCases(INVITATIONS, ({ communities }, communityHandle) =>
    communities.listInvitations({ communityHandle }),
  ),

  answers(
    INVITE,
    "a blog, with a message of 100 characters",
    ({ communities }) =>
      communities.createInvitation({ ...gardeners, recipientBlog: "reader-01", message: "🌱".repeat(100) }),
    {},
    { prepare: sends([]) },
  ),
  ...["reader-01.blog.example", "t:Reader01"].map((recipientBlog) =>
    answers(
      INVITE,
      `a blog as ${recipientBlog}`,
      ({ communities }) => communities.createInvitation({ ...gardeners, recipientBlog }),
      {},
      { prepare: sends([]) },
    ),
  ),
  ...communityCases(INVITE, ({ communities }, communityHandle) =>
    communities.createInvitation({ communityHandle, recipientBlog: "reader-01" }),
  ),
  ...documented(
    INVITE,
    [
      [400, 5041, "a message that is too long"],
      [403, 0, "no administrator"],
      [403, 23003, "a full community"],
      [403, 23008, "a recipient who is banned or cannot join"],
      [403, 23009, "a member already"],
      [403, 23011, "invited already"],
      [429, 0, "invitations that come too fast"],
    ],
    ({ communities }) => communities.createInvitation({ ...gardeners, recipientBlog: "reader-01" }),
  ),
  ...NO_BLOGS.map((recipientBlog) =>
    rejects(
      INVITE,
      `recipient_blog: ${JSON.stringify(recipientBlog)}`,
      ({ communities }) => communities.createInvitation({ ...gardeners, recipientBlog }),
      { prepare: says(400) },
    ),
  ),
  rejects(
    INVITE,
    "a message of 101 characters",
    ({ communities }) =>
      communities.createInvitation({ ...gardeners, recipientBlog: "reader-01", message: "x".repeat(101) }),
    { prepare: says(400, 5041) },
  ),

  answers(
    INVITED,
    "the invitation's sender",
    ({ communities }) => communities.getInvitation({ ...reader, blogFields: ["name"] }),
    { invitation: { sender: { name: "ada" } } },
    { prepare: sends({ sender: { name: "ada" } }) },
  ),
  ...communityCases(INVITED, ({ communities }, communityHandle) =>
    communities.getInvitation({ ...reader, communityHandle }),
  ),
  ...documented(INVITED, [[404, 0, "no invitation"]], ({ communities }) => communities.getInvitation(reader)),
  ...blogCases(INVITED, ({ communities }, blogIdentifier) =>
    communities.getInvitation({ ...gardeners, blogIdentifier }),
  ),

  answers(
    CANCEL,
    "an invitation",
    ({ communities }) => communities.deleteInvitation(reader),
    {},
    {
      prepare: sends([]),
    },
  ),
  answers(
    CANCEL,
    "an invitation, and all that may follow",
    ({ communities }) => communities.deleteInvitation({ ...reader, doNotInvite: true }),
    {},
    { prepare: sends([]) },
  ),
  ...communityCases(CANCEL, ({ communities }, communityHandle) =>
    communities.deleteInvitation({ ...reader, communityHandle }),
  ),
  ...blogCases(CANCEL, ({ communities }, blogIdentifier) =>
    communities.deleteInvitation({ ...gardeners, blogIdentifier }),
  ),

  answers(
    HASH,
    "a new link",
    ({ communities }) => communities.regenerateInviteLink(gardeners),
    { inviteLink: "https://www.blog.example/communities/gardeners/join/n3w" },
    { prepare: sends({ invite_link: "https://www.blog.example/communities/gardeners/join/n3w" }) },
  ),
  ...communityCases(HASH, ({ communities }, communityHandle) =>
    communities.regenerateInviteLink({ communityHandle }),
  ),
  ...documented(
    HASH,
    [
      [403, 23012, "a caller who may not"],
      [403, 23017, "invite links that are switched off"],
    ],
    ({ communities }) => communities.regenerateInviteLink(gardeners),
  ),
];

const MEMBERS = "GET C/members";
const JOIN = "PUT C/members";
const LISTING_AND_JOINING: Case[] = [
  answers(
    MEMBERS,
    "members, with a link to more",
    ({ communities }) => communities.listMembers({ ...gardeners, page: 1, blogFields: ["name"] }),
    {
      members: [
        {
          identity: {
            case: "blog",
            value: { name: "ada", title: "Ada", followed: true, isFollowingYou: true, unknownFields: {} },
          },
          joinedAt: { seconds: 1_761_000_000n },
          isAdmin: true,
          isModerator: false,
          isMutual: true,
        },
      ],
      links: { next: { queryParams: { page: "2" } } },
    },
    { prepare: sends({ members: [MEMBER], _links: LINKS }) },
  ),
  ...(["ALL", "ADMIN", "MODERATOR", "FOLLOWING", "MUTUAL"] as const).map((filter) =>
    answers(
      MEMBERS,
      `filter: ${filter}`,
      ({ communities }) => communities.listMembers({ ...gardeners, filter: MemberFilter[filter] }),
      { members: [] },
      { prepare: sends({ members: [] }) },
    ),
  ),
  ...communityCases(MEMBERS, ({ communities }, communityHandle) =>
    communities.listMembers({ communityHandle }),
  ),
  ...documented(MEMBERS, ACCESS, ({ communities }) => communities.listMembers(gardeners)),
  rejects(MEMBERS, "page: 0", ({ communities }) => communities.listMembers({ ...gardeners, page: 0 }), {
    prepare: says(400),
  }),
  rejects(
    MEMBERS,
    "a filter that is not there",
    ({ communities }) => communities.listMembers({ ...gardeners, filter: 9 as MemberFilter }),
    { prepare: says(400) },
  ),

  answers(
    JOIN,
    "as one likes",
    ({ communities }) => communities.joinCommunity(gardeners),
    {},
    {
      prepare: sends([]),
    },
  ),
  answers(
    JOIN,
    "by an invite link",
    ({ communities }) => communities.joinCommunity({ ...gardeners, inviteHash: "h4sh" }),
    {},
    { prepare: sends([]) },
  ),
  ...communityCases(JOIN, ({ communities }, communityHandle) =>
    communities.joinCommunity({ communityHandle }),
  ),
  ...documented(
    JOIN,
    [
      ...ACCESS,
      [403, 23003, "a full community"],
      [403, 23015, "an invitation that is gone or was declined"],
      [429, 0, "too many joins"],
    ],
    ({ communities }) => communities.joinCommunity(gardeners),
  ),
  fails(
    JOIN,
    "400.23014: an invite hash that is none, and stays out of the text",
    ({ communities }) => communities.joinCommunity({ ...gardeners, inviteHash: "not-a-hash" }),
    { prepare: says(400, 23014, "not-a-hash is no invite hash") },
  ),
];

const REMOVE = "DELETE C/members/{blog-identifier}";
const ROLE = "PUT C/members/{blog-identifier}";
const spam = { ...reader, reason: RemovalReason.SPAM };
const REASONS = [
  "COMMUNITY_GUIDELINES",
  "OFF_TOPIC",
  "SPAM",
  "INAPPROPRIATE_BEHAVIOR",
  "SERVICE_GUIDELINES",
] as const;

const REMOVING: Case[] = [
  ...REASONS.map((reason) =>
    answers(
      REMOVE,
      `reason: ${reason}`,
      ({ communities }) => communities.removeMember({ ...reader, reason: RemovalReason[reason] }),
      {},
      { prepare: sends([]) },
    ),
  ),
  answers(
    REMOVE,
    "another reason, with a note of 1000 characters, for good",
    ({ communities }) =>
      communities.removeMember({
        ...reader,
        reason: RemovalReason.OTHER,
        note: "é".repeat(1000),
        banUser: true,
      }),
    {},
    { prepare: sends([]) },
  ),
  ...communityCases(REMOVE, ({ communities }, communityHandle) =>
    communities.removeMember({ ...spam, communityHandle }),
  ),
  ...documented(
    REMOVE,
    [
      [400, 0, "an invalid reason, or a missing note"],
      [403, 0, "neither an administrator nor one's own blog"],
    ],
    ({ communities }) => communities.removeMember(spam),
  ),
  rejects(REMOVE, "no reason", ({ communities }) => communities.removeMember(reader), { prepare: says(400) }),
  rejects(
    REMOVE,
    "a reason that is not there",
    ({ communities }) => communities.removeMember({ ...reader, reason: 9 as RemovalReason }),
    { prepare: says(400) },
  ),
  rejects(
    REMOVE,
    "another reason without a note",
    ({ communities }) => communities.removeMember({ ...reader, reason: RemovalReason.OTHER }),
    { prepare: says(400) },
  ),
  rejects(
    REMOVE,
    "a note of 1001 characters",
    ({ communities }) => communities.removeMember({ ...spam, note: "x".repeat(1001) }),
    { prepare: says(400) },
  ),
  ...blogCases(REMOVE, ({ communities }, blogIdentifier) =>
    communities.removeMember({ ...spam, blogIdentifier }),
  ),

  ...(["MEMBER", "MODERATOR", "ADMIN"] as const).map((role) =>
    answers(
      ROLE,
      `role: ${role}`,
      ({ communities }) => communities.updateMemberRole({ ...reader, role: MemberRole[role] }),
      {},
      { prepare: sends([]) },
    ),
  ),
  ...communityCases(ROLE, ({ communities }, communityHandle) =>
    communities.updateMemberRole({ ...reader, communityHandle, role: MemberRole.MEMBER }),
  ),
  ...documented(
    ROLE,
    [
      [400, 0, "the last administrator, who would be none any more"],
      [403, 0, "no administrator"],
    ],
    ({ communities }) => communities.updateMemberRole({ ...reader, role: MemberRole.MEMBER }),
  ),
  rejects(ROLE, "no role", ({ communities }) => communities.updateMemberRole(reader), { prepare: says(400) }),
  rejects(
    ROLE,
    "a role that is not there",
    ({ communities }) => communities.updateMemberRole({ ...reader, role: 9 as MemberRole }),
    { prepare: says(400) },
  ),
  ...blogCases(ROLE, ({ communities }, blogIdentifier) =>
    communities.updateMemberRole({ ...gardeners, blogIdentifier, role: MemberRole.MEMBER }),
  ),
];

export const MEMBER_CASES: readonly Case[] = [...INVITATION_CASES, ...LISTING_AND_JOINING, ...REMOVING];
