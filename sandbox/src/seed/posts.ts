import { createHash } from "node:crypto";
import type { Database } from "../store/database.ts";
import { blankPost, LEGACY_TYPES, nextPostId, type Post, savePost } from "../store/posts.ts";
import { legacyType } from "../view/blocks-to-legacy.ts";
import { BLOCK_POSTS } from "./block-posts.ts";
import { uuidOf } from "./blogs.ts";
import { EPOCH } from "./epoch.ts";
import { legacyFields } from "./legacy-posts.ts";

const TAGS = ["seed", "demo", "Caf\u00e9 au lait", "two words", "c++"];

/** Returns the reblog key of a seeded post, which is derived from its id. */
export function reblogKeyOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url").replace(/[-_]/g, "x").slice(0, 8);
}

function fresh(db: Database, blog: string, author: string, timestamp: number): Post {
  const id = nextPostId(db);
  return blankPost(id, uuidOf(blog), author, reblogKeyOf(id), timestamp);
}

/** Adds a seeded legacy post. */
function legacyPost(db: Database, blog: string, author: string, i: number, timestamp: number): Post {
  const type = LEGACY_TYPES[i % LEGACY_TYPES.length] ?? "text";
  const round = Math.floor(i / LEGACY_TYPES.length);
  const post = fresh(db, blog, author, timestamp);
  const markdown = type === "text" && round % 3 === 2;
  Object.assign(post, { stored: "legacy", type, format: markdown ? "markdown" : "html" });
  post.content = legacyFields(type, round);
  post.tags = TAGS.slice(0, 1 + (i % TAGS.length));
  post.slug = `${type}-number-${round}`;
  if (type === "photo") {
    Object.assign(post.extra, { source_url: "https://example.org/", source_title: "example.org" });
  }
  if (i % 7 === 0) post.extra.bookmarklet = true;
  if (i % 11 === 0) post.extra.mobile = true;
  return post;
}

function blockPost(db: Database, blog: string, author: string, i: number, timestamp: number): Post {
  const seed = BLOCK_POSTS[i % BLOCK_POSTS.length];
  const post = fresh(db, blog, author, timestamp);
  const content = seed?.content ?? [];
  const layout = seed?.layout ?? [];
  post.type = legacyType(content, layout);
  post.content = { content, layout, trail: [] };
  post.extra = { community_labels: { has_community_label: false, categories: [] }, ...seed?.extra };
  post.tags = ["seed", "blocks"];
  post.slug = `blocks-${i}`;
  return post;
}

const HOURS = 3600;
const LEGACY_POSTS = 40;

function seedPublished(db: Database): void {
  for (let i = 0; i < LEGACY_POSTS; i++) {
    savePost(db, legacyPost(db, "demo", "demo", i, EPOCH - (70 - i) * 6 * HOURS));
  }
  for (let i = 0; i < BLOCK_POSTS.length; i++) {
    savePost(db, blockPost(db, "demo", "demo", i, EPOCH - (30 - i) * 6 * HOURS));
  }
  for (let i = 0; i < 10; i++) savePost(db, blockPost(db, "ada", "ada", i, EPOCH - (30 - i) * 5 * HOURS));
  for (let i = 0; i < 3; i++) savePost(db, legacyPost(db, "newsroom", "ada", i, EPOCH - (9 - i) * HOURS));
  for (let i = 0; i < 3; i++) {
    savePost(db, legacyPost(db, "demo-journal", "demo", i, EPOCH - (9 - i) * HOURS));
  }
  for (let i = 0; i < 2; i++) savePost(db, legacyPost(db, "grace", "grace", i, EPOCH - (5 - i) * HOURS));
}

/** Adds two reblogs of a post of `ada`. One has a comment, and the trail of the other has a broken item. */
function seedReblogs(db: Database, parent: Post): void {
  const item = {
    post: { id: parent.id, timestamp: parent.timestamp, is_commercial: false },
    blog: { uuid: parent.blog, name: "ada", url: "https://notes.ada.example/" },
    content: parent.content.content,
    layout: parent.content.layout,
  };
  const broken = {
    broken_blog_name: "gone-blog",
    broken_blog: { name: "gone-blog", avatar: [] },
    content: [{ type: "text", text: "Lost" }],
    layout: [],
  };
  for (const [i, trail] of [[item], [broken, item]].entries()) {
    const post = fresh(db, "demo", "demo", EPOCH - (2 - i) * HOURS);
    Object.assign(post, {
      parentId: parent.id,
      rootId: parent.rootId,
      type: parent.type,
      tags: ["reblog"],
      slug: "",
    });
    const words = i === 0 ? [{ type: "text", text: "Worth repeating" }] : [];
    post.content = { content: words, layout: [], trail };
    savePost(db, post);
  }
}

function seedWaiting(db: Database): void {
  for (let i = 0; i < 5; i++) {
    const post =
      i % 2 === 0 ? blockPost(db, "demo", "demo", i, EPOCH) : legacyPost(db, "demo", "demo", i, EPOCH);
    Object.assign(post, { state: "queued", queuePosition: i + 1, publishOn: i === 4 ? 4_070_908_800 : null });
    savePost(db, post);
  }
  for (let i = 0; i < 23; i++) {
    const post =
      i % 3 === 0 ? blockPost(db, "demo", "demo", i, EPOCH) : legacyPost(db, "demo", "demo", i, EPOCH);
    savePost(db, { ...post, state: "draft" });
  }
  for (const type of ["private"] as const) {
    savePost(db, { ...legacyPost(db, "demo", "demo", 0, EPOCH - HOURS), state: type });
  }
  for (let i = 0; i < 3; i++) {
    const post = legacyPost(db, "demo", i === 2 ? "" : "ada", [0, 6, 1][i] ?? 0, EPOCH - i * HOURS);
    const named = { post_author: "ada" };
    const anonymous = {
      anonymous_name: "A Reader",
      anonymous_email: "reader@example.org",
      is_anonymous: true,
    };
    Object.assign(post.extra, { is_submission: true }, i === 2 ? anonymous : named);
    savePost(db, { ...post, state: "submission" });
  }
}

/** Adds unanswered questions to `demo`: from `ada`, from an anonymous user, and from `ada` as blocks. */
function seedQuestions(db: Database): void {
  const question = (i: number) => fresh(db, "demo", "ada", EPOCH - (4 + i) * HOURS);
  const asked = [
    { asking_name: "ada", asking_url: "https://notes.ada.example/", question: "What are you reading?" },
    { asking_name: "Anonymous", asking_url: null, question: "Who are you?" },
  ];
  for (const [i, fields] of asked.entries()) {
    const post = Object.assign(question(i), { stored: "legacy", type: "answer", slug: "" });
    post.content = { ...fields, answer: "" };
    if (i > 0) Object.assign(post, { author: "", extra: { is_anonymous: true } });
    savePost(db, { ...post, state: "submission" });
  }
  const blocks = Object.assign(question(asked.length), { type: "answer", slug: "" });
  const blog = { uuid: uuidOf("ada"), name: "ada", url: "https://notes.ada.example/" };
  blocks.content = {
    content: [{ type: "text", text: "Do you take requests?" }],
    layout: [{ type: "ask", blocks: [0], attribution: { type: "blog", url: blog.url, blog } }],
    trail: [],
  };
  savePost(db, { ...blocks, state: "submission" });
}

export function seedPosts(db: Database): void {
  seedPublished(db);
  const parent = db.get<{ id: string }>(
    "SELECT id FROM posts WHERE blog = ? ORDER BY id LIMIT 1",
    uuidOf("ada"),
  );
  if (parent) {
    const seed = BLOCK_POSTS[0];
    const post = blankPost(parent.id, uuidOf("ada"), "ada", reblogKeyOf(parent.id), EPOCH - 150 * HOURS);
    post.content = { content: seed?.content ?? [], layout: seed?.layout ?? [] };
    seedReblogs(db, post);
  }
  seedWaiting(db);
  seedQuestions(db);
}
