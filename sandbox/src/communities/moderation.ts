import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, noContent, reject } from "../http/response.ts";
import { blogByUuid } from "../store/blogs.ts";
import { ROLES } from "../store/communities.ts";
import { findPost, type Post } from "../store/posts.ts";
import { shortBlog } from "../view/blog-object.ts";
import { viewOf } from "../view/view.ts";
import {
  isOneOf,
  noteOf,
  outsider,
  removalOf,
  requireSaving,
  STAFF,
  type Visit,
  visit,
  visitAs,
} from "./access.ts";
import { communityPostObject, requirePost } from "./community-post.ts";
import { communityError } from "./errors.ts";

interface ModerationRow {
  readonly action: string;
  readonly reason: string | null;
  readonly note: string;
  readonly ts: number;
  readonly moderator: string;
}

/**
 * Reports whether the caller wrote the post, as a current or former member. Returns false for banned users.
 */
function isAuthor(call: Call, { blog, standing }: Visit): boolean {
  return standing !== "banned" && findPost(call.world.db, call.path.post ?? "")?.blog === blog.uuid;
}

/**
 * Handles GET /v2/communities/{community-handle}/moderation/posts/{post-id}, for moderators and the author of
 * the post.
 */
export function getModeration(call: Call): HttpResponse {
  const found = visit(call);
  const { community, blog, standing } = found;
  const { db } = call.world;
  if (!isOneOf(standing, ROLES) && !isAuthor(call, found)) throw outsider(found);
  const { post } = requirePost(call, community);
  const staff = isOneOf(standing, STAFF);
  if (!staff && post.blog !== blog.uuid) throw reject(403, "Only moderators and the author see this");
  const row = db.get<ModerationRow>(
    "SELECT * FROM community_moderation WHERE post_id = ? ORDER BY seq DESC LIMIT 1",
    post.id,
  );
  if (!row) throw reject(404, "The post was never moderated");
  return envelope({
    action: row.action,
    ...(row.reason === null ? {} : { reason: row.reason }),
    note: row.note,
    ts: row.ts,
    post: communityPostObject(call, found, post),
    ...(staff ? { moderator: shortBlog(blogByUuid(db, row.moderator), viewOf(call)) } : {}),
  });
}

function record(call: Call, { blog }: Visit, post: Post, entry: { reason?: string; note: string }): void {
  const { db, clock } = call.world;
  const removed = entry.reason !== undefined;
  db.run("UPDATE community_posts SET removed = ? WHERE post_id = ?", removed ? 1 : 0, post.id);
  db.insert("community_moderation", {
    post_id: post.id,
    action: removed ? "moderate_post" : "restore_post",
    reason: entry.reason,
    note: entry.note,
    ts: clock.seconds(),
    moderator: blog.uuid,
  });
}

/** Handles DELETE /v2/communities/{community-handle}/moderation/posts/{post-id}. Moderators remove a post. */
export function moderatePost(call: Call): HttpResponse {
  const found = visitAs(call, STAFF);
  const entry = removalOf(call);
  const { post, removed } = requirePost(call, found.community);
  if (removed) throw communityError("alreadyRemoved");
  requireSaving(call);
  record(call, found, post, entry);
  return noContent();
}

/** Handles PUT /v2/communities/{community-handle}/moderation/posts/{post-id}. Moderators restore a post. */
export function restorePost(call: Call): HttpResponse {
  const found = visitAs(call, STAFF);
  const note = noteOf(call, true);
  const { post, removed } = requirePost(call, found.community);
  if (!removed) throw communityError("alreadyRestored");
  requireSaving(call);
  record(call, found, post, { note });
  return noContent();
}
