import { reject } from "../http/response.ts";
import { type JsonObject, readJson } from "../json.ts";
import type { Database } from "./database.ts";

/** The domain of standard blog hosts. */
export const SERVICE_DOMAIN = "blog.example";

/** A blog in the store. */
export interface Blog {
  readonly uuid: string;
  readonly name: string;
  readonly customDomain: string | null;
  readonly owner: string;
  readonly private: boolean;
  readonly shareLikes: boolean;
  readonly shareFollowing: boolean;
  readonly updated: number;
  readonly queuePaused: boolean;
  /** Title, description, theme and similar fields, in the form in which they are shown. */
  readonly data: JsonObject;
}

interface BlogRow {
  readonly uuid: string;
  readonly name: string;
  readonly custom_domain: string | null;
  readonly owner: string;
  readonly private: number;
  readonly share_likes: number;
  readonly share_following: number;
  readonly updated: number;
  readonly queue_paused: number;
  readonly data: string;
}

function fromRow(row: BlogRow): Blog {
  return {
    uuid: row.uuid,
    name: row.name,
    customDomain: row.custom_domain,
    owner: row.owner,
    private: row.private === 1,
    shareLikes: row.share_likes === 1,
    shareFollowing: row.share_following === 1,
    updated: row.updated,
    queuePaused: row.queue_paused === 1,
    data: readJson(row.data) as JsonObject,
  };
}

export function blogUrl(blog: Blog): string {
  return `https://${blog.customDomain ?? `${blog.name}.${SERVICE_DOMAIN}`}/`;
}

/** Finds a blog by short name, standard host, custom domain, or UUID (`t:...`). */
export function findBlog(db: Database, identifier: string): Blog | undefined {
  if (identifier.startsWith("t:")) return first(db, "uuid = ?", identifier);
  const lower = identifier.toLowerCase();
  const suffix = `.${SERVICE_DOMAIN}`;
  if (lower.endsWith(suffix)) return first(db, "name = ?", lower.slice(0, -suffix.length));
  return first(db, lower.includes(".") ? "custom_domain = ?" : "name = ?", lower);
}

function first(db: Database, where: string, value: string): Blog | undefined {
  const row = db.get<BlogRow>(`SELECT * FROM blogs WHERE ${where}`, value);
  return row && fromRow(row);
}

/** Returns the blog, or throws 404. */
export function requireBlog(db: Database, identifier: string): Blog {
  const blog = findBlog(db, identifier);
  if (!blog) throw reject(404, `Blog not found: ${identifier}`);
  return blog;
}

export function blogByUuid(db: Database, uuid: string): Blog {
  const blog = first(db, "uuid = ?", uuid);
  if (!blog) throw new Error(`no blog ${uuid}`);
  return blog;
}

/** Returns the blogs with these UUIDs, in the order of the UUIDs. */
export function blogsByUuid(db: Database, uuids: readonly string[]): Blog[] {
  return uuids.map((uuid) => blogByUuid(db, uuid));
}

/** Returns the blogs to which a user can post, the primary blog first. */
export function blogsOfUser(db: Database, user: string): Blog[] {
  return db
    .all<BlogRow>(
      `SELECT blogs.* FROM blogs JOIN members ON blog = uuid WHERE user = ?
       ORDER BY uuid = ? DESC, name`,
      user,
      primaryBlog(db, user),
    )
    .map(fromRow);
}

/** Returns the UUID of a user's primary blog. */
export function primaryBlog(db: Database, user: string): string {
  return (
    db.get<{ primary_blog: string }>("SELECT primary_blog FROM users WHERE name = ?", user)?.primary_blog ??
    ""
  );
}

export function isMember(db: Database, blog: Blog, user: string | undefined): boolean {
  return (
    user !== undefined &&
    db.count("SELECT COUNT(*) AS n FROM members WHERE blog = ? AND user = ?", blog.uuid, user) > 0
  );
}

export function isAdmin(db: Database, blog: Blog, user: string): boolean {
  return (
    db.count("SELECT COUNT(*) AS n FROM members WHERE blog = ? AND user = ? AND admin = 1", blog.uuid, user) >
    0
  );
}
