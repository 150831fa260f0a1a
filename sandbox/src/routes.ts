import { blogInfo } from "./blog/info.ts";
import { refuseFeed } from "./events/caller.ts";
import { feedRoutes } from "./events/routes.ts";
import type { Route } from "./http/call.ts";
import type { Service } from "./http/dispatch.ts";
import { createPost } from "./posts/create.ts";
import { listPosts } from "./posts/list.ts";
import { publishDue } from "./posts/publish.ts";
import { LEGACY_TYPES } from "./store/posts.ts";

const P = "/v2/blog/:blog";

/** `/posts/{type}` for each type; other segments there are posts or lists of their own. */
const typedLists: Route[] = LEGACY_TYPES.map((type) => ({
  method: "GET",
  path: `${P}/posts/${type}`,
  level: "key",
  handle: (call) => listPosts({ ...call, path: { ...call.path, type } }),
}));

/** Every endpoint. The first that matches answers. */
const routes: Route[] = [
  { method: "GET", path: `${P}/info`, level: "key", handle: blogInfo },
  { method: "GET", path: `${P}/posts`, level: "key", handle: listPosts },
  { method: "POST", path: `${P}/posts`, level: "user", handle: createPost },
  ...typedLists,
  ...feedRoutes,
];

export const service: Service = {
  routes,
  prepare: publishDue,
  feedNotFound: () => refuseFeed(404, "Not Found"),
};
