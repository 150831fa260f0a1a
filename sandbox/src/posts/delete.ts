import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import { ownPost } from "../view/access.ts";

/** POST /v2/blog/{blog-identifier}/post/delete */
export function deletePost(call: Call): HttpResponse {
  const { post } = ownPost(call, call.input.id("id"));
  const { db } = call.world;
  db.run("DELETE FROM posts WHERE id = ?", post.id);
  db.run("DELETE FROM likes WHERE post_id = ?", post.id);
  return envelope({ id: BigInt(post.id), id_string: post.id });
}
