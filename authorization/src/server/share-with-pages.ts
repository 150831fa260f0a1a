import type { HttpExchange } from "../host.ts";

/** How long a browser may cache the response to a preflight request, in seconds. */
const CORS_SECONDS = 7200;

/**
 * Allows pages of any origin to use an endpoint, without cookies. Returns true for a preflight request, after
 * sending its response.
 */
export function shareWithPages(exchange: HttpExchange, methods: readonly string[]): boolean {
  const { method, headers } = exchange.request;
  exchange.setHeader("access-control-allow-origin", "*");
  if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) {
    exchange.setHeader("access-control-expose-headers", "www-authenticate, retry-after");
    return false;
  }
  exchange.send(204, {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "authorization, content-type, mcp-protocol-version",
    "access-control-max-age": String(CORS_SECONDS),
  });
  return true;
}
