import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import { findPost } from "../store/posts.ts";
import { readableBlog } from "../view/access.ts";
import { pageLink } from "../view/links.ts";
import { type Note, noteObject, rootNoteCount } from "../view/note-object.ts";

const PAGE = 50;
const MODES = ["all", "likes", "conversation", "rollup", "reblogs_with_tags"] as const;
type Mode = (typeof MODES)[number];

/** SQL conditions for the notes that each mode lists in `notes`. */
const LISTED: Record<Mode, string> = {
  all: "",
  likes: " AND type = 'like'",
  conversation:
    " AND (type = 'reply' OR (type = 'reblog' AND json_extract(data, '$.added_text') IS NOT NULL))",
  rollup: " AND type IN ('like', 'reblog')",
  reblogs_with_tags: " AND type = 'reblog'",
};

const ROLLED_UP =
  " AND NOT (type = 'reply' OR (type = 'reblog' AND json_extract(data, '$.added_text') IS NOT NULL))";

function withTags(note: JsonObject): JsonObject {
  return { ...note, tags: Array.isArray(note.tags) ? note.tags : [] };
}

/** Formats a note. Reblogs include their tags only in modes about tags. */
function shown(call: Call, note: Note, mode: Mode): JsonObject {
  const object = noteObject(call.world, note, call.caller.user);
  if (mode === "reblogs_with_tags") return withTags(object);
  const { tags: _tags, ...rest } = object;
  return rest;
}

/**
 * Returns the first page of these notes. If several notes have the same time, a page contains all or none of
 * them, since the next page starts before the time of the last note.
 */
function wholeSeconds(found: readonly Note[], scale: number): { notes: Note[]; more: boolean } {
  const unit = (note: Note | undefined) => Math.floor((note?.micros ?? 0) / scale);
  let end = Math.min(PAGE, found.length);
  while (end < found.length && unit(found[end]) === unit(found[end - 1])) end++;
  return { notes: found.slice(0, end), more: end < found.length };
}

/**
 * Handles GET /v2/blog/{blog-identifier}/notes. Lists notes newest first. `before_timestamp` is in seconds
 * or, in mode conversation, in microseconds.
 */
export function listNotes(call: Call): HttpResponse {
  const { db } = call.world;
  const blog = readableBlog(call);
  const id = call.query.id("id") ?? call.query.required("id");
  const mode = call.query.oneOf("mode", MODES, "all");
  const before = call.query.integer("before_timestamp");
  const post = findPost(db, id);
  if (post?.blog !== blog.uuid || post.state !== "published") throw reject(404, `Post not found: ${id}`);
  const scale = mode === "conversation" ? 1 : 1_000_000;
  const limit = before === undefined ? Number.MAX_SAFE_INTEGER : before * scale;
  const select = (where: string, count: number) =>
    db.all<Note>(
      `SELECT * FROM notes WHERE root_id = ? AND micros < ?${where} ORDER BY micros DESC, seq DESC LIMIT ?`,
      post.rootId,
      limit,
      count,
    );
  const { notes, more } = wholeSeconds(select(LISTED[mode], 2 * PAGE), scale);
  const response: JsonObject = { notes: notes.map((note) => shown(call, note, mode)) };
  const count = (type: string) =>
    db.count("SELECT COUNT(*) AS n FROM notes WHERE root_id = ? AND type = ?", post.rootId, type);
  if (mode === "conversation") {
    response.rollup_notes = select(ROLLED_UP, PAGE).map((note) => shown(call, note, mode));
    Object.assign(response, { total_likes: count("like"), total_reblogs: count("reblog") });
  }
  response.total_notes = rootNoteCount(db, post.rootId);
  if (call.caller.user !== undefined) Object.assign(response, { is_subscribed: false, can_subscribe: true });
  const last = notes.at(-1);
  if (more && last) {
    const at = Math.floor(last.micros / scale);
    response._links = { next: pageLink(call, { before_timestamp: String(at), id, mode }) };
  }
  return envelope(response);
}
