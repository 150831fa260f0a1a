import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { randomToken } from "../entropy.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type Blog, blogByUuid } from "../store/blogs.ts";
import { blankPost, findPost, nextPostId, type Post, type PostState } from "../store/posts.ts";
import { usedToday, useToday } from "../usage.ts";
import { ownPost } from "../view/access.ts";
import { blocksOf } from "../view/post-object.ts";
import { blogToPostTo, displayText } from "./create.ts";
import { stateOf, tagsOf } from "./draft.ts";
import { nextState, saveEdited } from "./edit.ts";
import { nativeImages } from "./inline-images.ts";
import { type LegacyFile, POSTABLE, readLegacy } from "./legacy-fields.ts";
import { checkRoom, requirePosting, settle } from "./publish.ts";
import { reblogParent, trailAfter } from "./reblog.ts";

const plain = (detail: string) => reject(400, detail);

function legacyState(call: Call): PostState | undefined {
  const state = stateOf(call, plain);
  if (state === "submission") throw plain("Invalid state: unapproved");
  return state;
}

/** Returns `date`, a GMT date and time in the past or the future. */
function dateOf(call: Call): number | undefined {
  const value = call.input.text("date");
  if (!value) return undefined;
  const seconds = Math.floor(
    Date.parse(/(GMT|Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value} GMT`) / 1000,
  );
  if (!Number.isFinite(seconds)) throw plain(`Invalid date: ${value}`);
  return seconds;
}

/** Applies the common parameters. Parameters that are absent from the request change nothing. */
function applyCommon(call: Call, post: Post): void {
  const { input } = call;
  if (input.has("tags")) post.tags = tagsOf(call);
  if (input.has("slug")) post.slug = input.text("slug") ?? "";
  post.format = input.oneOf("format", ["html", "markdown"], post.format === "markdown" ? "markdown" : "html");
  post.timestamp = dateOf(call) ?? post.timestamp;
}

function countFiles(call: Call, user: string, type: string, files: readonly LegacyFile[]): void {
  const { world } = call;
  if (files.length === 0) return;
  const video = type === "video";
  const [feature, most] = video
    ? (["videos", world.limits.videosPerDay] as const)
    : (["photos", world.limits.imagesPerDay] as const);
  if (usedToday(world, user, feature) + files.length > most) {
    throw reject(403, "Daily upload limit reached", video ? 8011 : 8004);
  }
  useToday(world, user, feature, files.length);
}

function done(post: Post, blog: Blog, status: number): HttpResponse {
  const { id, state } = post;
  return envelope({ id: BigInt(id), id_string: id, state, display_text: displayText(state, blog) }, status);
}

function fresh(call: Call, blog: Blog, state: PostState): Post {
  const { world } = call;
  const user = requireUser(call.caller);
  const post = blankPost(nextPostId(world.db), blog.uuid, user, randomToken(8), world.clock.seconds());
  return Object.assign(post, { state });
}

/** POST /v2/blog/{blog-identifier}/post */
export function legacyCreate(call: Call): HttpResponse {
  requirePosting(call.world);
  const state = legacyState(call) ?? "published";
  const blog = blogToPostTo(call, state);
  const user = requireUser(call.caller);
  const type = call.input.oneOf("type", POSTABLE, "text");
  const { fields, files } = readLegacy(call, type, {});
  checkRoom(call.world, blog, user, state);
  countFiles(call, user, type, files);
  const post: Post = { ...fresh(call, blog, state), stored: "legacy", type, content: fields };
  applyCommon(call, post);
  settle(call.world, post);
  return done(post, blog, 201);
}

/** POST /v2/blog/{blog-identifier}/post/edit */
export function legacyEdit(call: Call): HttpResponse {
  requirePosting(call.world);
  const { blog, post } = ownPost(call, call.input.id("id"));
  if (post.stored === "blocks") throw plain("A block-based post cannot be edited in the legacy format");
  const type = call.input.text("type");
  if (type !== undefined && type !== post.type) throw plain(`The post's type is ${post.type}`);
  legacyState(call);
  const state = nextState(call, post, plain);
  const { fields, files } = readLegacy(call, post.type, post.content);
  countFiles(call, requireUser(call.caller), post.type, files);
  const edited: Post = { ...post, content: fields };
  applyCommon(call, edited);
  return done(saveEdited(call, blog, edited, state), blog, 200);
}

/** POST /v2/blog/{blog-identifier}/post/reblog */
export function legacyReblog(call: Call): HttpResponse {
  requirePosting(call.world);
  const { world, input } = call;
  const state = legacyState(call) ?? "published";
  const blog = blogToPostTo(call, state);
  const id = input.id("id") ?? input.required("id");
  const found = findPost(world.db, id);
  if (!found) throw reject(404, `Post not found: ${id}`);
  const parent = reblogParent(
    world,
    blog,
    blogByUuid(world.db, found.blog),
    id,
    input.required("reblog_key"),
  );
  checkRoom(world, blog, requireUser(call.caller), state);
  const words = input.text("comment") ?? "";
  const comment = input.flag("native_inline_images") ? nativeImages(words) : words;
  const post: Post = {
    ...fresh(call, blog, state),
    type: parent.type,
    parentId: parent.id,
    rootId: parent.rootId,
  };
  if (parent.stored === "legacy") {
    Object.assign(post, { stored: "legacy", content: { ...parent.content, comment } });
  } else {
    const added = comment === "" ? [] : [{ type: "text", text: comment }];
    post.content = { ...blocksOf(post), content: added, trail: trailAfter(world, parent) };
  }
  applyCommon(call, post);
  settle(world, post);
  return done(post, blog, 201);
}
