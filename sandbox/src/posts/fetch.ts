import { requireUser } from "../auth/caller.ts";
import { gmtDate, isoDate } from "../clock.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { type Blog, isMember } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";
import { readableBlog } from "../view/access.ts";
import { shortBlog } from "../view/blog-object.ts";
import { blocksOf, muteFields, originalType, postUrl, shownState } from "../view/post-object.ts";
import { type View, viewOf } from "../view/view.ts";

function contentFields(post: Post, format: "npf" | "legacy"): JsonObject {
  if (format === "legacy") {
    if (post.stored === "blocks") throw reject(400, "A block-based post has no legacy format");
    return { type: post.type, ...post.content, format: post.format };
  }
  const { content, layout, trail } = blocksOf(post);
  const reblog = post.parentId === null ? {} : { trail };
  return { type: "blocks", original_type: originalType(post.type), content, layout, ...reblog };
}

function parentFields(call: Call, post: Post): JsonObject {
  if (post.parentId === null) return {};
  const parent = findPost(call.world.db, post.parentId);
  return { parent_post_id: post.parentId, ...(parent ? { parent_tumblelog_uuid: parent.blog } : {}) };
}

function queueFields(post: Post): JsonObject {
  if (post.state !== "queued") return {};
  const plain = { queued_state: "queued", scheduled_publish_time: post.timestamp };
  if (post.publishOn === null) return plain;
  return {
    queued_state: "scheduled",
    scheduled_publish_time: post.publishOn,
    publish_on: isoDate(post.publishOn),
  };
}

function fields(call: Call, blog: Blog, post: Post, view: View): JsonObject {
  return {
    object_type: "post",
    id: post.id,
    tumblelog_uuid: blog.uuid,
    blog_name: blog.name,
    blog: shortBlog(blog, view),
    ...parentFields(call, post),
    reblog_key: post.reblogKey,
    post_url: postUrl(blog, post),
    state: shownState(post),
    timestamp: post.timestamp,
    date: gmtDate(post.timestamp),
    tags: post.tags,
    slug: post.slug,
    is_blocks_post_format: post.stored === "blocks",
    should_open_in_legacy: post.stored === "legacy" && post.type !== "text",
    ...queueFields(post),
    ...(isMember(call.world.db, blog, view.user) ? muteFields(post, call.world.clock.seconds()) : {}),
    community_labels: { has_community_label: false, categories: [] },
    can_be_tipped: false,
    interactability_reblog: "everyone",
    ...(post.genesisId !== null && isMember(call.world.db, blog, view.user)
      ? { genesis_post_id: post.genesisId }
      : {}),
    ...post.extra,
    ...(typeof post.extra.source_url === "string" ? { source_url_raw: post.extra.source_url } : {}),
  };
}

/**
 * Handles GET /v2/blog/{blog-identifier}/posts/{post-id}, which returns a post in the form for editing. Only
 * members see unpublished posts.
 */
export function fetchPost(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const blog = readableBlog(call);
  const format = call.query.oneOf("post_format", ["npf", "legacy"], "npf");
  const id = call.path.post ?? "";
  const post = findPost(call.world.db, id);
  const visible = post?.state === "published" || isMember(call.world.db, blog, user);
  if (post?.blog !== blog.uuid || !visible) throw reject(404, `Post not found: ${id}`);
  return envelope({ ...fields(call, blog, post, viewOf(call)), ...contentFields(post, format) });
}
