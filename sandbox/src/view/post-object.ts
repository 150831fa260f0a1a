import { gmtDate, isoDate } from "../clock.ts";
import { isObject, type JsonObject } from "../json.ts";
import { type Blog, blogByUuid, blogUrl, findBlog, isMember, SERVICE_DOMAIN } from "../store/blogs.ts";
import { findPost, type Post } from "../store/posts.ts";
import { blocksToLegacy } from "./blocks-to-legacy.ts";
import { shortBlog } from "./blog-object.ts";
import { markdownToHtml, stripHtml } from "./html.ts";
import { legacyToBlocks } from "./legacy-to-blocks.ts";
import { noteObjects, rootNoteCount } from "./note-object.ts";
import type { View } from "./view.ts";

/**
 * The legacy fields that contain text as it was entered. Responses contain them as HTML, as plain text, or
 * unchanged.
 */
const TEXT_FIELDS = ["body", "caption", "text", "source", "description", "question", "answer"] as const;

export function postUrl(blog: Blog, post: Post): string {
  return `${blogUrl(blog)}post/${post.id}${post.slug === "" ? "" : `/${post.slug}`}`;
}

/** Returns the content of a post in blocks. The post may be stored in either form. */
export function blocksOf(post: Post): { content: unknown[]; layout: unknown[]; trail: unknown[] } {
  if (post.stored === "legacy") return { ...legacyToBlocks(post.type, post.content), trail: [] };
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const { content, layout, trail } = post.content;
  return { content: list(content), layout: list(layout), trail: list(trail) };
}

function filtered(fields: JsonObject, post: Post, filter: View["filter"]): JsonObject {
  const out = { ...fields };
  for (const name of TEXT_FIELDS) {
    const value = out[name];
    if (typeof value !== "string" || filter === "raw") continue;
    const html = post.format === "markdown" ? markdownToHtml(value) : value;
    out[name] = filter === "text" ? stripHtml(html) : html;
  }
  return out;
}

function legacyTrail(blog: Blog, post: Post, body: unknown): JsonObject {
  const item = {
    blog: {
      name: blog.name,
      active: true,
      theme: blog.data.theme ?? [],
      share_likes: blog.shareLikes,
      share_following: blog.shareFollowing,
      can_be_followed: true,
    },
    post: { id: post.id },
    content_raw: String(body ?? ""),
    content: String(body ?? ""),
    is_current_item: true,
    ...(post.parentId === null ? { is_root_item: true } : {}),
  };
  const comment = typeof post.content.comment === "string" ? post.content.comment : "";
  return { reblog: { comment, tree_html: "" }, trail: [item] };
}

function legacyFields(blog: Blog, post: Post, view: View): JsonObject {
  const { content, layout } = post.stored === "legacy" ? { content: [], layout: [] } : blocksOf(post);
  const fields = post.stored === "legacy" ? post.content : blocksToLegacy(post.type, content, layout);
  const shown = filtered(fields, post, view.filter);
  return { ...shown, ...legacyTrail(blog, post, shown.body ?? shown.caption ?? shown.answer) };
}

const ORIGINAL_TYPES: Partial<Record<string, string>> = {
  text: "regular",
  answer: "note",
  chat: "conversation",
};

/** Returns the internal name of a post type. */
export function originalType(type: string): string {
  return ORIGINAL_TYPES[type] ?? type;
}

function origin(prefix: "from" | "root", post: Post, blog: Blog): JsonObject {
  const key = `reblogged_${prefix}_`;
  return {
    [`${key}id`]: prefix === "from" ? BigInt(post.id) : post.id,
    [`${key}url`]: postUrl(blog, post),
    [`${key}name`]: blog.name,
    [`${key}title`]: blog.data.title,
    [`${key}uuid`]: blog.uuid,
    [`${key}can_message`]: true,
    [`${key}following`]: false,
  };
}

function reblogFields(post: Post, view: View): JsonObject {
  if (post.parentId === null) return {};
  const { db } = view.world;
  const parent = findPost(db, post.parentId);
  const root = findPost(db, post.rootId);
  const out: JsonObject = {};
  if (parent) {
    const blog = blogByUuid(db, parent.blog);
    out.parent_post_url = postUrl(blog, parent);
    if (view.npf) Object.assign(out, { parent_post_id: parent.id, parent_tumblelog_uuid: parent.blog });
    if (view.reblogInfo) Object.assign(out, origin("from", parent, blog));
  }
  if (root && view.reblogInfo) Object.assign(out, origin("root", root, blogByUuid(db, root.blog)));
  return out;
}

/** Returns the state that clients see. A community post is shown as published. */
export function shownState({ state }: Post): string {
  return state === "community" ? "published" : state;
}

function queueFields(post: Post): JsonObject {
  if (post.state !== "queued") return {};
  const at = post.publishOn ?? post.timestamp;
  const out: JsonObject = {
    queued_state: post.publishOn === null ? "queued" : "scheduled",
    scheduled_publish_time: at,
  };
  if (post.publishOn !== null) out.publish_on = isoDate(post.publishOn);
  return out;
}

/** Returns the mute of a post, as its owner sees it. An expired mute counts as ended. */
export function muteFields(post: Post, now: number): JsonObject {
  const muted = post.muted && (post.muteEnd === 0 || post.muteEnd > now);
  return { muted, mute_end_timestamp: muted ? post.muteEnd : 0 };
}

function callerFields(blog: Blog, post: Post, view: View): JsonObject {
  const { db, clock } = view.world;
  const out: JsonObject = { can_like: false, can_reblog: false, can_edit: false, can_delete: false };
  if (view.user === undefined) return out;
  const seconds = clock.seconds();
  out.liked =
    db.count("SELECT COUNT(*) AS n FROM likes WHERE user = ? AND post_id = ?", view.user, post.id) > 0;
  out.followed =
    db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?", view.user, post.blog) > 0;
  Object.assign(out, { can_like: true, can_reblog: post.extra.interactability_reblog !== "noone" });
  if (!isMember(db, blog, view.user)) return out;
  Object.assign(out, { can_edit: true, can_delete: true }, muteFields(post, seconds));
  if (post.genesisId !== null) out.genesis_post_id = post.genesisId;
  return out;
}

/** Returns a post in the form for lists: block-based or legacy, depending on `npf`. */
export function postObject(post: Post, view: View): JsonObject {
  const blog = blogByUuid(view.world.db, post.blog);
  const { content, layout, trail } = view.npf ? blocksOf(post) : { content: [], layout: [], trail: [] };
  const head: JsonObject = {
    object_type: "post",
    type: view.npf ? "blocks" : post.type,
    ...(view.npf ? { original_type: originalType(post.type) } : {}),
    is_blocks_post_format: post.stored === "blocks",
    blog_name: blog.name,
    blog: shortBlog(blog, view),
    id: BigInt(post.id),
    id_string: post.id,
    post_url: postUrl(blog, post),
    slug: post.slug,
    date: gmtDate(post.timestamp),
    timestamp: post.timestamp,
    state: shownState(post),
    format: post.format,
    reblog_key: post.reblogKey,
    tags: post.tags,
    short_url: `https://${SERVICE_DOMAIN}/s/${post.id.slice(-10)}`,
    summary: summary(post),
    should_open_in_legacy: post.stored === "legacy" && post.type !== "text",
    recommended_source: null,
    recommended_color: null,
  };
  return {
    ...head,
    ...reblogFields(post, view),
    ...queueFields(post),
    note_count: rootNoteCount(view.world.db, post.rootId),
    ...(view.npf ? { content, layout, trail: npfTrail(trail, view) } : legacyFields(blog, post, view)),
    ...callerFields(blog, post, view),
    interactability_reblog: "everyone",
    ...post.extra,
    ...(view.notesInfo ? { notes: noteObjects(view.world, post.rootId, view.user, 50) } : {}),
  };
}

/** Returns the items of a trail, with blogs in the form that the view selects. Broken items have no blog. */
function npfTrail(trail: unknown[], view: View): unknown[] {
  return trail.filter(isObject).map((item) => {
    const uuid = isObject(item.blog) ? item.blog.uuid : undefined;
    const blog = typeof uuid === "string" ? findBlog(view.world.db, uuid) : undefined;
    return blog ? { ...item, blog: shortBlog(blog, view) } : item;
  });
}

function summary(post: Post): string {
  const { content } = blocksOf(post);
  const first = content.filter(isObject).find((block) => block.type === "text");
  const fallback = post.type.charAt(0).toUpperCase() + post.type.slice(1);
  return typeof first?.text === "string" ? first.text.slice(0, 100) : fallback;
}
