import { EMOJI } from "../communities/emoji.ts";
import type { JsonObject } from "../json.ts";
import {
  addInvitation,
  addMember,
  ban,
  type Community,
  endInvitation,
  type Role,
  saveCommunity,
} from "../store/communities.ts";
import type { Database } from "../store/database.ts";
import { blankPost, savePost } from "../store/posts.ts";
import { legacyType } from "../view/blocks-to-legacy.ts";
import { READERS, readerName, uuidOf } from "./blogs.ts";
import { EPOCH } from "./epoch.ts";
import { reblogKeyOf } from "./posts.ts";

/**
 * The user who has each standing in the communities `public` and `private`. The token of a user is
 * `<user>-user-access-token`.
 */
export const CAST = Object.freeze({
  admin: "demo",
  moderator: "ada",
  member: "grace",
  invited: "reader-01",
  banned: "reader-02",
  nobody: "reader-03",
});

/**
 * Returns the id of a seeded post. The id is outside of the range of new ids, and a double cannot represent
 * it exactly.
 */
function postId(community: number, index: number): string {
  return String(735_900_000_000_000_001n + BigInt(community) * 1_000_000_003n + BigInt(index) * 1009n);
}

/**
 * Returns the posts in `public` and `private` that tests name. All other posts are visible and were never
 * moderated.
 */
function namedPosts(community: number) {
  return Object.freeze({
    byAdmin: postId(community, 0),
    byModerator: postId(community, 1),
    byMember: postId(community, 2),
    /** Written by the member, and removed by the moderator as spam. */
    removed: postId(community, 3),
    /** Written by the member, removed by the moderator as off topic, and restored. */
    restored: postId(community, 4),
    /** Deleted by its author. */
    deleted: postId(community, 5),
  });
}

/** The seeded communities. */
export const COMMUNITIES = Object.freeze({
  /** A public community that everybody can join, with more than one page of members and posts. */
  public: {
    handle: "gardeners",
    uuid: "t:Gard3nersCommunity0001",
    hash: "gardeners-hash-0001",
    posts: namedPosts(1),
  },
  /** A private community, which users join by invitation or link. `reader-05` declined an invitation. */
  private: {
    handle: "book-club",
    uuid: "t:B00kClubCommunity00002",
    hash: "book-club-hash-0002",
    posts: namedPosts(2),
  },
  /**
   * A public community that is open to everybody, but already full with three members. `ada` is its admin,
   * and `reader-01` is invited.
   */
  full: { handle: "full-house", uuid: "t:FullH0useCommunity0003", hash: "full-house-hash-0003" },
  /**
   * A public community that users join by invitation, so that other users see only its members `ada` (admin)
   * and `reader-06` (moderator). Invite links are disabled, and the service set the content label.
   */
  hidden: { handle: "quiet-circle", uuid: "t:QuietCircl3Community04", hash: "quiet-circle-hash-04" },
  /** A private community whose only member `ada` has invited `demo` and more than a page of other users. */
  inviting: { handle: "night-sky", uuid: "t:NightSkyC0mmunity00005", hash: "night-sky-hash-0005" },
});

const DAY = 86_400;
const HOUR = 3600;
const FOUNDED = EPOCH - 90 * DAY;
const GARDENERS_POSTS = 26;
const BOOK_CLUB_POSTS = 7;

function seedCommunity(
  db: Database,
  { handle, uuid, hash }: { handle: string; uuid: string; hash: string },
  title: string,
  more: Partial<Community> = {},
): Community {
  const community: Community = {
    uuid,
    handle,
    handleChanged: null,
    private: false,
    joinType: "free",
    inviteLinks: true,
    inviteHash: hash,
    modsCanInvite: false,
    automodLinks: false,
    populationCap: null,
    labelLocked: false,
    created: FOUNDED,
    ...more,
    data: {
      title,
      description: `A place for ${title.toLowerCase()}`,
      about: "Be kind, and stay on topic.",
      guidelines: ["Be kind", "Stay on topic"],
      tags: [handle, "seed"],
      has_content_label: false,
      content_label_categories: [],
      content_label_last_reporter: null,
      ...more.data,
    },
  };
  saveCommunity(db, community);
  return community;
}

function join(db: Database, community: Community, users: readonly string[], role: Role = "member"): void {
  for (const [i, user] of users.entries()) {
    addMember(db, community, uuidOf(user), role, FOUNDED + (i + 1) * HOUR);
  }
}

function invite(db: Database, community: Community, sender: string, recipients: readonly string[]): void {
  for (const [i, recipient] of recipients.entries()) {
    const sentOn = EPOCH - i * 600;
    addInvitation(db, community, {
      sender: uuidOf(sender),
      recipient: uuidOf(recipient),
      message: "Join us!",
      sentOn,
    });
  }
}

/** Adds the admin, moderator, member, invited user and banned user in `CAST` to a community. */
function seedCast(db: Database, community: Community): void {
  join(db, community, [CAST.admin], "admin");
  join(db, community, [CAST.moderator], "moderator");
  join(db, community, [CAST.member]);
  invite(db, community, CAST.admin, [CAST.invited]);
  ban(db, community, uuidOf(CAST.banned));
}

function readers(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => readerName(from + i));
}

const AUTHORS = [CAST.admin, CAST.moderator, CAST.member, CAST.member, CAST.member, CAST.member] as const;

function content(i: number): JsonObject[] {
  const text = { type: "text", text: `Community post ${i} \u{1F331}` };
  if (i % 8 !== 0) return [text];
  const answers = ["Roses", "Tulips"].map((answer_text, n) => ({
    client_id: `answer-${i}-${n}`,
    answer_text,
  }));
  const settings = { multiple_choice: false, close_status: "closed-after", expire_after: DAY };
  return [text, { type: "poll", client_id: `poll-${i}`, question: "Which?", answers, settings }];
}

function seedPosts(db: Database, community: Community, number: number, count: number): void {
  for (let i = 0; i < count; i++) {
    const id = postId(number, i);
    const author = AUTHORS[i] ?? AUTHORS[i % 3] ?? CAST.admin;
    const post = blankPost(id, uuidOf(author), author, reblogKeyOf(id), EPOCH - i * HOUR);
    const blocks = content(i);
    Object.assign(post, { state: "community", tags: [community.handle], slug: `community-post-${i}` });
    post.type = legacyType(blocks, []);
    post.content = { content: blocks, layout: [], trail: [] };
    db.insert("community_posts", { post_id: id, community: community.uuid });
    if (i !== 5) savePost(db, post);
  }
}

function seedModeration(db: Database, posts: { removed: string; restored: string; byAdmin: string }): void {
  const moderator = uuidOf(CAST.moderator);
  const record = (post_id: string, action: string, reason: string | undefined, note: string, ts: number) =>
    db.insert("community_moderation", { post_id, action, reason, note, ts, moderator });
  record(posts.removed, "moderate_post", "spam", "Advertises a shop", EPOCH - 2 * HOUR);
  db.run("UPDATE community_posts SET removed = 1 WHERE post_id = ?", posts.removed);
  record(posts.restored, "moderate_post", "off_topic", "", EPOCH - 3 * HOUR);
  record(posts.restored, "restore_post", undefined, "It was on topic after all", EPOCH - HOUR);
  for (const [emoji, user] of [
    [0, CAST.moderator],
    [0, CAST.member],
    [4, CAST.admin],
  ] as const) {
    db.insert("community_reactions", { post_id: posts.byAdmin, emoji: EMOJI[emoji]?.id, blog: uuidOf(user) });
  }
}

export function seedCommunities(db: Database): void {
  const gardeners = seedCommunity(db, COMMUNITIES.public, "Gardeners");
  seedCast(db, gardeners);
  join(db, gardeners, readers(4, READERS));
  seedPosts(db, gardeners, 1, GARDENERS_POSTS);
  seedModeration(db, COMMUNITIES.public.posts);

  const bookClub = seedCommunity(db, COMMUNITIES.private, "Book club", { private: true, joinType: "invite" });
  seedCast(db, bookClub);
  invite(db, bookClub, CAST.admin, ["reader-05"]);
  endInvitation(db, bookClub, uuidOf("reader-05"), "gone");
  seedPosts(db, bookClub, 2, BOOK_CLUB_POSTS);
  seedModeration(db, COMMUNITIES.private.posts);

  const full = seedCommunity(db, COMMUNITIES.full, "Full house", { populationCap: 3 });
  join(db, full, ["ada"], "admin");
  join(db, full, readers(4, 5));
  invite(db, full, "ada", [CAST.invited]);

  const hidden = seedCommunity(db, COMMUNITIES.hidden, "Quiet circle", {
    joinType: "invite",
    inviteLinks: false,
    labelLocked: true,
  });
  hidden.data.has_content_label = true;
  hidden.data.content_label_categories = ["violence"];
  hidden.data.content_label_last_reporter = "service";
  saveCommunity(db, hidden);
  join(db, hidden, ["ada"], "admin");
  join(db, hidden, ["reader-06"], "moderator");
  join(db, hidden, ["reader-04", "reader-05", "reader-07"]);

  const inviting = seedCommunity(db, COMMUNITIES.inviting, "Night sky", {
    private: true,
    joinType: "invite",
  });
  join(db, inviting, ["ada"], "admin");
  invite(db, inviting, "ada", ["demo", CAST.invited, ...readers(3, READERS)]);
}
