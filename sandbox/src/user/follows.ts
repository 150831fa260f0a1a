import { requireUser } from "../auth/caller.ts";
import { followingPage } from "../blog/follows.ts";
import { notify } from "../blog/notifications.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { type Blog, blogByUuid, findBlog, isMember, primaryBlog } from "../store/blogs.ts";
import { untilTomorrow, usedToday, useToday } from "../usage.ts";
import { blogObject } from "../view/blog-object.ts";
import { viewOf } from "../view/view.ts";
import type { World } from "../world.ts";

/** Matches the address of a blog: a host, with or without a scheme, and any path. */
const BLOG_URL = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z0-9-]+)(?::\d+)?(?:[/?#].*)?$/i;
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Handles GET /v2/user/following. Lists blogs, most recently followed first. */
export function userFollowing(call: Call): HttpResponse {
  return followingPage(call, requireUser(call.caller));
}

/**
 * Returns the blog at a URL. Throws 400 if the URL is malformed, and 404 if there is no blog that the caller
 * can see.
 */
function blogAt(call: Call, url: string): Blog {
  const { db } = call.world;
  const host = BLOG_URL.exec(url)?.[1];
  if (host === undefined) throw reject(400, `Not a blog URL: ${url}`);
  const blog = findBlog(db, host);
  if (!blog || (blog.private && !isMember(db, blog, requireUser(call.caller)))) {
    throw reject(404, `Blog not found: ${url}`);
  }
  return blog;
}

/** Finds a blog by its e-mail address, if the blog allows it. */
function blogOfEmail(call: Call, email: string): Blog {
  const { db } = call.world;
  if (!EMAIL.test(email)) throw reject(400, `Not an e-mail address: ${email}`);
  const row = db.get<{ blog: string }>("SELECT blog FROM discovery WHERE email = ? AND allowed = 1", email);
  if (!row) throw reject(404, `Blog not found: ${email}`);
  return blogByUuid(db, row.blog);
}

function checkFollow(world: World, user: string, blog: Blog): void {
  const { db, limits } = world;
  const primary = primaryBlog(db, user);
  if (blog.owner === user) throw reject(400, "You cannot follow your own blog");
  const blocked = "SELECT COUNT(*) AS n FROM blocks WHERE blog = ? AND target = ?";
  if (db.count(blocked, blog.uuid, primary) > 0) throw reject(403, "The blog blocks you");
  const followed = db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ?", user);
  if (followed >= limits.followedBlogs) throw reject(429, "You follow as many blogs as you can");
  if (usedToday(world, user, "follows") >= limits.followsPerDay) {
    throw reject(429, "Daily follow limit reached", 0, untilTomorrow(world));
  }
}

/**
 * Handles POST /v2/user/follow, by `url` or otherwise by `email`. Has no effect if the blog is already
 * followed.
 */
export function follow(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { world } = call;
  const { db } = world;
  const url = call.input.text("url");
  const email = call.input.text("email");
  if (!url && !email) throw reject(400, "Missing required parameter: url or email");
  const blog = url ? blogAt(call, url) : blogOfEmail(call, email ?? "");
  const known = db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ? AND blog = ?", user, blog.uuid);
  if (known === 0) {
    checkFollow(world, user, blog);
    useToday(world, user, "follows");
    db.insert("follows", { user, blog: blog.uuid, timestamp: world.clock.seconds() });
    const from = blogByUuid(db, primaryBlog(db, user));
    notify(world, blog.uuid, "follow", "", {
      from_tumblelog_name: from.name,
      from_tumblelog_uuid: from.uuid,
      from_tumblelog_is_adult: false,
      followed: false,
    });
  }
  return envelope({ blog: blogObject(blog, viewOf(call)) });
}

/** Handles POST /v2/user/unfollow. Has no effect if the blog is not followed. */
export function unfollow(call: Call): HttpResponse {
  const blog = blogAt(call, call.input.required("url"));
  call.world.db.run("DELETE FROM follows WHERE user = ? AND blog = ?", requireUser(call.caller), blog.uuid);
  return envelope([]);
}
