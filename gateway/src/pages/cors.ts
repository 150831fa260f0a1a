import { cors } from "@connectrpc/connect";
import { REQUEST_ID_HEADER } from "../call/caller.ts";
import { type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";

/** How long a browser may remember the response to a preflight request, in seconds. */
const MAX_AGE_SECONDS = 7200;

/**
 * `*` lets pages see what upstreams say, e.g. how many calls are left; old browsers see those that are named.
 */
const EXPOSED_HEADERS = [...cors.exposedHeaders, REQUEST_ID_HEADER, "www-authenticate", "*"].join(", ");

/**
 * Lets pages of these origins call the gateway from a browser (the CORS protocol of the Fetch standard,
 * section 3.2); `*` is every origin. Cookies are not allowed; `requestHeaders` are. Returns true when it has
 * sent the response.
 */
export function createCors(
  origins: readonly string[],
  requestHeaders: readonly string[] = [],
): (request: HttpRequest, response: HttpResponse) => boolean {
  const allowed = new Set(origins);
  const allowedHeaders = [...cors.allowedHeaders, REQUEST_ID_HEADER, ...requestHeaders].join(", ");
  return (request, response) => {
    const { origin } = request.headers;
    if (allowed.size === 0 || typeof origin !== "string") return false;
    response.setHeader("vary", "origin");
    if (!allowed.has("*") && !allowed.has(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
      response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
      return false;
    }
    sendResponse(response, 204, {
      "access-control-allow-methods": cors.allowedMethods.join(", "),
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": String(MAX_AGE_SECONDS),
    });
    return true;
  };
}
