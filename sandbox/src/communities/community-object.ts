import type { Call } from "../dispatch/call.ts";
import type { JsonObject } from "../json.ts";
import { blogByUuid, SERVICE_DOMAIN } from "../store/blogs.ts";
import { type Community, findInvitation, findMember, memberCount, ROLES } from "../store/communities.ts";
import { shortBlog } from "../view/blog-object.ts";
import { viewOf } from "../view/view.ts";
import { canInvite, canView, isOneOf, type Visit } from "./access.ts";

const AVATAR_SIZES = [512, 128, 96, 64] as const;
const HEADER_SIZES = [1280, 640] as const;
const MOST_ONLINE = 3;

/** The minimum time between two changes of a handle, in seconds. */
const HANDLE_SECONDS = 7 * 86_400;

/** Returns the time at which the handle can be changed again, or `undefined` if it can be changed now. */
export function nextHandleChange(community: Community, now: number): number | undefined {
  const next = (community.handleChanged ?? Number.NEGATIVE_INFINITY) + HANDLE_SECONDS;
  return next > now ? next : undefined;
}

/** Returns the address with the invite hash, or null if invite links are disabled. */
export function inviteLink(community: Community): string | null {
  if (!community.inviteLinks || community.inviteHash === null) return null;
  return `https://${SERVICE_DOMAIN}/join/${community.inviteHash}`;
}

function image(community: Community, kind: string, width: number, height: number): JsonObject {
  return { width, height, url: `https://media.blog.example/${kind}/${community.uuid.slice(2)}_${width}.png` };
}

/** Returns the short form of a community, for lists and posts. */
export function shortCommunity(call: Call, found: Visit): JsonObject {
  const { community } = found;
  return {
    name: community.handle,
    uuid: community.uuid,
    title: community.data.title,
    member_count: memberCount(call.world.db, community),
    mention_tag: `@@${community.handle}`,
    can_view: canView(found),
    avatar_image: AVATAR_SIZES.map((size) => image(community, "communities", size, size)),
  };
}

function abilities(found: Visit): JsonObject {
  const member = isOneOf(found.standing, ROLES);
  return {
    is_member: member,
    can_view: canView(found),
    can_post: member,
    can_edit: found.standing === "admin",
    can_interact: member,
    can_invite: canInvite(found),
    can_view_comments: canView(found),
  };
}

function postCounts(call: Call, { community, blog }: Visit): JsonObject {
  const { db } = call.world;
  const sql = `SELECT COUNT(*) AS n FROM community_posts JOIN posts ON posts.id = post_id
    WHERE community = ? AND removed = 0 AND timestamp > ?`;
  const member = findMember(db, community, blog.uuid);
  const unread = member && member.muted === 0 ? db.count(sql, community.uuid, member.joined) : 0;
  return { post_count: db.count(sql, community.uuid, 0), unread_post_count: unread };
}

function invitation(call: Call, { community, blog, standing }: Visit): JsonObject {
  const found = standing === "invited" ? findInvitation(call.world.db, community, blog.uuid) : undefined;
  if (!found) return {};
  const sender = shortBlog(blogByUuid(call.world.db, found.sender), viewOf(call));
  return { invitation: { type: "direct", sender } };
}

function adminFields(call: Call, { community }: Visit): JsonObject {
  const pending = call.world.db.count(
    "SELECT COUNT(*) AS n FROM community_invitations WHERE community = ? AND state = 'pending'",
    community.uuid,
  );
  return { invite_link: inviteLink(community), pending_invitations_count: pending };
}

function editFields(call: Call, { community }: Visit): JsonObject {
  const next = nextHandleChange(community, call.world.clock.seconds());
  return {
    handle_can_change: next === undefined,
    // documented as a boolean, but a boolean only until the handle is changed for the first time
    handle_next_change_ts: next ?? false,
    can_edit_content_label: !community.labelLocked,
    settings: {
      invite_links_enabled: community.inviteLinks,
      join_type: community.joinType,
      mods_can_invite: community.modsCanInvite,
      automod_links: community.automodLinks,
    },
  };
}

/**
 * Returns the full form of a community. Admins get additional fields and, with `edit`, the editable fields as
 * well.
 */
export function fullCommunity(call: Call, found: Visit, edit: boolean): JsonObject {
  const { community, standing } = found;
  const short = shortCommunity(call, found);
  const headers = HEADER_SIZES.map((width) => ({
    type: "image/png",
    ...image(community, "community-headers", width, width / 2),
  }));
  const admin = standing === "admin";
  return {
    ...short,
    ...community.data,
    visibility: community.private ? "private" : "public",
    members_online_count: Math.min(Number(short.member_count), MOST_ONLINE),
    ...abilities(found),
    ...postCounts(call, found),
    created_ts: community.created,
    ...invitation(call, found),
    header_image: headers,
    population_cap: community.populationCap,
    join_type: community.joinType,
    ...(admin ? adminFields(call, found) : {}),
    ...(admin && edit ? editFields(call, found) : {}),
  };
}
