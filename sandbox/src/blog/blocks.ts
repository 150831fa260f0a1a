import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type Blog, blogByUuid, requireBlog } from "../store/blogs.ts";
import { findPost } from "../store/posts.ts";
import { administeredBlog, page } from "../view/access.ts";
import { shortBlog } from "../view/blog-object.ts";
import { offsetLinks } from "../view/links.ts";
import { viewOf } from "../view/view.ts";

/** Applies the limit per minute that the block endpoints share. Throws 429 above the limit. */
function limited(call: Call): Blog {
  const { meter, limits } = call.world;
  const window = meter.count(`blocks ${requireUser(call.caller)}`, limits.blocksPerMinute, 60);
  if (!window.allowed) {
    throw reject(429, "Block list requests a minute", 0, { "retry-after": String(window.resetIn) });
  }
  return administeredBlog(call);
}

/** GET /v2/blog/{blog-identifier}/blocks */
export function listBlocks(call: Call): HttpResponse {
  const blog = limited(call);
  const { limit, offset } = page(call);
  const { db } = call.world;
  const where = "FROM blocks WHERE blog = ? AND target IS NOT NULL";
  const total = db.count(`SELECT COUNT(*) AS n ${where}`, blog.uuid);
  const rows = db.all<{ target: string; timestamp: number }>(
    `SELECT target, timestamp ${where} ORDER BY timestamp DESC, seq DESC LIMIT ? OFFSET ?`,
    blog.uuid,
    limit,
    offset,
  );
  const view = viewOf(call);
  const { only } = view.blogs;
  const blocked = rows.map(({ target, timestamp }) => ({
    ...shortBlog(blogByUuid(db, target), view),
    ...(only === undefined || only.has("blocked_timestamp") ? { blocked_timestamp: timestamp } : {}),
  }));
  return envelope({ blocked_tumblelogs: blocked, ...offsetLinks(call, total, limit, offset) });
}

function block(call: Call, blog: Blog, column: "target" | "address", value: string): boolean {
  const sql = `INSERT OR IGNORE INTO blocks (blog, ${column}, timestamp) VALUES (?, ?, ?)`;
  return call.world.db.run(sql, blog.uuid, value, call.world.clock.seconds()) === 0;
}

function targetOf(call: Call, blog: Blog, identifier: string): string {
  const target = requireBlog(call.world.db, identifier);
  if (target.uuid === blog.uuid) throw reject(400, "A blog cannot block itself");
  return target.uuid;
}

/** Handles POST /v2/blog/{blog-identifier}/blocks. Blocks a blog, or the anonymous author of a post. */
export function createBlock(call: Call): HttpResponse {
  const blog = limited(call);
  const identifier = call.input.text("blocked_tumblelog");
  if (identifier) {
    return envelope({ already_blocked: block(call, blog, "target", targetOf(call, blog, identifier)) }, 201);
  }
  const id = call.input.id("post_id");
  if (id === undefined) throw reject(400, "Missing required parameter: blocked_tumblelog or post_id");
  const post = findPost(call.world.db, id);
  if (post?.blog !== blog.uuid) throw reject(404, `Post not found: ${id}`);
  if (post.extra.is_anonymous !== true) throw reject(400, "The post is not anonymous");
  return envelope({ already_blocked: block(call, blog, "address", `author of ${id}`) }, 201);
}

/**
 * Handles POST /v2/blog/{blog-identifier}/blocks/bulk. Blocks all of the blogs, or none of them if one is
 * unknown.
 */
export function createBlocks(call: Call): HttpResponse {
  const blog = limited(call);
  const names = call.input.required("blocked_tumblelogs").split(",");
  call.input.flag("force");
  const targets = names.map((name) => targetOf(call, blog, name.trim()));
  for (const target of targets) block(call, blog, "target", target);
  return envelope([]);
}

/**
 * Handles DELETE /v2/blog/{blog-identifier}/blocks. With `blocked_tumblelog`, unblocks that blog, and ignores
 * `anonymous_only`. With `anonymous_only=true` alone, removes every anonymous block. Otherwise responds with
 * 404.
 */
export function deleteBlock(call: Call): HttpResponse {
  const blog = limited(call);
  const { db } = call.world;
  const identifier = call.input.text("blocked_tumblelog");
  if (identifier) {
    const removed = db.run(
      "DELETE FROM blocks WHERE blog = ? AND target = ?",
      blog.uuid,
      targetOf(call, blog, identifier),
    );
    if (removed === 0) throw reject(404, `Not blocked: ${identifier}`);
  } else if (call.input.flag("anonymous_only")) {
    db.run("DELETE FROM blocks WHERE blog = ? AND address IS NOT NULL", blog.uuid);
  } else {
    throw reject(404, "Neither blocked_tumblelog nor anonymous_only");
  }
  return envelope([]);
}
