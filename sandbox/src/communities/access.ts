import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import { type Blog, blogByUuid, primaryBlog, requireBlog } from "../store/blogs.ts";
import {
  type Community,
  findCommunity,
  isInvited,
  ROLES,
  type Role,
  type Standing,
  standingOf,
} from "../store/communities.ts";
import { communityError } from "./errors.ts";

/** A community, and the caller's standing in it. */
export interface Visit {
  readonly community: Community;
  /** The caller's primary blog, which represents the user in communities. */
  readonly blog: Blog;
  readonly standing: Standing;
}

export const STAFF: readonly Role[] = ["moderator", "admin"];

export function isOneOf(standing: Standing, roles: readonly Role[]): boolean {
  return roles.some((role) => role === standing);
}

/** Returns the community that the path names, for any caller. Throws 404 if it is unknown. */
export function visit(call: Call): Visit {
  const { db } = call.world;
  const handle = call.path.community ?? "";
  const community = findCommunity(db, handle);
  if (!community) throw reject(404, `Community not found: ${handle}`);
  const blog = blogByUuid(db, primaryBlog(db, requireUser(call.caller)));
  return { community, blog, standing: standingOf(db, community, blog.uuid) };
}

/**
 * Returns the 403 for a caller without a role: a banned user, or a user who is not in a private or
 * members-only community.
 */
export function outsider({ community, standing }: Visit): Error {
  if (standing === "banned") return communityError("banned");
  return communityError(community.private ? "privateCommunity" : "membersOnly");
}

/** Returns the community if the caller has one of these roles. Throws 403 otherwise. */
export function visitAs(call: Call, roles: readonly Role[]): Visit {
  const found = visit(call);
  if (isOneOf(found.standing, roles)) return found;
  if (!isOneOf(found.standing, ROLES)) throw outsider(found);
  throw reject(403, `This takes the role ${roles.join(" or ")}`);
}

/**
 * Reports whether the caller may read the posts of a community. Everybody except banned users may read a
 * public community.
 */
export function canView({ community, standing }: Visit): boolean {
  if (standing === "banned") return false;
  return !community.private || isOneOf(standing, ROLES);
}

/** Reports whether the caller may invite others. Admins may, and moderators may if the settings allow it. */
export function canInvite({ community, standing }: Visit): boolean {
  return standing === "admin" || (standing === "moderator" && community.modsCanInvite);
}

/** Returns the blog that the path names in addition to the community. Throws 404 if it is unknown. */
export function namedBlog(call: Call): Blog {
  return requireBlog(call.world.db, call.path.blog ?? "");
}

/** Reports whether a blog belongs to the caller. */
export function isOwn(call: Call, blog: Blog): boolean {
  return blog.owner === requireUser(call.caller);
}

/** Reports whether the caller has an invitation, or sends the invite hash of the community. */
export function holdsInvitation(call: Call, { community, blog }: Visit): boolean {
  return (
    isInvited(call.world.db, community, blog.uuid) || namesHash(community, call.query.text("invite_hash"))
  );
}

/** Reports whether a hash is the current invite hash of the community, and invite links are enabled. */
export function namesHash(community: Community, hash: string | undefined): boolean {
  return community.inviteLinks && community.inviteHash !== null && community.inviteHash === hash;
}

/** Throws 503 while saving is disabled. */
export function requireSaving(call: Call): void {
  if (call.world.rules.communitySavingFails) throw reject(503, "The community could not be saved");
}

/** Valid reasons to remove a member or a post. */
const REASONS = [
  "community_guidelines",
  "off_topic",
  "spam",
  "inappropriate_behavior",
  "service_guidelines",
  "other",
] as const;
const NOTE_CHARACTERS = 1000;

/**
 * Returns `note`, which has at most 1,000 characters. Throws 400 if it is longer, or if it is required and
 * missing.
 */
export function noteOf(call: Call, required: boolean): string {
  const note = call.input.text("note") ?? "";
  if (required && note.trim() === "") throw reject(400, "Missing required parameter: note");
  if ([...note].length > NOTE_CHARACTERS) {
    throw reject(400, `note is longer than ${NOTE_CHARACTERS} characters`);
  }
  return note;
}

/**
 * Returns the `reason` and the `note` of a removal. Throws 400 for an unknown reason, and if the reason
 * `other` has no note.
 */
export function removalOf(call: Call): { reason: string; note: string } {
  const given = call.input.required("reason");
  const reason = REASONS.find((known) => known === given);
  if (reason === undefined) throw reject(400, `Invalid reason: ${given}`);
  return { reason, note: noteOf(call, reason === "other") };
}
