import { isObject, type JsonObject } from "../json.ts";
import { type Blog, blogUrl, isMember, primaryBlog } from "../store/blogs.ts";
import type { View } from "./view.ts";

const AVATAR_SIZES = [512, 128, 96, 64] as const;

/** Returns the address of an avatar image with the given size. */
export function avatarUrl(blog: Blog, size: number): string {
  return `https://media.blog.example/avatars/${blog.uuid.slice(2)}_${size}.png`;
}

function avatar(blog: Blog): JsonObject[] {
  return AVATAR_SIZES.map((size) => ({
    width: size,
    height: size,
    url: avatarUrl(blog, size),
    accessories: [],
  }));
}

function relations(blog: Blog, view: View): JsonObject {
  const { user, world } = view;
  if (user === undefined) return {};
  const { db } = world;
  const mine = primaryBlog(db, user);
  const followed =
    db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?", user, blog.uuid) > 0;
  const blocked =
    db.count("SELECT COUNT(*) AS n FROM blocks WHERE blog = ? AND target = ?", mine, blog.uuid) > 0;
  return { followed, is_blocked_from_primary: blocked };
}

function ownFields(blog: Blog, view: View): JsonObject {
  const { db } = view.world;
  if (!isMember(db, blog, view.user)) return {};
  const count = (state: string) =>
    db.count("SELECT COUNT(*) AS n FROM posts WHERE blog = ? AND state = ?", blog.uuid, state);
  return {
    admin:
      db.count("SELECT admin AS n FROM members WHERE blog = ? AND user = ?", blog.uuid, view.user ?? "") ===
      1,
    primary: primaryBlog(db, view.user ?? "") === blog.uuid,
    drafts: count("draft"),
    queue: count("queued"),
    messages: count("submission"),
    followers: db.count("SELECT COUNT(*) AS n FROM follows WHERE blog = ?", blog.uuid),
    tweet: "N",
    type: blog.private ? "private" : "public",
  };
}

/** Returns the fields that are sent only when `fields[blogs]` selects them. */
export function optionalFields(blog: Blog, view: View): JsonObject {
  const { db, clock } = view.world;
  const out: JsonObject = {};
  const since = (user: string, followed: string) =>
    db.get<{ timestamp: number }>("SELECT timestamp FROM follows WHERE user = ? AND blog = ?", user, followed)
      ?.timestamp;
  const age = (start: number | undefined) =>
    start === undefined ? -1 : Math.max(0, clock.seconds() - start);
  if (view.user !== undefined) {
    const back = since(blog.owner, primaryBlog(db, view.user));
    out.is_following_you = back !== undefined;
    out.duration_blog_following_you = age(back);
    out.duration_following_blog = age(since(view.user, blog.uuid));
    if (isMember(db, blog, view.user)) {
      out.timezone = "Europe/Vienna";
      out.timezone_offset = "GMT+01:00";
    }
  }
  out.is_hidden_from_blog_network = false;
  return out;
}

function select(all: JsonObject, optional: JsonObject, view: View): JsonObject {
  const { only } = view.blogs;
  const wanted = Object.entries(optional).filter(([name]) => view.blogs.optional.has(name));
  const chosen = only ? Object.entries(all).filter(([name]) => only.has(name)) : Object.entries(all);
  return Object.fromEntries([...chosen, ...wanted]);
}

/** Returns the blog object with its default fields, or the fields that `fields[blogs]` selects. */
export function blogObject(blog: Blog, view: View): JsonObject {
  const { db } = view.world;
  const posts = db.count("SELECT COUNT(*) AS n FROM posts WHERE blog = ? AND state = 'published'", blog.uuid);
  const all: JsonObject = {
    ...shortFields(blog),
    posts,
    total_posts: posts,
    ...blog.data,
    avatar: avatar(blog),
    ...(blog.data.ask === true ? {} : { ask_anon: undefined }),
    ...relations(blog, view),
    share_likes: blog.shareLikes,
    share_following: blog.shareFollowing,
    ...ownFields(blog, view),
  };
  if (blog.shareLikes && primaryBlog(db, blog.owner) === blog.uuid) {
    all.likes = db.count("SELECT COUNT(*) AS n FROM likes WHERE user = ?", blog.owner);
  }
  return select(all, optionalFields(blog, view), view);
}

/** Returns `circle` or `square`, depending on the theme of the blog. */
export function avatarShape(blog: Blog): string {
  const { theme } = blog.data;
  return isObject(theme) && theme.avatar_shape === "circle" ? "circle" : "square";
}

function shortFields(blog: Blog): JsonObject {
  return {
    name: blog.name,
    title: blog.data.title,
    description: blog.data.description,
    url: blogUrl(blog),
    uuid: blog.uuid,
    updated: blog.updated,
    can_show_badges: false,
  };
}

/** Returns the short form of a blog, for posts, lists and trails. */
export function shortBlog(blog: Blog, view: View): JsonObject {
  return select(shortFields(blog), optionalFields(blog, view), view);
}

/** Returns the smallest form of a blog, for mentions and attributions. */
export function blogReference(blog: Blog): JsonObject {
  return { uuid: blog.uuid, name: blog.name, url: blogUrl(blog) };
}
