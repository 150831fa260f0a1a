import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { isObject, type JsonObject } from "../json.ts";
import { invalid } from "../npf/check.ts";
import type { Blog } from "../store/blogs.ts";
import type { Post, PostState } from "../store/posts.ts";
import { ownPost } from "../view/access.ts";
import { legacyType } from "../view/blocks-to-legacy.ts";
import { blocksOf } from "../view/post-object.ts";
import { displayText } from "./create.ts";
import { draftOf, extraOf, missing, slugOf, stateOf, tagsOf, timesOf } from "./draft.ts";
import { checkRoom, publishUnderNewId, requirePosting, settle, storeUploads } from "./publish.ts";
import { withoutExcluded } from "./reblog.ts";

const PUBLIC: readonly PostState[] = ["published", "private"];

/**
 * Returns the state after an edit. Published and private posts can change only into each other, and community
 * posts do not change at all. Other posts may change to any state.
 */
export function nextState(call: Call, post: Post, fail: (detail: string) => Error = invalid): PostState {
  const wanted = stateOf(call, fail);
  if (wanted === undefined || wanted === post.state) return post.state;
  const inCommunity = post.state === "community";
  if (inCommunity && wanted === "published") return post.state;
  const fromPublic = PUBLIC.includes(post.state);
  if (inCommunity || wanted === "submission" || (fromPublic && !PUBLIC.includes(wanted))) {
    throw fail(`A post cannot go from ${post.state} to ${wanted}`);
  }
  return wanted;
}

/** Saves an edited post in its next state. A post gets a new id when it is published. */
export function saveEdited(call: Call, blog: Blog, post: Post, state: PostState): Post {
  const { world } = call;
  const user = requireUser(call.caller);
  const was = post.state;
  if (state !== was) checkRoom(world, blog, user, state);
  const out = PUBLIC.includes(state) && !PUBLIC.includes(was);
  if (out) {
    const now = { timestamp: world.clock.seconds(), queuePosition: null, publishOn: null };
    return publishUnderNewId(world, { ...post, ...now }, state as "published" | "private");
  }
  const position = state === "queued" && was === "queued" ? post.queuePosition : null;
  const edited: Post = { ...post, state, queuePosition: position };
  settle(world, edited, was);
  return edited;
}

function checkParent(call: Call, post: Post): void {
  const parent = call.input.text("parent_post_id");
  if (parent !== undefined && parent !== post.parentId) {
    throw reject(400, "parent_post_id is not the post's parent", 8002);
  }
}

function editedContent(call: Call, post: Post): JsonObject {
  const current = blocksOf(post);
  const given = call.input.json("content") !== undefined;
  const items = current.trail.filter(isObject);
  const trail = call.input.has("exclude_trail_items") ? withoutExcluded(call, items) : items;
  if (
    !given &&
    call.input.json("layout") === undefined &&
    call.body.parts.every((part) => part.name === "json")
  ) {
    return { ...current, trail };
  }
  const { content, layout, uploads } = draftOf(call, given ? undefined : current.content);
  if (post.parentId === null && content.length === 0) throw missing("content");
  if (post.parentId !== null && [...uploads.used.values()].some((item) => item.kind === "video")) {
    throw reject(403, "A reblog cannot hold an uploaded video", 8008);
  }
  storeUploads(call, requireUser(call.caller), uploads);
  return { content, layout, trail };
}

/** Applies the remaining fields of the request. Fields that are absent from the request do not change. */
function applyRest(call: Call, post: Post, state: PostState): void {
  const { publishOn, date } = timesOf(call, state);
  post.publishOn = publishOn;
  if (date !== undefined) post.timestamp = date;
  if (call.input.has("tags")) post.tags = tagsOf(call);
  if (call.input.has("slug")) post.slug = slugOf(call, []);
  post.extra = { ...post.extra, ...extraOf(call) };
}

/** Handles PUT /v2/blog/{blog-identifier}/posts/{post-id}, for block-based posts and legacy text posts. */
export function editPost(call: Call): HttpResponse {
  requirePosting(call.world);
  const { blog, post } = ownPost(call, call.path.post);
  if (post.stored === "legacy" && post.type !== "text") {
    throw reject(400, "Only block-based and text posts can be edited");
  }
  checkParent(call, post);
  const state = nextState(call, post);
  const edited: Post = { ...post, stored: "blocks", content: editedContent(call, post) };
  applyRest(call, edited, state);
  if (post.parentId === null) {
    const { content, layout } = blocksOf(edited);
    edited.type = legacyType(content, layout);
  }
  const saved = saveEdited(call, blog, edited, state);
  return envelope({ id: saved.id, state: saved.state, display_text: displayText(saved.state, blog) });
}
