import { requireUser } from "../auth/caller.ts";
import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import type { JsonObject } from "../json.ts";
import type { Limits } from "../limits.ts";
import { blogsOfUser } from "../store/blogs.ts";
import { usedToday } from "../usage.ts";
import { blogObject } from "../view/blog-object.ts";
import { viewOf } from "../view/view.ts";

const DAY = 86_400;

/**
 * Handles GET /v2/user/info. Returns the caller, and the blogs to which the caller can post, the primary blog
 * first.
 */
export function userInfo(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { db } = call.world;
  const view = viewOf(call);
  return envelope({
    user: {
      name: user,
      likes: db.count("SELECT COUNT(*) AS n FROM likes WHERE user = ?", user),
      following: db.count("SELECT COUNT(*) AS n FROM follows WHERE user = ?", user),
      default_post_format: "html",
      blogs: blogsOfUser(db, user).map((blog) => blogObject(blog, view)),
    },
  });
}

/** The daily limits, by their names in `usage` and in responses. */
const DAILY: Readonly<Record<string, { description: string; limit: keyof Limits }>> = {
  blogs: { description: "the number of secondary blogs you can create per day", limit: "blogsPerDay" },
  follows: { description: "the number of blogs you can follow per day", limit: "followsPerDay" },
  likes: { description: "the number of posts you can like per day", limit: "likesPerDay" },
  photos: { description: "the number of images you can upload per day", limit: "imagesPerDay" },
  posts: { description: "the number of posts you can publish per day", limit: "postsPerDay" },
  video_seconds: {
    description: "the number of seconds of video you can upload per day",
    limit: "videoSecondsPerDay",
  },
  videos: { description: "the number of videos you can upload per day", limit: "videosPerDay" },
};

/** Handles GET /v2/user/limits. Days are calendar days (UTC). Disabled limits are omitted. */
export function userLimits(call: Call): HttpResponse {
  const user = requireUser(call.caller);
  const { world } = call;
  const reset_at = (Math.floor(world.clock.seconds() / DAY) + 1) * DAY;
  const limits: JsonObject = {};
  for (const [name, { description, limit: key }] of Object.entries(DAILY)) {
    const limit = world.limits[key];
    if (!Number.isFinite(limit)) continue;
    const remaining = Math.max(0, limit - usedToday(world, user, name));
    limits[name] = { description, limit, remaining, reset_at };
  }
  return envelope({ user: limits });
}
