import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { randomToken } from "../entropy.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { Blog } from "../store/blogs.ts";
import {
  addMember,
  adminCount,
  ban,
  type Community,
  endInvitation,
  findInvitation,
  findMember,
  isFull,
  type Member,
  ROLES,
  removeMember,
  saveCommunity,
} from "../store/communities.ts";
import {
  isOneOf,
  isOwn,
  namedBlog,
  namesHash,
  outsider,
  removalOf,
  requireSaving,
  type Visit,
  visit,
  visitAs,
} from "./access.ts";
import { inviteLink } from "./community-object.ts";
import { communityError } from "./errors.ts";
import { useWindows } from "./rates.ts";

const HOUR = 3600;
const DAY = 86_400;
const HASH_LENGTH = 16;

/**
 * Returns how the caller may join: `invitation` or, with an invite link or if the community is open,
 * `counted`. Throws if the caller may not join.
 */
function entrance(call: Call, found: Visit): "invitation" | "counted" {
  const { community, blog, standing } = found;
  const hash = call.input.text("invite_hash");
  if (hash !== undefined && hash !== "") {
    if (!namesHash(community, hash)) throw communityError("invalidHash");
    return "counted";
  }
  if (standing === "invited") return "invitation";
  if (community.joinType === "free") return "counted";
  const gone = findInvitation(call.world.db, community, blog.uuid)?.state === "gone";
  if (community.private && !gone) throw outsider(found);
  throw communityError("invitationGone");
}

/**
 * Handles PUT /v2/communities/{community-handle}/members. The caller joins. If the caller is already a
 * member, nothing changes.
 */
export function joinCommunity(call: Call): HttpResponse {
  const found = visit(call);
  const { community, blog, standing } = found;
  const { world } = call;
  if (standing === "banned") throw outsider(found);
  if (isOneOf(standing, ROLES)) return envelope([]);
  const how = entrance(call, found);
  if (isFull(world.db, community)) throw communityError("full");
  if (how === "counted") {
    useWindows(world, `joins ${requireUser(call.caller)}`, "Too many joins", [
      { limit: world.limits.joinsPerHour, seconds: HOUR },
      { limit: world.limits.joinsPerDay, seconds: DAY },
    ]);
  }
  endInvitation(world.db, community, blog.uuid, "accepted");
  addMember(world.db, community, blog.uuid, "member", world.clock.seconds());
  return envelope([]);
}

function requireMember(call: Call, community: Community, blog: Blog): Member {
  const member = findMember(call.world.db, community, blog.uuid);
  if (!member) throw reject(404, `Not a member: ${blog.name}`);
  return member;
}

/** Throws 400 if the last admin would leave. */
function requireOtherAdmin(call: Call, community: Community, member: Member): void {
  if (member.role === "admin" && adminCount(call.world.db, community) === 1) {
    throw reject(400, "The community would have no admin left");
  }
}

/**
 * Handles DELETE /v2/communities/{community-handle}/members/{blog-identifier}. An admin may remove any
 * member; other members may remove only themselves.
 */
export function removeFromCommunity(call: Call): HttpResponse {
  const found = visit(call);
  const { community, standing } = found;
  const { db } = call.world;
  const blog = namedBlog(call);
  const own = isOwn(call, blog);
  if (standing !== "admin" && !own) {
    throw isOneOf(standing, ROLES) ? reject(403, "You may only remove your own blog") : outsider(found);
  }
  removalOf(call);
  const banned = call.input.flag("ban_user");
  requireOtherAdmin(call, community, requireMember(call, community, blog));
  removeMember(db, community, blog.uuid);
  if (banned && !own) ban(db, community, blog.uuid);
  return envelope([]);
}

/**
 * Handles PUT /v2/communities/{community-handle}/members/{blog-identifier}. Admins set the role of a member.
 */
export function setRole(call: Call): HttpResponse {
  const { community } = visitAs(call, ["admin"]);
  const given = call.input.required("role");
  const role = ROLES.find((known) => known === given);
  if (role === undefined) throw reject(400, `Invalid role: expected ${ROLES.join(", ")}, got ${given}`);
  const blog = namedBlog(call);
  const member = requireMember(call, community, blog);
  if (role !== "admin") requireOtherAdmin(call, community, member);
  call.world.db.run(
    "UPDATE community_members SET role = ? WHERE community = ? AND blog = ?",
    role,
    community.uuid,
    blog.uuid,
  );
  return envelope([]);
}

function setMute(call: Call, muted: boolean): HttpResponse {
  const { community, blog } = visitAs(call, ROLES);
  call.world.db.run(
    "UPDATE community_members SET muted = ? WHERE community = ? AND blog = ?",
    muted ? 1 : 0,
    community.uuid,
    blog.uuid,
  );
  return envelope([]);
}

/** Handles PUT /v2/communities/{community-handle}/mute. Muting only hides the number of unread posts. */
export const muteCommunity = (call: Call): HttpResponse => setMute(call, true);

/** DELETE /v2/communities/{community-handle}/mute */
export const unmuteCommunity = (call: Call): HttpResponse => setMute(call, false);

/**
 * Handles POST /v2/communities/{community-handle}/invite_hash. Creates an invite link, and invalidates the
 * previous link.
 */
export function renewInviteHash(call: Call): HttpResponse {
  const { community, standing } = visit(call);
  if (standing !== "admin") throw communityError("linkNotAllowed");
  if (!community.inviteLinks) throw communityError("linksDisabled");
  requireSaving(call);
  const renewed: Community = { ...community, inviteHash: randomToken(HASH_LENGTH) };
  saveCommunity(call.world.db, renewed);
  return envelope({ invite_link: inviteLink(renewed) });
}
