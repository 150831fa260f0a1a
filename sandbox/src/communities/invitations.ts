import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type Blog, blogByUuid, primaryBlog, requireBlog } from "../store/blogs.ts";
import {
  addInvitation,
  type Community,
  endInvitation,
  findInvitation,
  findMember,
  type Invitation,
  isBanned,
  isFull,
  isInvited,
  ROLES,
} from "../store/communities.ts";
import { shortBlog } from "../view/blog-object.ts";
import { pageLink } from "../view/links.ts";
import { viewOf } from "../view/view.ts";
import {
  canInvite,
  isOneOf,
  isOwn,
  namedBlog,
  outsider,
  STAFF,
  type Visit,
  visit,
  visitAs,
} from "./access.ts";
import { communityError } from "./errors.ts";
import { useWindows } from "./rates.ts";

const PAGE = 20;
const MESSAGE_CHARACTERS = 100;
const DAY = 86_400;

/** Returns the community if the caller may invite. Throws 403 otherwise. */
function inviting(call: Call): Visit {
  const found = visitAs(call, STAFF);
  if (canInvite(found)) return found;
  throw reject(403, "Only admins invite to this community");
}

/**
 * Handles GET /v2/communities/{community-handle}/invitations. Lists pending invitations newest first, twenty
 * per page.
 */
export function listInvitations(call: Call): HttpResponse {
  const { community } = inviting(call);
  const { db } = call.world;
  const before = call.query.integer("before") ?? Number.MAX_SAFE_INTEGER;
  const rows = db.all<Invitation>(
    `SELECT * FROM community_invitations WHERE community = ? AND state = 'pending' AND sent_on < ?
     ORDER BY sent_on DESC LIMIT ?`,
    community.uuid,
    before,
    PAGE + 1,
  );
  const view = viewOf(call);
  const shown = rows.slice(0, PAGE);
  const invitations = shown.map((row) => ({
    sender: shortBlog(blogByUuid(db, row.sender), view),
    recipient: shortBlog(blogByUuid(db, row.recipient), view),
    sent_on: row.sent_on,
  }));
  const last = shown.at(-1);
  if (rows.length <= PAGE || !last) return envelope({ invitations });
  return envelope({ invitations, _links: { next: pageLink(call, { before: String(last.sent_on) }) } });
}

/** Returns the message of an invitation. Throws 5041 above 100 characters. */
function messageOf(call: Call): string {
  const message = call.input.text("message") ?? "";
  if ([...message].length > MESSAGE_CHARACTERS) throw communityError("messageTooLong");
  return message;
}

/** Throws 23008, 23009 or 23011 for a blog that cannot be invited, and 23003 if the community is full. */
function checkRecipient(call: Call, community: Community, recipient: Blog): void {
  const { db } = call.world;
  const primary = primaryBlog(db, recipient.owner);
  const rejected = findInvitation(db, community, recipient.uuid)?.blocked === 1;
  if (primary !== recipient.uuid || rejected || isBanned(db, community, primary)) {
    throw communityError("cannotJoin");
  }
  if (findMember(db, community, recipient.uuid)) throw communityError("alreadyMember");
  if (isInvited(db, community, recipient.uuid)) throw communityError("alreadyInvited");
  if (isFull(db, community)) throw communityError("full");
}

/**
 * Handles PUT /v2/communities/{community-handle}/invitations. The limits per second and per day apply to all
 * communities together.
 */
export function invite(call: Call): HttpResponse {
  const { community, blog } = inviting(call);
  const { world } = call;
  const identifier = call.input.required("recipient_blog");
  const message = messageOf(call);
  const recipient = requireBlog(world.db, identifier);
  checkRecipient(call, community, recipient);
  useWindows(world, `invitations ${requireUser(call.caller)}`, "Too many invitations", [
    { limit: world.limits.invitationsPerSecond, seconds: 1 },
    { limit: world.limits.invitationsPerDay, seconds: DAY },
  ]);
  const sentOn = world.clock.seconds();
  addInvitation(world.db, community, { sender: blog.uuid, recipient: recipient.uuid, message, sentOn });
  return envelope([]);
}

/**
 * Returns the pending invitation that the path names. Throws 403 unless the caller may invite, is an admin,
 * or is the recipient, and 404 if there is no invitation.
 */
function pending(
  call: Call,
  allowed: (found: Visit) => boolean,
): { community: Community; invitation: Invitation } {
  const found = visit(call);
  const recipient = namedBlog(call);
  if (!allowed(found) && !isOwn(call, recipient)) {
    throw isOneOf(found.standing, ROLES) ? reject(403, "The invitation is not yours") : outsider(found);
  }
  const invitation = findInvitation(call.world.db, found.community, recipient.uuid);
  if (invitation?.state !== "pending") throw reject(404, `No invitation for ${recipient.name}`);
  return { community: found.community, invitation };
}

/** GET /v2/communities/{community-handle}/invitations/{blog-identifier} */
export function getInvitation(call: Call): HttpResponse {
  const { invitation } = pending(call, canInvite);
  return envelope({ sender: shortBlog(blogByUuid(call.world.db, invitation.sender), viewOf(call)) });
}

/**
 * Handles DELETE /v2/communities/{community-handle}/invitations/{blog-identifier}. An admin cancels the
 * invitation, or the recipient declines it.
 */
export function deleteInvitation(call: Call): HttpResponse {
  const doNotInvite = call.input.flag("do_not_invite");
  const { community, invitation } = pending(call, ({ standing }) => standing === "admin");
  endInvitation(call.world.db, community, invitation.recipient, "gone", doNotInvite);
  return envelope([]);
}
