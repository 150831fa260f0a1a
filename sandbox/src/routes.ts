import { avatarImage, blogAvatar } from "./blog/avatar.ts";
import { createBlock, createBlocks, deleteBlock, listBlocks } from "./blog/blocks.ts";
import { followedBy, followers, following } from "./blog/follows.ts";
import { blogInfo } from "./blog/info.ts";
import { blogLikes } from "./blog/likes.ts";
import { notifications } from "./blog/notifications.ts";
import { oembed } from "./blog/oembed.ts";
import { listPages, onePage } from "./blog/pages.ts";
import { getCommunity, listCommunities, updateCommunity } from "./communities/community.ts";
import { deleteInvitation, getInvitation, invite, listInvitations } from "./communities/invitations.ts";
import { listMembers } from "./communities/members.ts";
import {
  joinCommunity,
  muteCommunity,
  removeFromCommunity,
  renewInviteHash,
  setRole,
  unmuteCommunity,
} from "./communities/membership.ts";
import { getModeration, moderatePost, restorePost } from "./communities/moderation.ts";
import { addReaction, removeReaction } from "./communities/reactions.ts";
import { communityTimeline } from "./communities/timeline.ts";
import type { Route } from "./dispatch/call.ts";
import type { Service } from "./dispatch/dispatch.ts";
import { Router } from "./dispatch/router.ts";
import { rejectFeed } from "./events/caller.ts";
import { feedRoutes } from "./events/routes.ts";
import * as oauth1 from "./oauth/oauth1.ts";
import { accessToken, requestToken } from "./oauth/oauth1.ts";
import * as oauth2 from "./oauth/oauth2-authorize.ts";
import { exchange, token } from "./oauth/oauth2-tokens.ts";
import { createPost } from "./posts/create.ts";
import { deletePost } from "./posts/delete.ts";
import { editPost } from "./posts/edit.ts";
import { fetchPost } from "./posts/fetch.ts";
import { legacyCreate, legacyEdit, legacyReblog } from "./posts/legacy-post.ts";
import { listPosts } from "./posts/list.ts";
import { mutePost, unmutePost } from "./posts/mute.ts";
import { listNotes } from "./posts/notes.ts";
import { publishDue } from "./posts/publish.ts";
import { listTagged } from "./posts/tagged.ts";
import { listDrafts, listQueue, listSubmissions, reorderQueue, shuffleQueue } from "./posts/waiting.ts";
import { LEGACY_TYPES } from "./store/posts.ts";
import { dashboard } from "./user/dashboard.ts";
import {
  addFilteredContent,
  addFilteredTags,
  listFilteredContent,
  listFilteredTags,
  removeFilteredContent,
  removeFilteredTag,
} from "./user/filters.ts";
import { follow, unfollow, userFollowing } from "./user/follows.ts";
import { userInfo, userLimits } from "./user/info.ts";
import { like, unlike, userLikes } from "./user/likes.ts";

const P = "/v2/blog/:blog";

/**
 * `/posts/{type}` has a route for each type, since other segments in this position name posts or other lists.
 */
const typedLists: Route[] = LEGACY_TYPES.map((type) => ({
  method: "GET",
  path: `${P}/posts/${type}`,
  level: "key",
  handle: (call) => listPosts({ ...call, path: { ...call.path, type } }),
}));

const BLOG_ROUTES: Route[] = [
  { method: "GET", path: `${P}/info`, level: "key", handle: blogInfo },
  { method: "GET", path: `${P}/avatar`, level: "none", handle: blogAvatar },
  { method: "GET", path: `${P}/avatar/:size`, level: "none", handle: blogAvatar },
  { method: "GET", path: "/media/avatars/:uuid/:file", level: "none", handle: avatarImage },
  { method: "GET", path: `${P}/blocks`, level: "user", handle: listBlocks },
  { method: "POST", path: `${P}/blocks`, level: "user", handle: createBlock },
  { method: "POST", path: `${P}/blocks/bulk`, level: "user", handle: createBlocks },
  { method: "DELETE", path: `${P}/blocks`, level: "user", handle: deleteBlock },
  { method: "GET", path: `${P}/likes`, level: "key", handle: blogLikes },
  { method: "GET", path: `${P}/following`, level: "user", handle: following },
  { method: "GET", path: `${P}/followers`, level: "user", handle: followers },
  { method: "GET", path: `${P}/followed_by`, level: "user", handle: followedBy },
  { method: "GET", path: `${P}/notifications`, level: "user", handle: notifications },
  { method: "GET", path: `${P}/pages`, level: "user", handle: listPages },
  { method: "GET", path: `${P}/pages/:page`, level: "user", handle: onePage },
  { method: "GET", path: "/oembed", level: "none", handle: oembed },
  { method: "GET", path: "/oembed/1.0", level: "none", handle: oembed },
];

const POST_ROUTES: Route[] = [
  { method: "GET", path: `${P}/posts`, level: "key", handle: listPosts },
  { method: "POST", path: `${P}/posts`, level: "user", handle: createPost },
  ...typedLists,
  { method: "GET", path: `${P}/posts/queue`, level: "user", handle: listQueue },
  { method: "POST", path: `${P}/posts/queue/reorder`, level: "user", handle: reorderQueue },
  { method: "POST", path: `${P}/posts/queue/shuffle`, level: "user", handle: shuffleQueue },
  { method: "GET", path: `${P}/posts/draft`, level: "user", handle: listDrafts },
  { method: "GET", path: `${P}/posts/submission`, level: "user", handle: listSubmissions },
  { method: "POST", path: `${P}/post`, level: "user", handle: legacyCreate },
  { method: "POST", path: `${P}/post/edit`, level: "user", handle: legacyEdit },
  { method: "POST", path: `${P}/post/reblog`, level: "user", handle: legacyReblog },
  { method: "POST", path: `${P}/post/delete`, level: "user", handle: deletePost },
  { method: "GET", path: `${P}/posts/:post`, level: "user", handle: fetchPost },
  { method: "PUT", path: `${P}/posts/:post`, level: "user", handle: editPost },
  { method: "POST", path: `${P}/posts/:post/mute`, level: "user", handle: mutePost },
  { method: "DELETE", path: `${P}/posts/:post/mute`, level: "user", handle: unmutePost },
  { method: "GET", path: `${P}/notes`, level: "key", handle: listNotes },
];

const U = "/v2/user";

const USER_ROUTES: Route[] = [
  { method: "GET", path: `${U}/info`, level: "user", handle: userInfo },
  { method: "GET", path: `${U}/limits`, level: "user", handle: userLimits },
  { method: "GET", path: `${U}/dashboard`, level: "user", handle: dashboard },
  { method: "GET", path: `${U}/likes`, level: "user", handle: userLikes },
  { method: "GET", path: `${U}/following`, level: "user", handle: userFollowing },
  { method: "POST", path: `${U}/follow`, level: "user", handle: follow },
  { method: "POST", path: `${U}/unfollow`, level: "user", handle: unfollow },
  { method: "POST", path: `${U}/like`, level: "user", handle: like },
  { method: "POST", path: `${U}/unlike`, level: "user", handle: unlike },
  { method: "GET", path: `${U}/filtered_tags`, level: "user", handle: listFilteredTags },
  { method: "POST", path: `${U}/filtered_tags`, level: "user", handle: addFilteredTags },
  // an empty tag results in a path without a tag
  { method: "DELETE", path: `${U}/filtered_tags`, level: "user", handle: removeFilteredTag },
  { method: "DELETE", path: `${U}/filtered_tags/:tag`, level: "user", handle: removeFilteredTag },
  { method: "GET", path: `${U}/filtered_content`, level: "user", handle: listFilteredContent },
  { method: "POST", path: `${U}/filtered_content`, level: "user", handle: addFilteredContent },
  { method: "DELETE", path: `${U}/filtered_content`, level: "user", handle: removeFilteredContent },
  { method: "GET", path: "/v2/tagged", level: "key", handle: listTagged },
];

const C = "/v2/communities/:community";

const COMMUNITY_ROUTES: Route[] = [
  { method: "GET", path: "/v2/communities", level: "user", handle: listCommunities },
  { method: "GET", path: C, level: "user", handle: getCommunity },
  { method: "PUT", path: C, level: "user", handle: updateCommunity },
  { method: "GET", path: `${C}/invitations`, level: "user", handle: listInvitations },
  { method: "PUT", path: `${C}/invitations`, level: "user", handle: invite },
  { method: "DELETE", path: `${C}/invitations/:blog`, level: "user", handle: deleteInvitation },
  { method: "GET", path: `${C}/invitations/:blog`, level: "user", handle: getInvitation },
  { method: "POST", path: `${C}/invite_hash`, level: "user", handle: renewInviteHash },
  { method: "GET", path: `${C}/members`, level: "user", handle: listMembers },
  { method: "PUT", path: `${C}/members`, level: "user", handle: joinCommunity },
  { method: "DELETE", path: `${C}/members/:blog`, level: "user", handle: removeFromCommunity },
  { method: "PUT", path: `${C}/members/:blog`, level: "user", handle: setRole },
  { method: "PUT", path: `${C}/mute`, level: "user", handle: muteCommunity },
  { method: "DELETE", path: `${C}/mute`, level: "user", handle: unmuteCommunity },
  { method: "PUT", path: `${C}/posts/:post/reactions`, level: "user", handle: addReaction },
  { method: "DELETE", path: `${C}/posts/:post/reactions/:reaction`, level: "user", handle: removeReaction },
  { method: "GET", path: `${C}/moderation/posts/:post`, level: "user", handle: getModeration },
  { method: "DELETE", path: `${C}/moderation/posts/:post`, level: "user", handle: moderatePost },
  { method: "PUT", path: `${C}/moderation/posts/:post`, level: "user", handle: restorePost },
  { method: "GET", path: `${C}/timeline`, level: "user", handle: communityTimeline },
];

const OAUTH_ROUTES: Route[] = [
  { method: "POST", path: "/oauth/request_token", level: "self", handle: requestToken },
  { method: "GET", path: "/oauth/request_token", level: "self", handle: requestToken },
  { method: "GET", path: "/oauth/authorize", level: "self", handle: oauth1.authorize },
  { method: "POST", path: "/oauth/authorize", level: "self", handle: oauth1.decide },
  { method: "GET", path: "/oauth/access_token", level: "self", handle: accessToken },
  { method: "POST", path: "/oauth/access_token", level: "self", handle: accessToken },
  { method: "GET", path: "/oauth2/authorize", level: "self", handle: oauth2.authorize },
  { method: "POST", path: "/oauth2/authorize", level: "self", handle: oauth2.decide },
  { method: "POST", path: "/v2/oauth2/token", level: "self", handle: token },
  { method: "POST", path: "/v2/oauth2/exchange", level: "oauth1", handle: exchange },
];

/** All endpoints. The first matching route handles a request. */
const ROUTES: Route[] = [
  ...BLOG_ROUTES,
  ...POST_ROUTES,
  ...USER_ROUTES,
  ...COMMUNITY_ROUTES,
  ...OAUTH_ROUTES,
  ...feedRoutes,
];

export const service: Service = {
  router: new Router(ROUTES),
  prepare: publishDue,
  feedNotFound: () => rejectFeed(404, "Not Found"),
};
