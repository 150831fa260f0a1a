import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject, rejectInWords } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { isMember, primaryBlog } from "../store/blogs.ts";
import { findPost } from "../store/posts.ts";
import { readableBlog } from "../view/access.ts";
import { pageLink } from "../view/links.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";

const MAX_OFFSET = 1000;

interface Like {
  readonly post_id: string;
  readonly timestamp: number;
}

function place(call: Call): { where: string; values: number[]; offset: number; ascending: boolean } {
  const given = ["before", "after", "offset"].filter((name) => call.query.has(name));
  if (given.length > 1) throw reject(400, `Use only one of ${given.join(", ")}`);
  const offset = call.query.integer("offset") ?? 0;
  if (offset > MAX_OFFSET) throw reject(400, `offset is at most ${MAX_OFFSET}`);
  const before = call.query.integer("before");
  const after = call.query.integer("after");
  if (before !== undefined) {
    return { where: " AND timestamp < ?", values: [before], offset: 0, ascending: false };
  }
  if (after !== undefined) {
    return { where: " AND timestamp > ?", values: [after], offset: 0, ascending: true };
  }
  return { where: "", values: [], offset, ascending: false };
}

function links(call: Call, likes: readonly Like[], limit: number, more: boolean): JsonObject {
  const first = likes[0];
  const last = likes.at(-1);
  const out: JsonObject = {};
  if (more && last) out.next = pageLink(call, { limit: String(limit), before: String(last.timestamp) });
  if (first) out.prev = pageLink(call, { limit: String(limit), after: String(first.timestamp) });
  return first ? { _links: out } : {};
}

/** Returns the requested page of a user's likes, newest first. */
export function likesPage(call: Call, user: string): HttpResponse {
  const { db } = call.world;
  const limit = call.query.integer("limit", { min: 1, clampTo: 20 }) ?? 20;
  const { where, values, offset, ascending } = place(call);
  const rows = db.all<Like>(
    `SELECT post_id, timestamp FROM likes WHERE user = ?${where}
     ORDER BY timestamp ${ascending ? "ASC" : "DESC"}, post_id LIMIT ? OFFSET ?`,
    user,
    ...values,
    limit + 1,
    offset,
  );
  const shown = rows.slice(0, limit);
  if (ascending) shown.reverse();
  const view = viewOf(call);
  const posts = shown.flatMap((like) => {
    const post = findPost(db, like.post_id);
    return post ? [{ ...postObject(post, view), liked_timestamp: like.timestamp }] : [];
  });
  const count = db.count("SELECT COUNT(*) AS n FROM likes WHERE user = ?", user);
  const more = ascending || rows.length > limit;
  return envelope({ liked_posts: posts, liked_count: count, ...links(call, shown, limit, more) });
}

/**
 * Handles GET /v2/blog/{blog-identifier}/likes. Lists the likes of the user whose primary blog this is,
 * newest first.
 */
export function blogLikes(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = readableBlog(call);
  if (!blog.shareLikes && !isMember(db, blog, call.caller.user)) throw rejectInWords(403, "Not authorized.");
  return likesPage(call, primaryBlog(db, blog.owner) === blog.uuid ? blog.owner : "");
}
