import type { PollAdapter } from "../adapter/adapter.ts";
import type { RestRequest } from "../adapter/rest-request.ts";
import type { RunningCall } from "../call/running-call.ts";
import { send } from "../call/send.ts";
import { withHeaders } from "../request/with-headers.ts";
import type { ReadResponse } from "../response/read-response.ts";

export const NOT_MODIFIED = 304;
/** The maximum length of an entity tag, in characters. A longer tag may not fit into a request. */
const MAX_TAG = 1024;

/**
 * Requests a page of a feed, on condition that the page has changed (RFC 9110 section 13.1.2). Does not
 * retry, since the next poll requests the page again.
 *
 * @param etag the tag of the known page, weak or strong
 * @returns a response with the page, or with status 304
 */
export function requestPage(
  call: RunningCall<PollAdapter>,
  request: RestRequest,
  etag: string | undefined,
): Promise<ReadResponse> {
  const { rules } = call.adapter;
  const extras = { rules: { ...rules, success: [...rules.success, NOT_MODIFIED] }, retry: false };
  return send(call, conditional(request, etag), extras);
}

/** Returns the entity tag of a response, or undefined if it is empty or too long to be sent back. */
export function tagOf(response: ReadResponse): string | undefined {
  const tag = response.header("etag") ?? "";
  return tag === "" || tag.length > MAX_TAG ? undefined : tag;
}

function conditional(request: RestRequest, etag: string | undefined): RestRequest {
  if (etag === undefined) return request;
  const others = request.headers.filter(([name]) => name !== "if-none-match");
  return withHeaders(request, [...others, ["if-none-match", etag]]);
}
