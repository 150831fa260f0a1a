import { type JsonObject, readJson } from "../json.ts";
import { blogByUuid, blogUrl } from "../store/blogs.ts";
import type { Database } from "../store/database.ts";
import type { World } from "../world.ts";
import { avatarShape, avatarUrl } from "./blog-object.ts";

/** A note in the store. The times of replies have microseconds. */
export interface Note {
  readonly seq: number;
  readonly root_id: string;
  readonly type: string;
  readonly micros: number;
  readonly blog: string;
  readonly data: string;
}

/** Counts the notes of a post and all its reblogs. */
export function rootNoteCount(db: Database, rootId: string): number {
  return db.count("SELECT COUNT(*) AS n FROM notes WHERE root_id = ?", rootId);
}

/** Returns a note in the form for responses. */
export function noteObject(world: World, note: Note, user: string | undefined): JsonObject {
  const blog = blogByUuid(world.db, note.blog);
  const followed =
    user !== undefined &&
    world.db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?", user, blog.uuid) > 0;
  return {
    type: note.type,
    timestamp: Math.floor(note.micros / 1_000_000),
    blog_name: blog.name,
    blog_uuid: blog.uuid,
    blog_url: blogUrl(blog),
    followed,
    avatar_shape: avatarShape(blog),
    avatar_url: { "64": avatarUrl(blog, 64), "128": avatarUrl(blog, 128) },
    blog_is_adult: false,
    ...(readJson(note.data) as JsonObject),
  };
}

/** Returns the newest notes of a post, which responses contain if `notes_info=true`. */
export function noteObjects(
  world: World,
  rootId: string,
  user: string | undefined,
  limit: number,
): JsonObject[] {
  return world.db
    .all<Note>("SELECT * FROM notes WHERE root_id = ? ORDER BY micros DESC, seq DESC LIMIT ?", rootId, limit)
    .map((note) => noteObject(world, note, user));
}

/** Adds a note to the root of a post. */
export function addNote(
  world: World,
  rootId: string,
  type: string,
  blog: string,
  data: JsonObject,
  micros?: number,
): void {
  world.db.insert("notes", {
    root_id: rootId,
    type,
    micros: micros ?? world.clock.now() * 1000,
    blog,
    data: JSON.stringify(data),
  });
}
