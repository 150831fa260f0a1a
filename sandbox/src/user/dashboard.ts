import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { countPosts, LEGACY_TYPES, selectPosts } from "../store/posts.ts";
import { page } from "../view/access.ts";
import { offsetLinks } from "../view/links.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";

/**
 * The SQL condition for published posts on the blogs that a user follows or writes for, without other users'
 * private blogs.
 */
const ON_DASHBOARD = `state = 'published' AND blog IN (
    SELECT blog FROM follows JOIN blogs ON uuid = blog WHERE user = ? AND private = 0
    UNION SELECT blog FROM members WHERE user = ?)
  AND (? = '' OR type = ?) AND CAST(id AS INTEGER) > CAST(? AS INTEGER)`;

function withoutBlog({ blog: _, ...post }: JsonObject): JsonObject {
  return post;
}

/** Handles GET /v2/user/dashboard. Lists posts newest first. Each post has a `blog_name`, but no `blog`. */
export function dashboard(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { db } = call.world;
  const { limit, offset } = page(call);
  const type = call.query.oneOf("type", ["", ...LEGACY_TYPES], "");
  const since = call.query.id("since_id") ?? "0";
  const values = [user, user, type, type, since];
  const found = selectPosts(
    db,
    `${ON_DASHBOARD} ORDER BY timestamp DESC, id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  );
  const view = viewOf(call);
  const posts = found.map((post) => withoutBlog(postObject(post, view)));
  const total = countPosts(db, ON_DASHBOARD, ...values);
  const shown = [
    ["type", type],
    ["since_id", since === "0" ? "" : since],
  ].filter(([, value]) => value !== "");
  return envelope({ posts, ...offsetLinks(call, total, limit, offset, Object.fromEntries(shown)) });
}
