import { type Answer, envelope } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { readableBlog } from "./access.ts";
import { blogObject } from "./blog-object.ts";
import { viewOf } from "./view.ts";

/** GET /v2/blog/{blog-identifier}/info */
export function blogInfo(call: Call): Answer {
  return envelope({ blog: blogObject(readableBlog(call), viewOf(call)) });
}
