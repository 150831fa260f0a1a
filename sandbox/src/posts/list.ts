import { createHash } from "node:crypto";
import type { SQLInputValue } from "node:sqlite";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { Blog } from "../store/blogs.ts";
import { countPosts, LEGACY_TYPES, type LegacyType, type Post, selectPosts } from "../store/posts.ts";
import { readableBlog } from "../view/access.ts";
import { blogObject } from "../view/blog-object.ts";
import { pageLink } from "../view/links.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";

/** The maximum number of tags in a request. */
const MAX_TAGS = 4;

interface Filter {
  readonly where: string;
  readonly values: SQLInputValue[];
}

/**
 * Matches parameters that identify the caller or wrap the response. Cursors do not include them, since they
 * do not affect the page.
 */
const OUTSIDE_CURSOR = /^(api_key|page_number|jsonp|callback|oauth_.*)$/;

function pathType(call: Call): string | undefined {
  return call.path.type ?? call.query.text("type");
}

function typeFilter(call: Call): Filter {
  const type = pathType(call);
  if (type === undefined || type === "") return { where: "", values: [] };
  if (!LEGACY_TYPES.includes(type as LegacyType)) throw reject(400, `Invalid type: ${type}`);
  return { where: " AND type = ?", values: [type] };
}

function tagFilter(call: Call): Filter {
  const tags = call.query.list("tag").filter((tag) => tag !== "");
  if (tags.length > MAX_TAGS) throw reject(400, `At most ${MAX_TAGS} tags`);
  const one = " AND EXISTS (SELECT 1 FROM json_each(posts.tags) WHERE lower(value) = lower(?))";
  return { where: one.repeat(tags.length), values: tags };
}

function timeFilter(call: Call): Filter {
  const before = call.query.integer("before");
  const after = call.query.integer("after");
  if (before !== undefined && call.query.has("offset")) throw reject(400, "Use either before or offset");
  const where = [
    before === undefined ? "" : " AND timestamp < ?",
    after === undefined ? "" : " AND timestamp > ?",
  ].join("");
  return { where, values: [before, after].filter((value) => value !== undefined) };
}

/** Returns the parameters that the request for the next page must repeat. */
function repeated(call: Call): [string, string][] {
  return call.queryPairs.filter(
    ([name]) => !OUTSIDE_CURSOR.test(name) && name !== "offset" && name !== "tumblelog",
  );
}

function fingerprint(pairs: readonly (readonly [string, string])[], blog: Blog): string {
  return createHash("sha256")
    .update(JSON.stringify([blog.uuid, ...pairs.map(String).sort()]))
    .digest("base64url");
}

/**
 * Returns a cursor: an opaque string of several hundred characters that encodes the position of the last post
 * and the request.
 */
function writeCursor(post: Post, print: string): string {
  const filler = createHash("sha512")
    .update(post.id + print)
    .digest("base64");
  const state = { v: 1, t: post.timestamp, i: post.id, p: print, s: filler + filler };
  return Buffer.from(JSON.stringify(state)).toString("base64url");
}

function readCursor(call: Call, blog: Blog): { time: number; id: string } | undefined {
  const cursor = call.query.text("page_number");
  if (cursor === undefined || cursor === "") return undefined;
  let state: { t?: unknown; i?: unknown; p?: unknown } = {};
  try {
    state = JSON.parse(Buffer.from(cursor, "base64url").toString()) as typeof state;
  } catch {
    throw reject(400, "Invalid page_number");
  }
  if (typeof state.t !== "number" || typeof state.i !== "string") throw reject(400, "Invalid page_number");
  if (call.query.text("tumblelog") !== blog.name || state.p !== fingerprint(repeated(call), blog)) {
    throw reject(400, "page_number belongs to a request with other parameters");
  }
  return { time: state.t, id: state.i };
}

function single(call: Call, blog: Blog, id: string): HttpResponse {
  const view = viewOf(call);
  const type = typeFilter(call);
  const posts = selectPosts(
    call.world.db,
    `blog = ? AND state = 'published' AND id = ?${type.where}`,
    blog.uuid,
    id,
    ...type.values,
  );
  if (posts.length === 0) throw reject(404, `Post not found: ${id}`);
  const shown = posts.map((post) => postObject(post, view));
  return envelope({ blog: blogObject(blog, view), posts: shown, total_posts: 1 });
}

/** GET /v2/blog/{blog-identifier}/posts[/type] */
export function listPosts(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = readableBlog(call);
  const id = call.query.id("id");
  if (id !== undefined) return single(call, blog, id);
  const view = viewOf(call);
  const limit = call.query.integer("limit", { min: 1, clampTo: 20 }) ?? 20;
  const offset = call.query.integer("offset") ?? 0;
  const ascending = call.query.oneOf("sort", ["asc", "desc"], "desc") === "asc";
  const filters = [typeFilter(call), tagFilter(call), timeFilter(call)];
  const where = `blog = ? AND state = 'published'${filters.map((item) => item.where).join("")}`;
  const values = [blog.uuid, ...filters.flatMap((item) => item.values)];
  const total = countPosts(db, where, ...values);
  const cursor = readCursor(call, blog);
  const past = cursor ? ` AND (timestamp, id) ${ascending ? ">" : "<"} (?, ?)` : "";
  const order = ascending ? "timestamp ASC, id ASC" : "timestamp DESC, id DESC";
  const found = selectPosts(
    db,
    `${where}${past} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...values,
    ...(cursor ? [cursor.time, cursor.id] : []),
    limit + 1,
    cursor ? 0 : offset,
  );
  const posts = found.slice(0, limit);
  const last = posts.at(-1);
  const response = {
    blog: blogObject(blog, view),
    posts: posts.map((post) => postObject(post, view)),
    total_posts: total,
  };
  if (found.length <= limit || !last) return envelope(response);
  const pairs = repeated(call);
  const params = {
    ...Object.fromEntries(pairs),
    tumblelog: blog.name,
    page_number: writeCursor(last, fingerprint(pairs, blog)),
  };
  return envelope({ ...response, _links: { next: pageLink(call, params) } });
}
