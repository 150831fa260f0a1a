import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import { type Post, selectPosts } from "../store/posts.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";

/** Featured tags. Their posts are listed in the order in which they were featured. */
const FEATURED_TAGS: readonly string[] = ["blocks"];
/** The number of seconds from the publication of a post until it is featured. */
const FEATURED_AFTER = 3600;

/**
 * Handles GET /v2/tagged. Returns published posts that have a tag, from public blogs, newest first, as a
 * plain array.
 */
export function listTagged(call: Call): HttpResponse {
  const { query, world } = call;
  const tag = query.required("tag").replace(/^#/, "");
  const before = query.integer("before") ?? Number.MAX_SAFE_INTEGER;
  const limit = query.integer("limit", { min: 1, clampTo: 20 }) ?? 20;
  const featured = FEATURED_TAGS.includes(tag.toLowerCase());
  const shift = featured ? FEATURED_AFTER : 0;
  const view = viewOf(call);
  const posts = selectPosts(
    world.db,
    `state = 'published' AND timestamp + ? < ? AND blog IN (SELECT uuid FROM blogs WHERE private = 0)
     AND EXISTS (SELECT 1 FROM json_each(posts.tags) WHERE lower(value) = lower(?))
     ORDER BY timestamp DESC, id DESC LIMIT ?`,
    shift,
    before,
    tag,
    limit,
  );
  const shown = (post: Post) => ({
    ...postObject(post, view),
    ...(featured ? { featured_timestamp: post.timestamp + shift } : {}),
  });
  return envelope(posts.map(shown));
}
