import { NOTIFICATION_TYPES } from "../blog/notifications.ts";
import type { JsonObject } from "../json.ts";
import type { Database } from "../store/database.ts";
import { BLOGS, READERS, readerName, uuidOf } from "./blogs.ts";
import { EPOCH } from "./epoch.ts";

const MINUTE = 60;

function follow(db: Database, user: string, blog: string, timestamp: number): void {
  db.insert("follows", { user, blog: uuidOf(blog), timestamp });
}

function seedFollows(db: Database): void {
  for (let i = 1; i <= READERS; i++) {
    follow(db, readerName(i), "demo", EPOCH - i * 1000);
    follow(db, "demo", readerName(i), EPOCH - i * 500);
  }
  follow(db, "ada", "demo", EPOCH - 86_400);
  follow(db, "demo", "ada", EPOCH - 2 * 86_400);
  follow(db, "ada", "grace", EPOCH - 3 * 86_400);
}

function note(
  db: Database,
  root: string,
  type: string,
  blog: string,
  seconds: number,
  data: JsonObject = {},
): void {
  const micros = seconds * 1_000_000 + 123_456;
  db.insert("notes", { root_id: root, type, micros, blog: uuidOf(blog), data: JSON.stringify(data) });
}

/**
 * Adds the notes of a post: its creation, more than a page of likes, reblogs with and without text, and
 * replies.
 */
function seedNotes(db: Database, root: string, posted: number): void {
  note(db, root, "posted", "demo", posted);
  for (let i = 1; i <= READERS; i++) {
    note(db, root, "like", readerName(i), posted + i * MINUTE);
    const reblog = { post_id: `7350000001${String(i).padStart(8, "0")}`, reblog_parent_blog_name: "demo" };
    const tags = i % 3 === 0 ? ["nice", "saved"] : [];
    const words = i % 4 === 0 ? { added_text: `Added by ${i}` } : {};
    note(db, root, "reblog", readerName(i), posted + i * MINUTE + 20, { ...reblog, tags, ...words });
    if (i % 3 !== 0) continue;
    const mention = {
      start: 0,
      end: 5,
      type: "mention",
      blog: { uuid: uuidOf("demo"), name: "demo", url: "https://demo.blog.example/" },
    };
    note(db, root, "reply", readerName(i), posted + i * MINUTE + 40, {
      reply_text: `@demo well said, ${i}`,
      formatting: [mention],
    });
  }
  note(db, root, "post_attribution", "ada", posted + 90 * MINUTE, {
    post_id: "735000000200000001",
    post_attribution_type: "image",
    post_attribution_type_name: "Image",
    photo_url: "https://media.blog.example/a/s640.jpg",
    photo_width: 640,
    photo_height: 480,
  });
}

function seedLikes(db: Database): void {
  const posts = db.all<{ id: string }>(
    "SELECT id FROM posts WHERE blog IN (?, ?) AND state = 'published' ORDER BY blog = ? DESC, id LIMIT 25",
    uuidOf("ada"),
    uuidOf("demo"),
    uuidOf("ada"),
  );
  for (const [i, post] of posts.entries()) {
    db.insert("likes", { user: "demo", post_id: post.id, timestamp: EPOCH - i * 3600 });
  }
  for (const post of posts.slice(0, 3)) {
    db.insert("likes", { user: "grace", post_id: post.id, timestamp: EPOCH });
  }
}

/** Returns the fields of a seeded notification of a type. */
function notification(type: string, i: number, target: string): JsonObject {
  const from = {
    from_tumblelog_name: readerName(1 + (i % READERS)),
    from_tumblelog_uuid: uuidOf(readerName(1 + (i % READERS))),
    from_tumblelog_is_adult: false,
    followed: i % 2 === 0,
  };
  const post = {
    target_root_post_id: i % 2 === 0 ? "" : null,
    private_channel: false,
    target_post_type: "regular",
    post_type: "text",
    reblog_key: `key${i}`,
  };
  const other = `7350000003${String(i).padStart(8, "0")}`;
  switch (type) {
    case "like":
      return { ...from, ...post };
    case "reply":
      return { ...from, ...post, reply_text: `Reply ${i}` };
    case "follow":
      return { ...from, target_post_id: "" };
    case "mention_in_reply":
      return { ...from, ...post, post_id: other, can_reply: true, reply_text: "@demo look" };
    case "mention_in_post":
      return { ...from, ...post, post_id: other, can_reply: true };
    case "reblog_naked":
      return { ...from, ...post, post_id: other, post_tags: ["seen"] };
    case "reblog_with_content":
      return { ...from, ...post, post_id: other, post_tags: [], added_text: `Words ${i}` };
    case "ask":
      return i % 2 === 0
        ? { ...post, target_post_id: target, is_anonymous: true }
        : { ...from, ...post, is_anonymous: false };
    case "answered_ask":
      return { ...from, ...post };
    default:
      return {};
  }
}

function seedNotifications(db: Database, target: string): void {
  const demo = uuidOf("demo");
  for (let i = 0; i < 3 * NOTIFICATION_TYPES.length; i++) {
    const type = NOTIFICATION_TYPES[i % NOTIFICATION_TYPES.length] ?? "like";
    const data = notification(type, i, target);
    const post = typeof data.target_post_id === "string" ? data.target_post_id : target;
    db.insert("notifications", {
      blog: demo,
      type,
      timestamp: EPOCH - i * 600,
      target_post_id: post,
      data: JSON.stringify(data),
    });
  }
}

const PAGES = [
  {
    path: "about",
    title: "About",
    content: "<p>About this blog.</p>",
    custom_template: false,
    show_link: true,
  },
  {
    path: "faq/answers",
    title: "Questions & answers",
    content: "<h1>FAQ</h1>",
    custom_template: true,
    show_link: true,
  },
  { path: "imprint", title: "Imprint", content: "", custom_template: false, show_link: false },
];

export function seedSocial(db: Database): void {
  seedFollows(db);
  const demo = uuidOf("demo");
  const posts = db.all<{ id: string; timestamp: number }>(
    "SELECT id, timestamp FROM posts WHERE blog = ? AND state = 'published' ORDER BY timestamp, id",
    demo,
  );
  const first = posts[0];
  if (first) {
    seedNotes(db, first.id, first.timestamp);
    seedNotifications(db, first.id);
  }
  for (const [i, post] of posts.slice(1, 9).entries()) {
    note(db, post.id, "like", readerName(i + 1), post.timestamp + 60);
  }
  seedLikes(db);
  for (const [i, page] of PAGES.entries()) {
    const data = { ...page, position: i + 1, updated_at: EPOCH - i * 86_400 };
    db.insert("pages", { blog: demo, path: page.path, position: i + 1, data: JSON.stringify(data) });
  }
  db.insert("blocks", { blog: demo, target: uuidOf("grace"), timestamp: EPOCH - 5000 });
  db.insert("blocks", { blog: demo, address: "address-of-an-anonymous-asker", timestamp: EPOCH - 4000 });
  for (const blog of BLOGS) {
    const newest = db.count(
      "SELECT MAX(timestamp) AS n FROM posts WHERE blog = ? AND state = 'published'",
      blog.uuid,
    );
    db.run("UPDATE blogs SET updated = ? WHERE uuid = ?", newest === 0 ? EPOCH : newest, blog.uuid);
  }
}

/** The filters of `demo`: plain tags, and tags that are hard to encode in a path. */
export const FILTERS = Object.freeze({
  filtered_tags: ["spoilers", "two words", "a/b", "c%2Fd", "#hash", "\u{1F333}"],
  filtered_content: ["cliffhanger", "50% off & more"],
});

/**
 * Seeds the filters of `demo`, and e-mail addresses of blogs, with and without permission to search by them.
 */
export function seedFilters(db: Database): void {
  for (const [kind, values] of Object.entries(FILTERS)) {
    for (const value of values) db.insert("filters", { user: "demo", kind, value });
  }
  db.insert("discovery", { email: "ada@example.org", blog: uuidOf("ada"), allowed: 1 });
  db.insert("discovery", { email: "grace@example.org", blog: uuidOf("grace"), allowed: 0 });
}
