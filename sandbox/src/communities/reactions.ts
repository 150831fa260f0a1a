import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { ROLES } from "../store/communities.ts";
import type { Post } from "../store/posts.ts";
import { isOneOf, type Visit, visit } from "./access.ts";
import { requireVisiblePost } from "./community-post.ts";
import { type Emoji, emojiByGrapheme, emojiById, emojiBySlug } from "./emoji.ts";
import { communityError } from "./errors.ts";

/**
 * Returns the community if the caller is a member. Throws 23020 for banned users, and 23002 for all other
 * users.
 */
function reacting(call: Call): Visit {
  const found = visit(call);
  if (isOneOf(found.standing, ROLES)) return found;
  throw communityError(found.standing === "banned" ? "banned" : "membersOnly");
}

/**
 * Returns the emoji in the request. `slug` takes precedence over `grapheme`. Throws 400 if the emoji is
 * missing or unknown.
 */
function emojiOf(call: Call): Emoji {
  const slug = call.input.text("slug");
  const grapheme = call.input.text("grapheme");
  if (!slug && !grapheme) throw reject(400, "Missing required parameter: slug or grapheme");
  const emoji = slug ? emojiBySlug(slug) : emojiByGrapheme(grapheme ?? "");
  if (!emoji) throw reject(400, `Unknown reaction: ${slug || grapheme}`);
  return emoji;
}

/**
 * Throws 22001 if the post has too many different reactions, and 22002 if the caller has too many reactions
 * to it.
 */
function checkLimits(call: Call, post: Post, emoji: Emoji, blog: string): void {
  const { db, limits } = call.world;
  const where = "FROM community_reactions WHERE post_id = ?";
  const known = db.count(`SELECT COUNT(*) AS n ${where} AND emoji = ?`, post.id, emoji.id) > 0;
  const kinds = db.count(`SELECT COUNT(DISTINCT emoji) AS n ${where}`, post.id);
  if (!known && kinds >= limits.reactionsPerPost) throw communityError("postReactions");
  const own = db.count(`SELECT COUNT(*) AS n ${where} AND blog = ?`, post.id, blog);
  if (own >= limits.reactionsPerUser) throw communityError("ownReactions");
}

/** Returns a timeline that contains only the celebration of a first reaction. */
function celebration(emoji: Emoji): object {
  const banner = {
    object_type: "banner",
    id: "first-reaction",
    title: { text: `Your first reaction here: ${emoji.grapheme}` },
  };
  return { timeline: { elements: [banner] } };
}

/**
 * Handles PUT /v2/communities/{community-handle}/posts/{post-id}/reactions. If the reaction already exists,
 * nothing changes.
 */
export function addReaction(call: Call): HttpResponse {
  const { community, blog } = reacting(call);
  const { db } = call.world;
  const post = requireVisiblePost(call, community);
  const emoji = emojiOf(call);
  const mine = "SELECT COUNT(*) AS n FROM community_reactions WHERE blog = ?";
  if (db.count(`${mine} AND post_id = ? AND emoji = ?`, blog.uuid, post.id, emoji.id) > 0) {
    return envelope([]);
  }
  checkLimits(call, post, emoji, blog.uuid);
  const inCommunity = "post_id IN (SELECT post_id FROM community_posts WHERE community = ?)";
  const first = db.count(`${mine} AND ${inCommunity}`, blog.uuid, community.uuid) === 0;
  db.insert("community_reactions", { post_id: post.id, emoji: emoji.id, blog: blog.uuid });
  return envelope(first ? celebration(emoji) : []);
}

/**
 * Handles DELETE /v2/communities/{community-handle}/posts/{post-id}/reactions/{reaction-id}. The ID may also
 * be a grapheme.
 */
export function removeReaction(call: Call): HttpResponse {
  const { community, blog } = reacting(call);
  const post = requireVisiblePost(call, community);
  const id = call.path.reaction ?? "";
  const emoji = emojiById(id) ?? emojiByGrapheme(id);
  if (!emoji) throw reject(404, `Unknown reaction: ${id}`);
  call.world.db.run(
    "DELETE FROM community_reactions WHERE post_id = ? AND emoji = ? AND blog = ?",
    post.id,
    emoji.id,
    blog.uuid,
  );
  return envelope([]);
}
