import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type JsonObject, readJson } from "../json.ts";
import type { Blog } from "../store/blogs.ts";
import { ownBlog } from "../view/access.ts";
import { pageLink } from "../view/links.ts";
import type { World } from "../world.ts";

export const NOTIFICATION_TYPES = [
  "like",
  "reply",
  "follow",
  "mention_in_reply",
  "mention_in_post",
  "reblog_naked",
  "reblog_with_content",
  "ask",
  "answered_ask",
  "new_group_blog_member",
  "post_attribution",
  "post_flagged",
  "post_appeal_accepted",
  "post_appeal_rejected",
  "what_you_missed",
  "conversational_note",
] as const;

const PAGE = 20;

interface Row {
  readonly seq: number;
  readonly type: string;
  readonly timestamp: number;
  readonly target_post_id: string;
  readonly data: string;
}

function activityItem(row: Row, blog: Blog, now: number): JsonObject {
  return {
    id: String(row.seq),
    type: row.type,
    timestamp: row.timestamp,
    before: row.timestamp,
    unread: now - row.timestamp < 3600,
    target_post_id: row.target_post_id,
    target_post_summary: row.target_post_id === "" ? "" : "A post",
    target_tumblelog_name: blog.name,
    target_tumblelog_uuid: blog.uuid,
    ...(readJson(row.data) as JsonObject),
  };
}

function typeParams(types: readonly string[]): Record<string, string> {
  if (types.length === 1 && types[0]) return { types: types[0] };
  return Object.fromEntries(types.map((type, i) => [`types[${i}]`, type]));
}

/**
 * Handles GET /v2/blog/{blog-identifier}/notifications. Lists notifications newest first, twenty per page.
 */
export function notifications(call: Call): HttpResponse {
  const blog = ownBlog(call);
  const { query, world } = call;
  const before = query.integer("before") ?? world.clock.seconds() + 1;
  const rollups = query.flag("rollups", true);
  const types = query.list("types");
  const unknown = types.find((type) => !NOTIFICATION_TYPES.some((known) => known === type));
  if (unknown !== undefined) throw reject(400, `Invalid types: ${unknown}`);
  const omitted = query.list("omit_post_ids");
  const rows = world.db.all<Row>(
    `SELECT * FROM notifications WHERE blog = ? AND timestamp < ?
     AND (? = '[]' OR type IN (SELECT value FROM json_each(?)))
     AND target_post_id NOT IN (SELECT value FROM json_each(?))
     ORDER BY timestamp DESC, seq DESC LIMIT ?`,
    blog.uuid,
    before,
    JSON.stringify(types),
    JSON.stringify(types),
    JSON.stringify(omitted),
    PAGE + 1,
  );
  const shown = rows.slice(0, PAGE);
  const items = shown.map((row) => activityItem(row, blog, world.clock.seconds()));
  const last = shown.at(-1);
  if (rows.length <= PAGE || !last) return envelope({ notifications: items });
  const params = { before: String(last.timestamp), ...typeParams(types), rollups: String(rollups) };
  return envelope({ notifications: items, _links: { next: pageLink(call, params) } });
}

/**
 * Adds a notification. All notifications of a blog have different seconds, so that paging by time skips none.
 */
export function notify(world: World, blog: string, type: string, target: string, data: JsonObject): void {
  const last = world.db.count("SELECT MAX(timestamp) AS n FROM notifications WHERE blog = ?", blog);
  const timestamp = Math.max(world.clock.seconds(), last + 1);
  world.db.insert("notifications", {
    blog,
    type,
    timestamp,
    target_post_id: target,
    data: JSON.stringify(data),
  });
}
