import { requireUser } from "../auth/caller.ts";
import { likesPage } from "../blog/likes.ts";
import { notify } from "../blog/notifications.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { blogByUuid, isMember, primaryBlog } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";
import { untilTomorrow, usedToday, useToday } from "../usage.ts";
import { addNote } from "../view/note-object.ts";

/** Handles GET /v2/user/likes. Lists likes newest first, by `offset` (at most 1000), `before` or `after`. */
export function userLikes(call: Call): HttpResponse {
  return likesPage(call, requireUser(call.caller));
}

/**
 * Returns the post with `id` and `reblog_key`. Throws 400 if one of them is missing, and 404 if they match no
 * post that the caller can see.
 */
function likable(call: Call): Post {
  const { db } = call.world;
  const id = call.input.id("id") ?? call.input.required("id");
  const key = call.input.required("reblog_key");
  const post = findPost(db, id);
  const blog = post && blogByUuid(db, post.blog);
  const member = blog && isMember(db, blog, requireUser(call.caller));
  const visible = post?.state === "published" && (!blog?.private || member);
  if (!post || !visible || post.reblogKey !== key) throw reject(404, `Post not found: ${id}`);
  return post;
}

/**
 * Handles POST /v2/user/like. Has no effect if the post is already liked. Throws 429 above the daily limit.
 */
export function like(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { world } = call;
  const post = likable(call);
  const added = world.db.run(
    "INSERT OR IGNORE INTO likes (user, post_id, timestamp) VALUES (?, ?, ?)",
    user,
    post.id,
    world.clock.seconds(),
  );
  if (added === 0) return envelope([]);
  if (usedToday(world, user, "likes") >= world.limits.likesPerDay) {
    throw reject(429, "Daily like limit reached", 0, untilTomorrow(world));
  }
  useToday(world, user, "likes");
  const blog = blogByUuid(world.db, primaryBlog(world.db, user));
  addNote(world, post.rootId, "like", blog.uuid, {});
  notify(world, post.blog, "like", post.id, {
    from_tumblelog_name: blog.name,
    from_tumblelog_uuid: blog.uuid,
    from_tumblelog_is_adult: false,
    followed: false,
    reblog_key: post.reblogKey,
  });
  return envelope([]);
}

/** Handles POST /v2/user/unlike. Has no effect if the post is not liked. */
export function unlike(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { db } = call.world;
  const post = likable(call);
  const removed = db.run("DELETE FROM likes WHERE user = ? AND post_id = ?", user, post.id);
  if (removed > 0) {
    db.run(
      "DELETE FROM notes WHERE root_id = ? AND type = 'like' AND blog = ?",
      post.rootId,
      primaryBlog(db, user),
    );
  }
  return envelope([]);
}
