import type { Call } from "../dispatch/call.ts";
import { shuffled } from "../entropy.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { Blog } from "../store/blogs.ts";
import { countPosts, type Post, selectPosts } from "../store/posts.ts";
import { ownBlog, page } from "../view/access.ts";
import { offsetLinks, pageLink } from "../view/links.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";

const PAGE = 20;

function queue(call: Call, blog: Blog): Post[] {
  return selectPosts(call.world.db, "blog = ? AND state = 'queued' ORDER BY queue_position, id", blog.uuid);
}

function arrange(call: Call, posts: readonly Post[]): void {
  for (const [i, post] of posts.entries()) {
    call.world.db.run("UPDATE posts SET queue_position = ? WHERE id = ?", i + 1, post.id);
  }
}

/** Handles GET /v2/blog/{blog-identifier}/posts/queue. Lists the queue in the order of publication. */
export function listQueue(call: Call): HttpResponse {
  const blog = ownBlog(call);
  const { limit, offset } = page(call);
  const view = viewOf(call);
  const all = queue(call, blog);
  const posts = all.slice(offset, offset + limit).map((post) => postObject(post, view));
  const links = offsetLinks(call, all.length, limit, offset);
  return envelope({ posts, state: { paused: blog.queuePaused }, ...links });
}

/**
 * Handles POST /v2/blog/{blog-identifier}/posts/queue/reorder. Moves a post to the position after another
 * post or, with 0, to the top.
 */
export function reorderQueue(call: Call): HttpResponse {
  const blog = ownBlog(call);
  const id = call.input.id("post_id");
  if (id === undefined) throw reject(400, "Missing required parameter: post_id");
  const after = call.input.id("insert_after") ?? "0";
  const posts = queue(call, blog);
  const moving = posts.find((post) => post.id === id);
  if (!moving) throw reject(400, `Not in the queue: ${id}`);
  const others = posts.filter((post) => post !== moving);
  const at = after === "0" ? -1 : others.findIndex((post) => post.id === after);
  if (after !== "0" && at < 0) throw reject(400, `Not in the queue: ${after}`);
  arrange(call, others.toSpliced(at + 1, 0, moving));
  return envelope([]);
}

/** POST /v2/blog/{blog-identifier}/posts/queue/shuffle */
export function shuffleQueue(call: Call): HttpResponse {
  const blog = ownBlog(call);
  arrange(call, shuffled(queue(call, blog)));
  return envelope([]);
}

/**
 * Handles GET /v2/blog/{blog-identifier}/posts/draft. Lists drafts newest first, twenty per page, before
 * `before_id`.
 */
export function listDrafts(call: Call): HttpResponse {
  const blog = ownBlog(call);
  const view = viewOf(call);
  const before = call.query.id("before_id") ?? "0";
  const found = selectPosts(
    call.world.db,
    `blog = ? AND state = 'draft' AND (? = '0' OR CAST(id AS INTEGER) < CAST(? AS INTEGER))
     ORDER BY CAST(id AS INTEGER) DESC LIMIT ?`,
    blog.uuid,
    before,
    before,
    PAGE + 1,
  );
  const shown = found.slice(0, PAGE);
  const posts = shown.map((post) => postObject(post, view));
  const last = shown.at(-1);
  if (found.length <= PAGE || !last) return envelope({ posts });
  return envelope({ posts, _links: { next: pageLink(call, { before_id: last.id }) } });
}

/**
 * The SQL condition for submissions from readers. Unanswered questions have the same state, but are not
 * submissions.
 */
const SUBMITTED = "blog = ? AND state = 'submission' AND json_extract(extra, '$.is_submission') = 1";

/** GET /v2/blog/{blog-identifier}/posts/submission */
export function listSubmissions(call: Call): HttpResponse {
  const blog = ownBlog(call);
  const view = viewOf(call);
  const offset = call.query.integer("offset") ?? 0;
  const total = countPosts(call.world.db, SUBMITTED, blog.uuid);
  const posts = selectPosts(
    call.world.db,
    `${SUBMITTED} ORDER BY timestamp DESC, id DESC LIMIT ? OFFSET ?`,
    blog.uuid,
    PAGE,
    offset,
  );
  return envelope({
    posts: posts.map((post) => postObject(post, view)),
    ...offsetLinks(call, total, PAGE, offset),
  });
}
