import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import { type Blog, isAdmin, isMember, requireBlog } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";

/**
 * Returns the blog that the path names, for reading. Throws 404 if it is unknown, and 403 if it is private
 * and the caller is not a member.
 */
export function readableBlog(call: Call): Blog {
  const blog = requireBlog(call.world.db, call.path.blog ?? "");
  if (blog.private && !isMember(call.world.db, blog, call.caller.user)) {
    throw reject(403, "You are not allowed to access this blog");
  }
  return blog;
}

/** Returns the blog that the path names, if the caller is a member. Throws 403 otherwise. */
export function ownBlog(call: Call): Blog {
  const blog = requireBlog(call.world.db, call.path.blog ?? "");
  if (!isMember(call.world.db, blog, requireUser(call.caller))) {
    throw reject(403, "You are not a member of this blog");
  }
  return blog;
}

/** Returns the blog that the path names, if the caller is an admin. */
export function administeredBlog(call: Call): Blog {
  const blog = requireBlog(call.world.db, call.path.blog ?? "");
  if (!isAdmin(call.world.db, blog, requireUser(call.caller))) {
    throw reject(403, "You are not an admin of this blog");
  }
  return blog;
}

/**
 * Returns a post on the blog that the path names, if the caller is a member of the blog. Throws 404 if the
 * post does not exist there.
 */
export function ownPost(call: Call, id: string | undefined): { blog: Blog; post: Post } {
  const blog = ownBlog(call);
  if (id === undefined || id === "") throw reject(400, "Missing required parameter: id");
  const post = findPost(call.world.db, id);
  if (post?.blog !== blog.uuid) throw reject(404, `Post not found: ${id}`);
  return { blog, post };
}

/** Returns the `limit` and the `offset` of a list. The limit is at least 1, and clamped to 20. */
export function page(call: Call): { limit: number; offset: number } {
  return {
    limit: call.query.integer("limit", { min: 1, clampTo: 20 }) ?? 20,
    offset: call.query.integer("offset") ?? 0,
  };
}
