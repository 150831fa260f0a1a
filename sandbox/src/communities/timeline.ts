import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import type { Post } from "../store/posts.ts";
import { selectPosts } from "../store/posts.ts";
import { blogObject } from "../view/blog-object.ts";
import { pageLink } from "../view/links.ts";
import { viewOf } from "../view/view.ts";
import { canView, outsider, type Visit, visit } from "./access.ts";
import { communityPostObject } from "./community-post.ts";

const PAGE = 20;
const TYPES = ["recent", "polls", "discover"] as const;

const HAS_POLL = "EXISTS (SELECT 1 FROM json_each(content, '$.content') WHERE value ->> 'type' = 'poll')";

/** The position of the next page, which begins after the post with this time and id. */
interface Cursor {
  readonly timestamp: number;
  readonly id: string;
}

function readCursor(call: Call): Cursor | undefined {
  const text = call.query.text("cursor");
  if (text === undefined || text === "") return undefined;
  const match = /^(\d{1,15})_(\d{1,20})$/.exec(Buffer.from(text, "base64url").toString());
  if (!match) throw reject(400, "Invalid cursor");
  return { timestamp: Number(match[1]), id: match[2] ?? "" };
}

function writeCursor(post: Post): string {
  return Buffer.from(`${post.timestamp}_${post.id}`).toString("base64url");
}

/** Returns elements to put between the posts of `discover`. Clients that look for posts skip them. */
function otherElements(call: Call, { blog }: Visit, promoted: JsonObject | undefined): JsonObject[] {
  const title = { object_type: "title", id: "discover-title", text: "Worth a look" };
  const card = { object_type: "blog", id: `blog-${blog.name}`, resources: [blogObject(blog, viewOf(call))] };
  const carousel = { object_type: "carousel", id: "discover-carousel", elements: [card] };
  const recommended = promoted ? [{ ...promoted, display_type: 1 }] : [];
  return [title, ...recommended, carousel];
}

/**
 * Handles GET /v2/communities/{community-handle}/timeline. Lists posts newest first, without removed posts,
 * twenty per page.
 */
export function communityTimeline(call: Call): HttpResponse {
  const found = visit(call);
  if (!canView(found)) throw outsider(found);
  const type = call.query.oneOf("type", TYPES, "recent");
  const cursor = readCursor(call);
  const rows = selectPosts(
    call.world.db,
    `id IN (SELECT post_id FROM community_posts WHERE community = ? AND removed = 0)
     ${type === "polls" ? `AND ${HAS_POLL}` : ""} AND (timestamp, id) < (?, ?)
     ORDER BY timestamp DESC, id DESC LIMIT ?`,
    found.community.uuid,
    cursor?.timestamp ?? Number.MAX_SAFE_INTEGER,
    cursor?.id ?? "",
    PAGE + 1,
  );
  const shown = rows.slice(0, PAGE);
  const posts = shown.map((post) => communityPostObject(call, found, post));
  const others = type === "discover" && !cursor ? otherElements(call, found, posts[0]) : [];
  const elements = [...others, ...posts];
  const last = shown.at(-1);
  if (rows.length <= PAGE || !last) return envelope({ timeline: { elements } });
  const next = pageLink(call, { type, cursor: writeCursor(last) });
  return envelope({ timeline: { elements, _links: { next } } });
}
