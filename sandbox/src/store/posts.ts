import type { SQLInputValue } from "node:sqlite";
import { type JsonObject, readJson, writeJson } from "../json.ts";
import type { Database } from "./database.ts";

export const LEGACY_TYPES = ["text", "quote", "link", "answer", "video", "audio", "photo", "chat"] as const;
export type LegacyType = (typeof LEGACY_TYPES)[number];

/** The list in which a post appears. A community post is not in any list of its author's blog. */
export type PostState = "published" | "queued" | "draft" | "private" | "submission" | "community";

/** A post in the store: legacy fields as entered, or block-based content. */
export interface Post {
  readonly id: string;
  /** The UUID of the blog. */
  readonly blog: string;
  readonly author: string;
  readonly state: PostState;
  readonly stored: "legacy" | "blocks";
  /** The legacy type. For a block-based post, this is the type under which the post is shown. */
  type: LegacyType;
  timestamp: number;
  tags: string[];
  slug: string;
  format: string;
  readonly reblogKey: string;
  parentId: string | null;
  rootId: string;
  readonly genesisId: string | null;
  readonly muted: boolean;
  /** The time at which the mute ends, in seconds. 0 means never. */
  readonly muteEnd: number;
  queuePosition: number | null;
  publishOn: number | null;
  /** For a legacy post, the fields of its type. For a block-based post, `content`, `layout` and `trail`. */
  content: JsonObject;
  /** Additional fields, which are shown unchanged. */
  extra: JsonObject;
}

interface PostRow {
  readonly id: string;
  readonly blog: string;
  readonly author: string;
  readonly state: PostState;
  readonly stored: "legacy" | "blocks";
  readonly type: LegacyType;
  readonly timestamp: number;
  readonly tags: string;
  readonly slug: string;
  readonly format: string;
  readonly reblog_key: string;
  readonly parent_id: string | null;
  readonly root_id: string;
  readonly genesis_id: string | null;
  readonly muted: number;
  readonly mute_end: number;
  readonly queue_position: number | null;
  readonly publish_on: number | null;
  readonly content: string;
  readonly extra: string;
}

function fromRow(row: PostRow): Post {
  return {
    id: row.id,
    blog: row.blog,
    author: row.author,
    state: row.state,
    stored: row.stored,
    type: row.type,
    timestamp: row.timestamp,
    tags: readJson(row.tags) as string[],
    slug: row.slug,
    format: row.format,
    reblogKey: row.reblog_key,
    parentId: row.parent_id,
    rootId: row.root_id,
    genesisId: row.genesis_id,
    muted: row.muted === 1,
    muteEnd: row.mute_end,
    queuePosition: row.queue_position,
    publishOn: row.publish_on,
    content: readJson(row.content) as JsonObject,
    extra: readJson(row.extra) as JsonObject,
  };
}

/** Inserts a post, or replaces the post with the same id. */
export function savePost(db: Database, post: Post): void {
  db.run("DELETE FROM posts WHERE id = ?", post.id);
  db.insert("posts", {
    id: post.id,
    blog: post.blog,
    author: post.author,
    state: post.state,
    stored: post.stored,
    type: post.type,
    timestamp: post.timestamp,
    tags: JSON.stringify(post.tags),
    slug: post.slug,
    format: post.format,
    reblog_key: post.reblogKey,
    parent_id: post.parentId,
    root_id: post.rootId,
    genesis_id: post.genesisId,
    muted: post.muted ? 1 : 0,
    mute_end: post.muteEnd,
    queue_position: post.queuePosition,
    publish_on: post.publishOn,
    content: writeJson(post.content),
    extra: writeJson(post.extra),
  });
}

/** Returns a post without content. */
export function blankPost(id: string, blog: string, author: string, reblogKey: string, now: number): Post {
  return {
    id,
    blog,
    author,
    state: "published",
    stored: "blocks",
    type: "text",
    timestamp: now,
    tags: [],
    slug: "",
    format: "html",
    reblogKey,
    parentId: null,
    rootId: id,
    genesisId: null,
    muted: false,
    muteEnd: 0,
    queuePosition: null,
    publishOn: null,
    content: { content: [], layout: [], trail: [] },
    extra: {},
  };
}

/** Returns posts that meet a condition on the columns of the table. */
export function selectPosts(db: Database, rest: string, ...values: SQLInputValue[]): Post[] {
  return db.all<PostRow>(`SELECT * FROM posts WHERE ${rest}`, ...values).map(fromRow);
}

export function findPost(db: Database, id: string): Post | undefined {
  return selectPosts(db, "id = ?", id)[0];
}

export function countPosts(db: Database, rest: string, ...values: SQLInputValue[]): number {
  return db.count(`SELECT COUNT(*) AS n FROM posts WHERE ${rest}`, ...values);
}

/** The difference between consecutive ids. */
const ID_STEP = 1009n;
const FIRST_ID = 735_000_000_000_000_001n;

/**
 * Returns a new post id. It has 18 digits, is greater than every previous id, and can never be represented
 * exactly as a double.
 */
export function nextPostId(db: Database): string {
  const last = db.get<{ value: string }>("SELECT value FROM settings WHERE name = 'last_post_id'")?.value;
  let id = last === undefined ? FIRST_ID : BigInt(last) + ID_STEP;
  while (BigInt(Number(id)) === id || String(Number(id)) === String(id)) id += 1n;
  db.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('last_post_id', ?)", String(id));
  return String(id);
}

/** Returns the position after the end of a blog's queue. */
export function queueEnd(db: Database, blog: string): number {
  return db.count("SELECT MAX(queue_position) AS n FROM posts WHERE blog = ? AND state = 'queued'", blog) + 1;
}
