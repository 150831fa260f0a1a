import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { randomToken } from "../entropy.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type Blog, isMember, requireBlog } from "../store/blogs.ts";
import { blankPost, findPost, nextPostId, type PostState } from "../store/posts.ts";
import { legacyType } from "../view/blocks-to-legacy.ts";
import { draftOf, extraOf, missing, slugOf, stateOf, tagsOf, timesOf } from "./draft.ts";
import { checkRoom, requirePosting, settle, storeUploads } from "./publish.ts";
import { reblogOf } from "./reblog.ts";

/**
 * Returns the blog that the path names, if the caller may create a post with this state. Members may post.
 * Other users may submit if the blog accepts submissions.
 */
export function blogToPostTo(call: Call, state: PostState): Blog {
  const blog = requireBlog(call.world.db, call.path.blog ?? "");
  if (isMember(call.world.db, blog, requireUser(call.caller))) return blog;
  if (state === "submission" && blog.data.can_submit === true) return blog;
  throw reject(403, "You may not post to this blog");
}

const DISPLAY: Record<PostState, string> = {
  published: "Posted to",
  queued: "Added to the queue of",
  draft: "Saved as a draft of",
  private: "Privately posted to",
  submission: "Submitted to",
  community: "Posted to a community by",
};

/** Returns the text that the client shows to its user about the new state. */
export function displayText(state: PostState, blog: Blog): string {
  return `${DISPLAY[state]} ${blog.name}`;
}

/** Handles POST /v2/blog/{blog-identifier}/posts. Creates a block-based post or reblog. */
export function createPost(call: Call): HttpResponse {
  const { world } = call;
  requirePosting(world);
  const user = requireUser(call.caller);
  const state = stateOf(call) ?? "published";
  const blog = blogToPostTo(call, state);
  const draft = draftOf(call);
  const reblog = reblogOf(call, blog);
  if (!reblog && draft.content.length === 0) throw missing("content");
  if (reblog && [...draft.uploads.used.values()].some((item) => item.kind === "video")) {
    throw reject(403, "A reblog cannot hold an uploaded video", 8008);
  }
  const { publishOn, date } = timesOf(call, state);
  checkRoom(world, blog, user, state);
  storeUploads(call, user, draft.uploads);
  const now = world.clock.seconds();
  const id = nextPostId(world.db);
  const post = blankPost(id, blog.uuid, user, randomToken(8), date ?? now);
  Object.assign(post, { state, publishOn, tags: tagsOf(call), slug: slugOf(call, draft.content) });
  post.content = { content: draft.content, layout: draft.layout, trail: reblog?.trail ?? [] };
  post.type = legacyType(draft.content, draft.layout);
  post.extra = extraOf(call);
  if (state === "submission") Object.assign(post.extra, { is_submission: true, post_author: user });
  if (reblog) {
    post.parentId = reblog.parent.id;
    post.rootId = reblog.parent.rootId;
    post.type = findPost(world.db, post.rootId)?.type ?? reblog.parent.type;
  }
  settle(world, post);
  return envelope({ id, state, display_text: displayText(state, blog) }, 201);
}
