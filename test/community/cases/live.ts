/** The sandbox's responses to each endpoint of communities, on success and with every possible error. */
import { COMMUNITIES } from "connect-rest-sandbox";
import { CommunityContext } from "../../../gen/community/v1/community_pb.ts";
import { MemberFilter, MemberRole } from "../../../gen/community/v1/member_pb.ts";
import { ModerationAction } from "../../../gen/community/v1/moderation_pb.ts";
import { RemovalReason } from "../../../gen/community/v1/removal_reason_pb.ts";
import { TimelineType } from "../../../gen/community/v1/timeline_pb.ts";
import { answers, type Case, fails, rejects } from "../../blog/case.ts";
import { type Api, all, type BlogWorld } from "../../blog/world.ts";
import { gardeners } from "../case.ts";

const books = { communityHandle: "book-club" };
const full = { communityHandle: "full-house" };
const quiet = { communityHandle: "quiet-circle" };
const sky = { communityHandle: "night-sky" };
const POSTS = COMMUNITIES.public.posts;
const postOf = (id: string) => ({ ...gardeners, postId: BigInt(id) });
const blog = (blogIdentifier: string) => ({ ...gardeners, blogIdentifier });
const spam = RemovalReason.SPAM;
const rocket = { case: "slug", value: ":rocket:" } as const;

type Call = (communities: Api["communities"]) => Promise<unknown>;
const over =
  (call: Call): Case["call"] =>
  ({ communities }) =>
    call(communities);

/** Returns a step that calls as a user other than the communities' administrator. */
function as(user: string, more: (world: BlogWorld) => unknown = () => undefined): Pick<Case, "prepare"> {
  return {
    prepare: (world) => {
      world.credentials = { oauth2: { accessToken: `${user}-user-access-token` } };
      return more(world);
    },
  };
}
const first = (call: Call): Pick<Case, "prepare"> => ({
  prepare: (world) => call(world.api("in-process").communities),
});
const limited = (limits: Partial<BlogWorld["sandbox"]["limits"]>) => (world: BlogWorld) =>
  Object.assign(world.sandbox.limits, limits);
const unsaved: Pick<Case, "prepare"> = {
  prepare: ({ sandbox }) => Object.assign(sandbox.rules, { communitySavingFails: true }),
};
const ok = (endpoint: string, name: string, call: Call, answer: unknown, options = {}) =>
  answers(endpoint, name, over(call), answer, options);
const no = (endpoint: string, name: string, call: Call, options = {}) =>
  fails(endpoint, name, over(call), options);
const bad = (endpoint: string, name: string, call: Call, options = {}) =>
  rejects(endpoint, name, over(call), options);

/** Returns cases for the three kinds of callers who may not see a community. */
function closed(endpoint: string, call: (api: Api["communities"], of: typeof gardeners) => Promise<unknown>) {
  return [
    no(endpoint, "403.23020: banned", (api) => call(api, gardeners), as("reader-02")),
    no(endpoint, "403.23001: a private community", (api) => call(api, books), as("reader-03")),
    no(endpoint, "404: no community", (api) => call(api, { communityHandle: "nobody" })),
  ];
}

const READING: Case[] = [
  ok("GET /v2/communities", "those that the user has joined", (api) => api.listCommunities({}), {
    communities: [
      { name: "book-club", memberCount: 3 },
      { name: "gardeners", memberCount: 24 },
    ],
  }),
  ok(
    "GET C",
    "as its administrator",
    (api) => api.getCommunity({ ...gardeners, context: CommunityContext.EDIT }),
    {
      community: { canEdit: true, handleCanChange: true, settings: { automodLinks: false } },
    },
  ),
  ok("GET C", "by its uuid", (api) => api.getCommunity({ communityHandle: COMMUNITIES.public.uuid }), {
    community: { name: "gardeners" },
  }),
  ...closed("GET C", (api, of) => api.getCommunity(of)),
  no(
    "GET C",
    "403.23002: not a member",
    (api) => api.getCommunity({ ...gardeners, context: CommunityContext.EDIT }),
    as("reader-03"),
  ),
  bad("GET C", "a context that is not there", (api) => api.getCommunity({ ...gardeners, context: 9 as 1 })),

  ok("PUT C", "a new title", (api) => api.updateCommunity({ ...gardeners, title: "Trees" }), {
    community: { title: "Trees" },
  }),
  no("PUT C", "400: a handle that is taken", (api) =>
    api.updateCommunity({ ...gardeners, handle: "book-club" }),
  ),
  no(
    "PUT C",
    "400: a second change of the handle in 7 days",
    (api) => api.updateCommunity({ communityHandle: "trees", handle: "forest" }),
    first((api) => api.updateCommunity({ ...gardeners, handle: "trees" })),
  ),
  no(
    "PUT C",
    "400.23025: a label of the service",
    (api) => api.updateCommunity({ ...quiet, hasContentLabel: false }),
    as("ada"),
  ),
  no("PUT C", "403: no permission", (api) => api.updateCommunity({ ...gardeners, title: "T" }), as("ada")),
  no("PUT C", "503: not saved", (api) => api.updateCommunity({ ...gardeners, title: "T" }), unsaved),
  bad("PUT C", "an empty handle", (api) => api.updateCommunity({ ...gardeners, handle: "" })),
  bad("PUT C", "a visibility that is not there", (api) =>
    api.updateCommunity({ ...gardeners, visibility: 9 as 1 }),
  ),
  bad("PUT C", "a way to join that is not there", (api) =>
    api.updateCommunity({ ...gardeners, joinType: 9 as 1 }),
  ),
  ok("PUT C/mute", "by a member", (api) => api.muteCommunity(gardeners), {}),
  no("PUT C/mute", "403.23002: no member", (api) => api.muteCommunity(gardeners), as("reader-03")),
  ok("DELETE C/mute", "by a member", (api) => api.unmuteCommunity(gardeners), {}),
  no("DELETE C/mute", "403.23002: no member", (api) => api.unmuteCommunity(gardeners), as("reader-03")),
  ...(["RECENT", "POLLS", "DISCOVER"] as const).map((type) =>
    ok(
      "GET C/timeline",
      type,
      (api) => api.listTimeline({ ...gardeners, type: TimelineType[type], npf: true }),
      { timeline: {} },
    ),
  ),
  ...closed("GET C/timeline", (api, of) => api.listTimeline(of)),
  bad("GET C/timeline", "a type that is not there", (api) =>
    api.listTimeline({ ...gardeners, type: 9 as 1 }),
  ),
];

const INVITE = "PUT C/invitations";
const INVITED = "GET C/invitations/{blog-identifier}";
const CANCEL = "DELETE C/invitations/{blog-identifier}";
const HASH = "POST C/invite_hash";
const invites = (api: Api["communities"], recipientBlog: string, of = gardeners) =>
  api.createInvitation({ ...of, recipientBlog });
const INVITING: Case[] = [
  ok(
    "GET C/invitations",
    "all of them, over two pages",
    async (api) => all(api.streamInvitations(sky)),
    {
      length: 24,
    },
    as("ada"),
  ),
  ok(
    INVITE,
    "a blog",
    (api) => api.createInvitation({ ...gardeners, recipientBlog: "reader-03", message: "Hi" }),
    {},
  ),
  no(INVITE, "403: no administrator", (api) => invites(api, "reader-03"), as("ada")),
  no(INVITE, "403.23003: a full community", (api) => invites(api, "reader-03", full), as("ada")),
  no(INVITE, "403.23008: banned", (api) => invites(api, "reader-02")),
  no(
    INVITE,
    "403.23008: declined for good",
    (api) => invites(api, "reader-01"),
    first((api) => api.deleteInvitation({ ...blog("reader-01"), doNotInvite: true })),
  ),
  no(INVITE, "403.23009: a member", (api) => invites(api, "grace")),
  no(INVITE, "403.23011: invited already", (api) => invites(api, "reader-01")),
  no(INVITE, "404: no such blog", (api) => invites(api, "nobody")),
  no(INVITE, "429: two in a second", (api) => invites(api, "reader-03", books), {
    prepare: limited({ invitationsPerSecond: 0 }),
  }),
  bad(INVITE, "400: no recipient", (api) => invites(api, "")),
  bad(INVITE, "400.5041: a message that is too long", (api) =>
    api.createInvitation({ ...gardeners, recipientBlog: "reader-03", message: "x".repeat(101) }),
  ),
  ok(INVITED, "one's own", (api) => api.getInvitation({ ...sky, blogIdentifier: "demo" }), {
    invitation: { sender: { name: "ada" } },
  }),
  no(INVITED, "404: none", (api) => api.getInvitation(blog("reader-03"))),
  ok(CANCEL, "as its recipient", (api) => api.deleteInvitation({ ...sky, blogIdentifier: "demo" }), {}),
  no(CANCEL, "404: none", (api) => api.deleteInvitation(blog("reader-03"))),
  ok(HASH, "a new link", (api) => api.regenerateInviteLink(gardeners), {}),
  no(HASH, "403.23012: no administrator", (api) => api.regenerateInviteLink(gardeners), as("ada")),
  no(HASH, "403.23017: no links", (api) => api.regenerateInviteLink(quiet), as("ada")),
];

const MEMBERS = "GET C/members";
const JOIN = "PUT C/members";
const REMOVE = "DELETE C/members/{blog-identifier}";
const ROLE = "PUT C/members/{blog-identifier}";
const other = { ...blog("grace"), reason: RemovalReason.OTHER };
const JOINING: Case[] = [
  ok(MEMBERS, "all of them, over two pages", async (api) => all(api.streamMembers(gardeners)), {
    length: 24,
  }),
  ok(MEMBERS, "administrators", (api) => api.listMembers({ ...gardeners, filter: MemberFilter.ADMIN }), {
    members: [{ identity: { value: { name: "demo" } }, isAdmin: true }],
  }),
  ok(
    MEMBERS,
    "for outsiders its administrators and moderators",
    (api) => api.listMembers(quiet),
    { members: [{ isAdmin: true }, { isModerator: true }] },
    as("reader-03"),
  ),
  ...closed(MEMBERS, (api, of) => api.listMembers(of)),
  bad(MEMBERS, "page: 0", (api) => api.listMembers({ ...gardeners, page: 0 })),
  bad(MEMBERS, "a filter that is not there", (api) => api.listMembers({ ...gardeners, filter: 9 as 1 })),
  ok(JOIN, "a free one", (api) => api.joinCommunity(gardeners), {}, as("reader-03")),
  ok(
    JOIN,
    "by a link",
    (api) => api.joinCommunity({ ...books, inviteHash: COMMUNITIES.private.hash }),
    {},
    as("reader-03"),
  ),
  ok(JOIN, "by an invitation", (api) => api.joinCommunity(sky), {}),
  ...closed(JOIN, (api, of) => api.joinCommunity(of)),
  no(JOIN, "403.23003: a full community", (api) => api.joinCommunity(full), as("reader-01")),
  no(JOIN, "403.23015: declined", (api) => api.joinCommunity(books), as("reader-05")),
  no(
    JOIN,
    "400.23014: no hash",
    (api) => api.joinCommunity({ ...books, inviteHash: "none" }),
    as("reader-03"),
  ),
  no(
    JOIN,
    "429: too many",
    (api) => api.joinCommunity(gardeners),
    as("reader-03", limited({ joinsPerHour: 0 })),
  ),
  ok(
    REMOVE,
    "a member, for good",
    (api) => api.removeMember({ ...blog("grace"), reason: spam, banUser: true }),
    {},
  ),
  ok(REMOVE, "oneself", (api) => api.removeMember({ ...blog("grace"), reason: spam }), {}, as("grace")),
  no(REMOVE, "400: oneself as the last administrator", (api) =>
    api.removeMember({ ...blog("demo"), reason: spam }),
  ),
  no(REMOVE, "403: somebody else", (api) => api.removeMember({ ...blog("grace"), reason: spam }), as("ada")),
  bad(REMOVE, "400: no reason", (api) => api.removeMember(blog("grace"))),
  bad(REMOVE, "400: another reason without a note", (api) => api.removeMember(other)),
  bad(REMOVE, "400: a note that is too long", (api) =>
    api.removeMember({ ...other, note: "x".repeat(1001) }),
  ),
  ok(
    ROLE,
    "a moderator",
    (api) => api.updateMemberRole({ ...blog("grace"), role: MemberRole.MODERATOR }),
    {},
  ),
  no(ROLE, "400: oneself as the last administrator", (api) =>
    api.updateMemberRole({ ...blog("demo"), role: MemberRole.MEMBER }),
  ),
  no(
    ROLE,
    "403: no administrator",
    (api) => api.updateMemberRole({ ...blog("grace"), role: MemberRole.ADMIN }),
    as("ada"),
  ),
  bad(ROLE, "400: a role that is not there", (api) =>
    api.updateMemberRole({ ...blog("grace"), role: 9 as 1 }),
  ),
  bad(ROLE, "400: no role", (api) => api.updateMemberRole(blog("grace"))),
];

const REACT = "PUT C/posts/{post-id}/reactions";
const UNREACT = "DELETE C/posts/{post-id}/reactions/{reaction-id}";
const LOOK = "GET C/moderation/posts/{post-id}";
const TAKE = "DELETE C/moderation/posts/{post-id}";
const RESTORE = "PUT C/moderation/posts/{post-id}";
const visible = postOf(POSTS.byAdmin);
const REACTING: Case[] = [
  ok(REACT, "by slug", (api) => api.addReaction({ ...visible, emoji: rocket }), {}),
  ok(
    REACT,
    "the first one, by grapheme",
    (api) => api.addReaction({ ...visible, emoji: { case: "grapheme", value: "👍🏽" } }),
    { timeline: { elements: [{ objectType: "banner" }] } },
    as("reader-04"),
  ),
  no(REACT, "400: an unknown reaction", (api) =>
    api.addReaction({ ...visible, emoji: { case: "slug", value: ":none:" } }),
  ),
  no(REACT, "400.22001: a post that has all", (api) => api.addReaction({ ...visible, emoji: rocket }), {
    prepare: limited({ reactionsPerPost: 0 }),
  }),
  no(REACT, "400.22002: a user who has given all", (api) => api.addReaction({ ...visible, emoji: rocket }), {
    prepare: limited({ reactionsPerUser: 0 }),
  }),
  no(REACT, "403.23002: no member", (api) => api.addReaction({ ...visible, emoji: rocket }), as("reader-03")),
  bad(REACT, "400: no emoji", (api) => api.addReaction(visible)),
  ok(UNREACT, "by grapheme", (api) => api.removeReaction({ ...visible, reactionId: "❤️" }), {}),
  ok(UNREACT, "by id", (api) => api.removeReaction({ ...visible, reactionId: "emoji-05" }), {}),
  no(
    UNREACT,
    "403.23002: no member",
    (api) => api.removeReaction({ ...visible, reactionId: "emoji-05" }),
    as("reader-03"),
  ),
  ok(LOOK, "as a moderator", (api) => api.getModeratedPost(postOf(POSTS.removed)), {
    moderatedPost: { action: ModerationAction.MODERATE_POST, reason: spam, moderator: { name: "ada" } },
  }),
  ok(
    LOOK,
    "as the author",
    (api) => api.getModeratedPost(postOf(POSTS.removed)),
    {
      moderatedPost: { note: "Advertises a shop" },
    },
    as("grace"),
  ),
  no(LOOK, "403: neither", (api) => api.getModeratedPost(postOf(POSTS.removed)), as("reader-04")),
  no(LOOK, "404: a post that was never moderated", (api) => api.getModeratedPost(visible)),
  no(LOOK, "404.24005: no such post", (api) => api.getModeratedPost(postOf("1"))),
  ok(TAKE, "a post", (api) => api.removePost({ ...visible, reason: spam }), {}),
  no(TAKE, "403: no moderator", (api) => api.removePost({ ...visible, reason: spam }), as("grace")),
  no(TAKE, "404.24005: a deleted post", (api) => api.removePost({ ...postOf(POSTS.deleted), reason: spam })),
  no(TAKE, "409.24006: removed", (api) => api.removePost({ ...postOf(POSTS.removed), reason: spam })),
  bad(TAKE, "400: no reason", (api) => api.removePost(visible)),
  bad(TAKE, "400: another reason without a note", (api) =>
    api.removePost({ ...visible, reason: RemovalReason.OTHER }),
  ),
  ok(RESTORE, "a post", (api) => api.restorePost({ ...postOf(POSTS.removed), note: "n" }), {}),
  no(RESTORE, "403: no moderator", (api) => api.restorePost({ ...visible, note: "n" }), as("grace")),
  no(RESTORE, "404.24005: a deleted post", (api) => api.restorePost({ ...postOf(POSTS.deleted), note: "n" })),
  no(RESTORE, "409.24007: restored", (api) => api.restorePost({ ...postOf(POSTS.restored), note: "n" })),
  no(RESTORE, "503: not saved", (api) => api.restorePost({ ...postOf(POSTS.removed), note: "n" }), unsaved),
  bad(RESTORE, "400: no note", (api) => api.restorePost(visible)),
];

export const LIVE_COMMUNITY_CASES: readonly Case[] = [...READING, ...INVITING, ...JOINING, ...REACTING];
