import type { Client } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { CommunityContext, CommunityService } from "../../gen/community/v1/community_pb.ts";
import { CommunityVisibility } from "../../gen/community/v1/community_resource_pb.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { MemberFilter, MemberRole } from "../../gen/community/v1/member_pb.ts";
import { RemovalReason } from "../../gen/community/v1/removal_reason_pb.ts";
import { TimelineType } from "../../gen/community/v1/timeline_pb.ts";
import { serverOf } from "../blog/variants/variant.ts";
import { CHANGES } from "./cases/communities.ts";

const c = { communityHandle: "gardeners" };
const reader = { ...c, blogIdentifier: "reader-01" };
const post = { ...c, postId: 700000000000000123n };
const C = "/v2/communities/gardeners";

const ROWS: ReadonlyArray<
  readonly [line: string, call: (api: Client<typeof CommunityService>) => Promise<unknown>, body?: string]
> = [
  ["GET /v2/communities?fields%5Bblogs%5D=name", (api) => api.listCommunities({ blogFields: ["name"] })],
  ["GET /v2/communities/t%3AGardeners", (api) => api.getCommunity({ communityHandle: "t:Gardeners" })],
  [`GET ${C}?context=edit`, (api) => api.getCommunity({ ...c, context: CommunityContext.EDIT })],
  [
    `PUT ${C}`,
    (api) => api.updateCommunity({ ...c, ...CHANGES }),
    '{"title":"Growers","description":"D","handle":"growers","privacy":1,"tags":["garden","grow"],"about":"A","guidelines":["Be kind"],"invite_links_enabled":true,"join_type":"invite","mods_can_invite":false,"has_content_label":true,"content_label_categories":["sexual_themes","violence","drug_use"],"automod_links":true}',
  ],
  [`PUT ${C}`, (api) => api.updateCommunity(c), "{}"],
  [
    `PUT ${C}`,
    (api) =>
      api.updateCommunity({
        ...c,
        visibility: CommunityVisibility.PUBLIC,
        about: "",
        tags: {},
        guidelines: {},
      }),
    '{"privacy":0,"tags":[],"about":"","guidelines":[]}',
  ],
  [
    `GET ${C}/invitations?before=1761998401`,
    (api) => api.listInvitations({ ...c, before: { seconds: 1_761_998_400n, nanos: 1 } }),
  ],
  [
    `PUT ${C}/invitations`,
    (api) => api.createInvitation({ ...c, recipientBlog: "t:Reader", message: "Hi" }),
    '{"recipient_blog":"t:Reader","message":"Hi"}',
  ],
  [`GET ${C}/invitations/reader-01`, (api) => api.getInvitation(reader)],
  [`DELETE ${C}/invitations/reader-01`, (api) => api.deleteInvitation(reader)],
  [
    `DELETE ${C}/invitations/reader-01?do_not_invite=true`,
    (api) => api.deleteInvitation({ ...reader, doNotInvite: true }),
  ],
  [`POST ${C}/invite_hash`, (api) => api.regenerateInviteLink(c), "{}"],
  [`GET ${C}/members`, (api) => api.listMembers(c)],
  [
    `GET ${C}/members?filter=mutual&page=2`,
    (api) => api.listMembers({ ...c, page: 2, filter: MemberFilter.MUTUAL }),
  ],
  [`PUT ${C}/members`, (api) => api.joinCommunity(c), "{}"],
  [`PUT ${C}/members`, (api) => api.joinCommunity({ ...c, inviteHash: "h4sh" }), '{"invite_hash":"h4sh"}'],
  [
    `DELETE ${C}/members/reader-01?reason=off_topic`,
    (api) => api.removeMember({ ...reader, reason: RemovalReason.OFF_TOPIC }),
  ],
  [
    `DELETE ${C}/members/reader-01?reason=other&note=n%20n&ban_user=true`,
    (api) => api.removeMember({ ...reader, reason: RemovalReason.OTHER, note: "n n", banUser: true }),
  ],
  [
    `PUT ${C}/members/reader-01`,
    (api) => api.updateMemberRole({ ...reader, role: MemberRole.MODERATOR }),
    '{"role":"moderator"}',
  ],
  [`PUT ${C}/mute`, (api) => api.muteCommunity(c), "{}"],
  [`DELETE ${C}/mute`, (api) => api.unmuteCommunity(c)],
  [
    `PUT ${C}/posts/700000000000000123/reactions`,
    (api) => api.addReaction({ ...post, emoji: { case: "slug", value: ":thumbs_up:" } }),
    '{"slug":":thumbs_up:"}',
  ],
  [
    `PUT ${C}/posts/700000000000000123/reactions`,
    (api) => api.addReaction({ ...post, emoji: { case: "grapheme", value: "👍🏽" } }),
    '{"grapheme":"👍🏽"}',
  ],
  [
    `DELETE ${C}/posts/700000000000000123/reactions/%F0%9F%91%8D`,
    (api) => api.removeReaction({ ...post, reactionId: "👍" }),
  ],
  [
    `GET ${C}/moderation/posts/700000000000000123?npf=true`,
    (api) => api.getModeratedPost({ ...post, npf: true }),
  ],
  [
    `DELETE ${C}/moderation/posts/700000000000000123?reason=service_guidelines&note=n`,
    (api) => api.removePost({ ...post, reason: RemovalReason.SERVICE_GUIDELINES, note: "n" }),
  ],
  [
    `PUT ${C}/moderation/posts/700000000000000123`,
    (api) => api.restorePost({ ...post, note: "n" }),
    '{"note":"n"}',
  ],
  [
    `GET ${C}/timeline?type=discover&npf=true&fields%5Bblogs%5D=name`,
    (api) => api.listTimeline({ ...c, type: TimelineType.DISCOVER, npf: true, blogFields: ["name"] }),
  ],
];

test.each(ROWS.map(([line, call, body = ""]) => ({ line, call, body })))(
  "$line",
  async ({ line, call, body }) => {
    const { api, seen } = await serverOf(CommunityService, CommunityServiceRest, {});
    await call(api);
    expect(seen.map((each) => [each.line, each.text])).toEqual([[line, body]]);
  },
);
