import { cors } from "@connectrpc/connect";
import { type HttpRequest, type HttpResponse, respond } from "../listener/http.ts";
import { requestIdHeader } from "../log/request-id.ts";

/** How long a browser may remember the answer to a preflight request, in seconds. */
const maxAgeSeconds = 7200;

/** `*` lets pages see what upstreams say, e.g. how many calls are left; old browsers see those that are named. */
const exposedHeaders = [...cors.exposedHeaders, requestIdHeader, "*"].join(", ");

/**
 * Lets pages of these origins call the gateway from a browser (the CORS protocol of the Fetch standard, section
 * 3.2); `*` is every origin. Cookies are not allowed along; further
 * request headers that callers may send are. Tells whether it has answered the request.
 */
export function createCors(
  origins: readonly string[],
  requestHeaders: readonly string[] = [],
): (request: HttpRequest, response: HttpResponse) => boolean {
  const allowed = new Set(origins);
  const allowedHeaders = [...cors.allowedHeaders, requestIdHeader, ...requestHeaders].join(", ");
  return (request, response) => {
    const { origin } = request.headers;
    if (allowed.size === 0 || typeof origin !== "string") return false;
    response.setHeader("vary", "origin");
    if (!allowed.has("*") && !allowed.has(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    if (request.method !== "OPTIONS" || request.headers["access-control-request-method"] === undefined) {
      response.setHeader("access-control-expose-headers", exposedHeaders);
      return false;
    }
    respond(response, 204, {
      "access-control-allow-methods": cors.allowedMethods.join(", "),
      "access-control-allow-headers": allowedHeaders,
      "access-control-max-age": String(maxAgeSeconds),
    });
    return true;
  };
}
