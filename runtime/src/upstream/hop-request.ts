import type { RestRequest } from "../adapter/rest-request.ts";
import type { ApiKeyRule } from "../adapter/rules.ts";
import { withoutParameter } from "../text/without-parameter.ts";
import type { Hop } from "./hop.ts";

/** Headers that foreign origins may receive, since none of them identifies the caller. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "if-modified-since",
  "if-none-match",
  "range",
]);

/**
 * Returns the request for the target of a redirect. Removes an API key from the query, since credentials are
 * added later to each request that may have them. A foreign origin receives only the HTTP method and a few
 * harmless headers.
 */
export function redirectedRequest(
  { verb, headers, oauth1Params }: RestRequest,
  { path, queryString, isForeign }: Hop,
  apiKey: ApiKeyRule | undefined,
): RestRequest {
  return {
    verb,
    path,
    queryString: withoutParameter(queryString, apiKey?.query),
    headers: isForeign ? headers.filter(([name]) => HARMLESS_HEADERS.has(name)) : headers,
    oauth1Params: isForeign ? [] : oauth1Params,
    body: undefined,
  };
}
