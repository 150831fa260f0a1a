/** Responses of the community service, as its reference describes them. */
import { BLOCKS, BLOG } from "../user/bodies.ts";

/** A community as it appears in posts and lists. */
export const SHORT = {
  name: "gardeners",
  uuid: "t:GardenersGardeners0001",
  title: "Gardeners",
  member_count: 42,
  mention_tag: "@@gardeners",
  can_view: true,
  avatar_image: [{ width: 64, height: 64, url: "https://media.example/a/64.png" }],
};

/** A community for a member. */
export const FULL = {
  ...SHORT,
  description: "All that grows",
  about: "Gardens",
  guidelines: ["Be kind", "No weeds"],
  visibility: "public",
  members_online_count: 3,
  is_member: true,
  can_post: true,
  can_edit: false,
  can_interact: true,
  can_invite: false,
  can_view_comments: true,
  post_count: 7,
  unread_post_count: 2,
  tags: ["garden"],
  created_ts: 1_700_000_000,
  header_image: [{ type: "image/png", width: 1280, height: 720, url: "https://media.example/h.png" }],
  population_cap: null,
  join_type: "free",
  has_content_label: false,
  content_label_categories: [],
  content_label_last_reporter: null,
};

/** A community for an invited user. */
export const INVITED = {
  ...FULL,
  is_member: false,
  visibility: "private",
  join_type: "invite",
  population_cap: 1000,
  invitation: { type: "direct", sender: BLOG },
};

/** A community for an administrator who edits it. */
export const EDITABLE = {
  ...FULL,
  can_edit: true,
  has_content_label: true,
  content_label_categories: ["violence"],
  content_label_last_reporter: "admin",
  invite_link: "https://www.blog.example/communities/gardeners/join/h4sh",
  pending_invitations_count: 1,
  handle_can_change: false,
  handle_next_change_ts: 1_762_600_000,
  can_edit_content_label: true,
  settings: { invite_links_enabled: true, join_type: "invite", mods_can_invite: false, automod_links: true },
};

export const INVITATION = { sender: BLOG, recipient: { name: "reader-01" }, sent_on: 1_761_998_000 };

export const MEMBER = {
  ...BLOG,
  joined_ts: 1_761_000_000,
  is_admin: true,
  is_moderator: false,
  is_following_you: true,
  followed: true,
  is_mutual: true,
};

export const MODERATED = {
  action: "moderate_post",
  reason: "off_topic",
  note: "Not a garden",
  ts: 1_761_998_100,
  post: BLOCKS,
  moderator: BLOG,
};

export const LINKS = {
  next: {
    href: "/v2/communities/gardeners/members?page=2",
    method: "GET",
    query_params: { page: "2" },
  },
};

/** A community post as an element of its timeline. */
export const ELEMENT = {
  object_type: "post",
  ...BLOCKS,
  community: SHORT,
  can_react: true,
  can_moderate: true,
  reactions: [
    {
      count: 2,
      preview: ["ada"],
      reacted: true,
      emoji: { id: 7, grapheme: "👍", variants: [], base_slug: ":thumbs_up:" },
    },
  ],
  is_admin: false,
  is_moderator: true,
  post_author: "ada",
  author_blog: BLOG,
};

export const TIMELINE = {
  elements: [
    ELEMENT,
    { object_type: "title", text: "More" },
    { object_type: "blog", resources: [BLOG] },
    { object_type: "carousel", elements: [{ ...ELEMENT, display_type: "recommended" }] },
  ],
  _links: {
    next: {
      href: "/v2/communities/gardeners/timeline?cursor=c2",
      method: "GET",
      query_params: { cursor: "c2" },
    },
  },
};

/** A banner that celebrates a first reaction. */
export const BANNER = { elements: [{ object_type: "signpost_cta", title: "Your first reaction!" }] };
