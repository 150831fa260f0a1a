import type { RestRequest } from "../adapter/rest-request.ts";

/** A request in place of one that is not known yet. */
export const NO_REQUEST: RestRequest = {
  verb: "GET",
  path: "",
  queryString: "",
  headers: [],
  oauth1Params: [],
  body: undefined,
};

/**
 * The same request with other headers. Requests may compute their properties on access,
 * so a spread would lose them.
 */
export function withHeaders(request: RestRequest, headers: RestRequest["headers"]): RestRequest {
  const { verb, path, queryString, oauth1Params, body } = request;
  return { verb, path, queryString, headers, oauth1Params, body };
}
