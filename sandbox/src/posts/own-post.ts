import type { Call } from "../dispatch/call.ts";
import { refuse } from "../http/response.ts";
import type { Blog } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";
import { ownBlog } from "../view/access.ts";

/** A post of the path's blog, for the blog's members: 404 when it does not exist there. */
export function ownPost(call: Call, id: string | undefined): { blog: Blog; post: Post } {
  const blog = ownBlog(call);
  if (id === undefined || id === "") throw refuse(400, "Missing required parameter: id");
  const post = findPost(call.world.db, id);
  if (post?.blog !== blog.uuid) throw refuse(404, `Post not found: ${id}`);
  return { blog, post };
}
