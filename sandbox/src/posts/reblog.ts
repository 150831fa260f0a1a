import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { invalid } from "../npf/check.ts";
import { type Blog, blogByUuid, findBlog } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";
import { blogReference } from "../view/blog-object.ts";
import { blocksOf } from "../view/post-object.ts";
import type { World } from "../world.ts";
import { missing } from "./draft.ts";

function badParent(detail: string): Error {
  return reject(400, detail, 8002);
}

/**
 * Returns the post to reblog into `blog`. Throws 8002 if the post cannot be reblogged, and 403 if the caller
 * may not reblog it.
 */
export function reblogParent(
  world: World,
  blog: Blog,
  parentBlog: Blog | undefined,
  id: string,
  key: string,
): Post {
  const parent = findPost(world.db, id);
  if (!parentBlog || !parent || parent.blog !== parentBlog.uuid) throw badParent("Parent post not found");
  if (parent.state !== "published") throw badParent("Parent post is not published");
  if (parent.reblogKey !== key) throw badParent("reblog_key does not fit the parent post");
  const blocked = world.db.count(
    "SELECT COUNT(*) AS n FROM blocks WHERE blog = ? AND target = ?",
    parentBlog.uuid,
    blog.uuid,
  );
  if (blocked > 0) throw badParent("The parent blog cannot be interacted with");
  if (parent.extra.interactability_reblog === "noone") {
    throw reject(403, "The parent post may not be reblogged");
  }
  return parent;
}

/** Returns the initial trail of a reblog of `parent`: the trail of the parent, then the parent itself. */
export function trailAfter(world: World, parent: Post): JsonObject[] {
  const { content, layout, trail } = blocksOf(parent);
  const item: JsonObject = {
    post: { id: parent.id, timestamp: parent.timestamp, is_commercial: false },
    blog: blogReference(blogByUuid(world.db, parent.blog)),
    content,
    layout,
  };
  const empty = content.length === 0 && parent.parentId !== null;
  return [...(trail as JsonObject[]), ...(empty ? [] : [item])];
}

/**
 * Returns the trail without the items in `exclude_trail_items`. Throws 8001 for an index that is out of
 * range.
 */
export function withoutExcluded(call: Call, trail: readonly JsonObject[]): JsonObject[] {
  const excluded = call.input.list("exclude_trail_items").map(Number);
  if (excluded.some((index) => !Number.isInteger(index) || index < 0 || index >= trail.length)) {
    throw invalid("exclude_trail_items holds an index outside the trail");
  }
  return trail.filter((_, i) => !excluded.includes(i));
}

/** Returns the parent and the trail of a block-based reblog, or `undefined` for an original post. */
export function reblogOf(call: Call, blog: Blog): { parent: Post; trail: JsonObject[] } | undefined {
  const { input, world } = call;
  const names = ["parent_tumblelog_uuid", "parent_post_id", "reblog_key"] as const;
  if (!names.slice(0, 2).some((name) => input.has(name))) return undefined;
  const absent = names.find((name) => !input.text(name));
  if (absent) throw missing(absent);
  const id = input.text("parent_post_id") ?? "";
  const parentBlog = findBlog(world.db, input.text("parent_tumblelog_uuid") ?? "");
  const parent = reblogParent(world, blog, parentBlog, id, input.text("reblog_key") ?? "");
  const whole = withoutExcluded(call, trailAfter(world, parent));
  return { parent, trail: input.flag("hide_trail") ? [] : whole };
}
