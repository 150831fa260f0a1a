import type { Call } from "../dispatch/call.ts";
import { envelope, type HttpResponse } from "../http/response.ts";
import { readableBlog } from "../view/access.ts";
import { blogObject } from "../view/blog-object.ts";
import { viewOf } from "../view/view.ts";

/** GET /v2/blog/{blog-identifier}/info */
export function blogInfo(call: Call): HttpResponse {
  return envelope({ blog: blogObject(readableBlog(call), viewOf(call)) });
}
