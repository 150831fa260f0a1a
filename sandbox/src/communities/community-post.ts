import type { Call } from "../dispatch/call.ts";
import type { JsonObject } from "../json.ts";
import { blogByUuid } from "../store/blogs.ts";
import { type Community, findMember, ROLES } from "../store/communities.ts";
import type { Database } from "../store/database.ts";
import { findPost, type Post } from "../store/posts.ts";
import { shortBlog } from "../view/blog-object.ts";
import { postObject } from "../view/post-object.ts";
import { viewOf } from "../view/view.ts";
import { isOneOf, STAFF, type Visit } from "./access.ts";
import { shortCommunity } from "./community-object.ts";
import { type Emoji, emojiById } from "./emoji.ts";
import { communityError } from "./errors.ts";

const PREVIEW = 3;

/** A post in a community, and its removal if a moderator has removed it. */
export interface CommunityPost {
  readonly post: Post;
  readonly removed: boolean;
}

/** Returns the post that the path names. Throws 404 with 24005 if it is missing or deleted. */
export function requirePost(call: Call, community: Community): CommunityPost {
  const { db } = call.world;
  const id = call.path.post ?? "";
  const row = db.get<{ removed: number }>(
    "SELECT removed FROM community_posts WHERE post_id = ? AND community = ?",
    id,
    community.uuid,
  );
  const post = row && findPost(db, id);
  if (!post) throw communityError("postNotFound");
  return { post, removed: row.removed === 1 };
}

/** Returns the post that the path names. Throws if a moderator removed it. */
export function requireVisiblePost(call: Call, community: Community): Post {
  const { post, removed } = requirePost(call, community);
  if (removed) throw communityError("postNotFound");
  return post;
}

function emojiObject({ id, grapheme, variants, slug }: Emoji): JsonObject {
  return { id, grapheme, variants, base_slug: slug };
}

/** Returns the reactions to a post, in the order of their first use. */
function reactions(db: Database, post: Post, caller: string): JsonObject[] {
  const rows = db.all<{ emoji: string; blog: string }>(
    "SELECT emoji, blog FROM community_reactions WHERE post_id = ? ORDER BY seq",
    post.id,
  );
  return [...Map.groupBy(rows, (row) => row.emoji)].flatMap(([id, given]) => {
    const emoji = emojiById(id);
    if (!emoji) return [];
    const preview = given.slice(0, PREVIEW).map(({ blog }) => blogByUuid(db, blog).name);
    const reacted = given.some(({ blog }) => blog === caller);
    return [{ emoji: emojiObject(emoji), count: given.length, preview, reacted }];
  });
}

/** Returns a post as its community shows it: in blocks, with additional fields for communities. */
export function communityPostObject(call: Call, found: Visit, post: Post): JsonObject {
  const { community, standing, blog } = found;
  const { db } = call.world;
  const view = { ...viewOf(call), npf: true };
  const author = blogByUuid(db, post.blog);
  const role = findMember(db, community, post.blog)?.role;
  return {
    ...postObject(post, view),
    community: shortCommunity(call, found),
    can_react: isOneOf(standing, ROLES),
    ...(isOneOf(standing, STAFF) ? { can_moderate: true } : {}),
    reactions: reactions(db, post, blog.uuid),
    is_admin: role === "admin",
    is_moderator: role === "moderator",
    post_author: author.name,
    author_blog: shortBlog(author, view),
  };
}
