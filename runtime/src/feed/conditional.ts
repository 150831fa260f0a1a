import type { RestRequest } from "../adapter/rest-request.ts";
import { withHeaders } from "../request/with-headers.ts";
import type { ReadResponse } from "../response/read-response.ts";

/** The longest entity tag that is sent back, in characters: a longer one may not fit into a request. */
const MAX_TAG = 1024;

/** A request for what has changed (RFC 9110 section 13.1.2). The tag goes back as it came, weak or strong. */
export function conditional(request: RestRequest, etag: string | undefined): RestRequest {
  if (etag === undefined) return request;
  const others = request.headers.filter(([name]) => name !== "if-none-match");
  return withHeaders(request, [...others, ["if-none-match", etag]]);
}

/** The tag of a response; none where it is empty, or too long to be sent back. */
export function tagOf(response: ReadResponse): string | undefined {
  const tag = response.header("etag") ?? "";
  return tag === "" || tag.length > MAX_TAG ? undefined : tag;
}
