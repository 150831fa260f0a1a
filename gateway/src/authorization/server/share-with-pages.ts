import { type HttpRequest, type HttpResponse, sendResponse } from "../../listener/http.ts";

/** How long a browser may remember the response to a preflight request, in seconds. */
const CORS_SECONDS = 7200;

/** Lets pages of any origin use an endpoint, without cookies. True for a preflight request, whose response it sends. */
export function shareWithPages(
  request: HttpRequest,
  response: HttpResponse,
  methods: readonly string[],
): boolean {
  response.setHeader("access-control-allow-origin", "*");
  if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
    response.setHeader("access-control-expose-headers", "www-authenticate, retry-after");
    return false;
  }
  sendResponse(response, 204, {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": String(CORS_SECONDS),
  });
  return true;
}
