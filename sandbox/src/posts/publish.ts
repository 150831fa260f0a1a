import { notify } from "../blog/notifications.ts";
import type { Call } from "../dispatch/call.ts";
import { reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { mediaKey, type Uploads } from "../npf/media.ts";
import { type Blog, blogByUuid } from "../store/blogs.ts";
import {
  countPosts,
  findPost,
  nextPostId,
  type Post,
  type PostState,
  queueEnd,
  savePost,
  selectPosts,
} from "../store/posts.ts";
import { usedToday, useToday } from "../usage.ts";
import { addNote } from "../view/note-object.ts";
import { originalType } from "../view/post-object.ts";
import type { World } from "../world.ts";

/** Throws 503 while posting is disabled. */
export function requirePosting(world: World): void {
  if (world.rules.postingDisabled) throw reject(503, "Posting is disabled");
}

/** Checks the limits of the queue and of the day for a post with this state. Throws 403 with 8022 or 8023. */
export function checkRoom(world: World, blog: Blog, user: string, state: PostState): void {
  if (state === "queued") {
    const queued = countPosts(world.db, "blog = ? AND state = 'queued'", blog.uuid);
    if (queued >= world.limits.queuedPosts) throw reject(403, "The queue is full", 8022);
  }
  if (state === "published" && usedToday(world, user, "posts") >= world.limits.postsPerDay) {
    throw reject(403, "Daily post limit reached", 8023);
  }
}

/**
 * Counts and stores the uploads. Throws 403 with 8004, 8010 or 8011 above the limits of the day, or while a
 * video is transcoding.
 */
export function storeUploads(call: Call, user: string, uploads: Uploads): void {
  const { world } = call;
  const { db, clock, limits } = world;
  const now = clock.seconds();
  const kinds = [...uploads.used.values()];
  const images = kinds.filter((item) => item.kind !== "video").length;
  const videos = kinds.filter((item) => item.kind === "video").length;
  if (images > 0 && usedToday(world, user, "photos") + images > limits.imagesPerDay) {
    throw reject(403, "Daily media upload limit reached", 8004);
  }
  if (videos > 0) {
    const busy = db.count("SELECT COUNT(*) AS n FROM media WHERE owner = ? AND ready_at > ?", user, now);
    if (busy > 0) throw reject(403, "An earlier video is still transcoding", 8010);
    if (usedToday(world, user, "videos") + videos > limits.videosPerDay) {
      throw reject(403, "Daily video limit reached", 8011);
    }
  }
  if (images > 0) useToday(world, user, "photos", images);
  if (videos > 0) useToday(world, user, "videos", videos);
  for (const { kind, part, type } of kinds) {
    const ready = kind === "video" ? now + limits.transcodeSeconds : 0;
    db.run(
      "INSERT OR REPLACE INTO media (key, owner, type, size, sha256, timestamp, ready_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      mediaKey(part),
      user,
      type,
      part.size,
      part.sha256,
      now,
      ready,
    );
  }
}

/** When a reblog is published, adds the reblog note and the notification for the blog of the parent post. */
function announceReblog(world: World, post: Post): void {
  if (post.parentId === null) return;
  const parent = findPost(world.db, post.parentId);
  if (!parent) return;
  const added = Array.isArray(post.content.content) ? post.content.content : [];
  const text = added
    .map((block) => String((block as JsonObject).text ?? ""))
    .join("\n")
    .trim();
  const comment = text === "" && typeof post.content.comment === "string" ? post.content.comment : text;
  addNote(world, post.rootId, "reblog", post.blog, {
    post_id: post.id,
    reblog_parent_blog_name: blogByUuid(world.db, parent.blog).name,
    reblog_parent_post_id: parent.id,
    tags: post.tags,
    ...(comment === "" ? {} : { added_text: comment }),
  });
  const from = blogByUuid(world.db, post.blog);
  notify(world, parent.blog, comment === "" ? "reblog_naked" : "reblog_with_content", parent.id, {
    from_tumblelog_name: from.name,
    from_tumblelog_uuid: from.uuid,
    from_tumblelog_is_adult: false,
    followed: false,
    target_root_post_id: post.rootId,
    private_channel: false,
    target_post_type: originalType(parent.type),
    post_type: parent.type,
    reblog_key: parent.reblogKey,
    post_id: post.id,
    post_tags: post.tags,
    ...(comment === "" ? {} : { added_text: comment }),
  });
}

/** Saves a post in its state. The first publication updates the blog, the usage of the day and the parent. */
export function settle(world: World, post: Post, was?: PostState): void {
  if (post.state === "queued" && post.queuePosition === null) {
    post.queuePosition = queueEnd(world.db, post.blog);
  }
  if (post.state !== "queued") Object.assign(post, { queuePosition: null, publishOn: null });
  savePost(world.db, post);
  if (post.state !== "published" || was === "published") return;
  useToday(world, post.author, "posts");
  world.db.run("UPDATE blogs SET updated = MAX(updated, ?) WHERE uuid = ?", post.timestamp, post.blog);
  announceReblog(world, post);
}

/**
 * Publishes a draft, a queued post or a submission. The post gets a new id, and keeps the old id as a
 * reference.
 */
export function publishUnderNewId(world: World, post: Post, state: "published" | "private"): Post {
  const old = post.id;
  const id = nextPostId(world.db);
  world.db.run("DELETE FROM posts WHERE id = ?", old);
  world.db.run("UPDATE notes SET root_id = ? WHERE root_id = ?", id, old);
  const fresh: Post = { ...post, id, state, genesisId: old, rootId: post.rootId === old ? id : post.rootId };
  settle(world, fresh);
  return fresh;
}

/** Publishes the scheduled posts that are due. Runs before posts are read. */
export function publishDue(world: World): void {
  const due = selectPosts(
    world.db,
    "state = 'queued' AND publish_on IS NOT NULL AND publish_on <= ? ORDER BY publish_on, id",
    world.clock.seconds(),
  );
  for (const post of due) {
    publishUnderNewId(world, { ...post, timestamp: post.publishOn ?? post.timestamp }, "published");
  }
}
