import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, rejectInWords } from "../http/response.ts";
import { blogByUuid, blogsByUuid, blogUrl, isMember, primaryBlog, requireBlog } from "../store/blogs.ts";
import { ownBlog, page, readableBlog } from "../view/access.ts";
import { shortBlog } from "../view/blog-object.ts";
import { offsetLinks } from "../view/links.ts";
import { viewOf } from "../view/view.ts";

/** Returns the requested page of the blogs that a user follows, most recently followed first. */
export function followingPage(call: Call, user: string): HttpResponse {
  const { db } = call.world;
  const { limit, offset } = page(call);
  const total = db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ?", user);
  const rows = db.all<{ blog: string }>(
    "SELECT blog FROM follows WHERE user = ? ORDER BY timestamp DESC, blog LIMIT ? OFFSET ?",
    user,
    limit,
    offset,
  );
  const view = viewOf(call);
  const followed = blogsByUuid(
    db,
    rows.map((row) => row.blog),
  );
  return envelope({
    blogs: followed.map((item) => shortBlog(item, view)),
    total_blogs: total,
    ...offsetLinks(call, total, limit, offset),
  });
}

/**
 * Handles GET /v2/blog/{blog-identifier}/following. Lists the blogs that the user of the blog follows, most
 * recently followed first.
 */
export function following(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = readableBlog(call);
  if (!blog.shareFollowing && !isMember(db, blog, call.caller.user)) {
    throw rejectInWords(403, "Not authorized.");
  }
  return followingPage(call, primaryBlog(db, blog.owner) === blog.uuid ? blog.owner : "");
}

/**
 * Handles GET /v2/blog/{blog-identifier}/followers, which only members may request. The list and its total
 * are inside `users`.
 */
export function followers(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = ownBlog(call);
  const { limit, offset } = page(call);
  const total = db.count("SELECT COUNT(*) AS n FROM follows WHERE blog = ?", blog.uuid);
  const rows = db.all<{ user: string }>(
    "SELECT user FROM follows WHERE blog = ? ORDER BY timestamp DESC, user LIMIT ? OFFSET ?",
    blog.uuid,
    limit,
    offset,
  );
  const users = rows.map(({ user }) => {
    const primary = blogByUuid(db, primaryBlog(db, user));
    const mine = "SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?";
    return {
      name: primary.name,
      following: db.count(mine, call.caller.user ?? "", primary.uuid) > 0,
      url: blogUrl(primary),
      updated: primary.updated,
    };
  });
  return envelope({ users: { total_users: total, users }, ...offsetLinks(call, total, limit, offset) });
}

/**
 * Handles GET /v2/blog/{blog-identifier}/followed_by. Responds with whether the user of another blog follows
 * this blog.
 */
export function followedBy(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = ownBlog(call);
  const other = requireBlog(db, call.query.required("query"));
  const count = db.count(
    "SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?",
    other.owner,
    blog.uuid,
  );
  return envelope({ followed_by: count > 0 });
}
