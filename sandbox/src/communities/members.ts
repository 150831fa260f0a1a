import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { blogByUuid } from "../store/blogs.ts";
import { type Member, membersOf, ROLES } from "../store/communities.ts";
import { blogObject, optionalFields } from "../view/blog-object.ts";
import { pageLink } from "../view/links.ts";
import { type View, viewOf } from "../view/view.ts";
import { holdsInvitation, isOneOf, outsider, type Visit, visit } from "./access.ts";

const PAGE = 20;
const FILTERS = ["all", "admin", "moderator", "following", "mutual"] as const;
type Filter = (typeof FILTERS)[number];

/**
 * Returns the members that the caller may see: all members, or admins and moderators only. Throws 403 for
 * callers who may see none.
 */
function visibleMembers(call: Call, found: Visit): Member[] {
  const { community, standing } = found;
  const all = membersOf(call.world.db, community);
  if (standing === "banned") throw outsider(found);
  const open = !community.private && community.joinType === "free";
  if (open || isOneOf(standing, ROLES) || holdsInvitation(call, found)) return all;
  if (community.private) throw outsider(found);
  return all.filter(({ role }) => role !== "member");
}

function memberItem(member: Member, view: View): JsonObject {
  const blog = blogByUuid(view.world.db, member.blog);
  const { db } = view.world;
  const follows = "SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?";
  const followed = db.count(follows, view.user ?? "", blog.uuid) > 0;
  const back = optionalFields(blog, view).is_following_you === true;
  return {
    ...blogObject(blog, view),
    joined_ts: member.joined,
    is_admin: member.role === "admin",
    is_moderator: member.role === "moderator",
    is_following_you: back,
    followed,
    is_mutual: followed && back,
  };
}

function passes(item: JsonObject, filter: Filter): boolean {
  if (filter === "admin") return item.is_admin === true;
  if (filter === "moderator") return item.is_moderator === true;
  if (filter === "following") return item.followed === true;
  return filter === "all" || item.is_mutual === true;
}

/**
 * Handles GET /v2/communities/{community-handle}/members. Lists admins and moderators first, twenty per page.
 */
export function listMembers(call: Call): HttpResponse {
  const found = visit(call);
  const page = call.query.integer("page", { min: 1 }) ?? 1;
  const filter = call.query.oneOf("filter", FILTERS, "all");
  const view = viewOf({ ...call, query: call.query.without("filter") });
  const items = visibleMembers(call, found)
    .map((member) => memberItem(member, view))
    .filter((item) => passes(item, filter));
  const members = items.slice((page - 1) * PAGE, page * PAGE);
  if (items.length <= page * PAGE) return envelope({ members });
  const hash = call.query.text("invite_hash");
  const params = { page: String(page + 1), filter, ...(hash === undefined ? {} : { invite_hash: hash }) };
  return envelope({ members, _links: { next: pageLink(call, params) } });
}
