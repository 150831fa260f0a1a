import type { RestRequest } from "../adapter/rest-request.ts";

/** A placeholder until the request is built. */
export const NO_REQUEST: RestRequest = {
  verb: "GET",
  path: "",
  queryString: "",
  headers: [],
  oauth1Params: [],
  body: undefined,
};

/**
 * Returns the request with other headers. Requests may compute their properties on access, and a spread would
 * lose those properties.
 */
export function withHeaders(request: RestRequest, headers: RestRequest["headers"]): RestRequest {
  const { verb, path, queryString, oauth1Params, body } = request;
  return { verb, path, queryString, headers, oauth1Params, body };
}
