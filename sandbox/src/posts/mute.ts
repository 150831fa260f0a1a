import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse, reject } from "../http/response.ts";
import { ownPost } from "../view/access.ts";

function setMute(call: Call, muted: boolean, end: number): HttpResponse {
  const { post } = ownPost(call, call.path.post);
  call.world.db.run("UPDATE posts SET muted = ?, mute_end = ? WHERE id = ?", muted ? 1 : 0, end, post.id);
  return envelope([]);
}

/**
 * Handles POST /v2/blog/{blog-identifier}/posts/{post-id}/mute. Mutes a post for a number of seconds or, with
 * 0, until it is unmuted.
 */
export function mutePost(call: Call): HttpResponse {
  const seconds = call.input.integer("mute_length_seconds", { min: Number.MIN_SAFE_INTEGER }) ?? 0;
  if (seconds < 0) throw reject(400, "mute_length_seconds is below 0");
  return setMute(call, true, seconds === 0 ? 0 : call.world.clock.seconds() + seconds);
}

/** DELETE /v2/blog/{blog-identifier}/posts/{post-id}/mute */
export function unmutePost(call: Call): HttpResponse {
  return setMute(call, false, 0);
}
