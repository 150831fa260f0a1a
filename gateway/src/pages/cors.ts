import { cors } from "@connectrpc/connect";
import { REQUEST_ID_HEADER } from "../call/caller.ts";
import { type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";

/** How long a browser may cache the response to a preflight request, in seconds. */
const MAX_AGE_SECONDS = 7200;

/**
 * `*` exposes the headers that upstreams set, e.g. the number of remaining calls. Old browsers do not support
 * `*` and expose only the named headers.
 */
const EXPOSED_HEADERS = [...cors.exposedHeaders, REQUEST_ID_HEADER, "www-authenticate", "*"].join(", ");

/** Request headers that every page may send: the headers of the protocols and of traces. */
const REQUEST_HEADERS = [
  ...cors.allowedHeaders.map((name) => name.toLowerCase()),
  ...[REQUEST_ID_HEADER, "traceparent", "tracestate", "baggage"],
];

/** A header name (RFC 9110 section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Allows pages of configured origins to call the gateway from a browser (the CORS protocol of the Fetch
 * standard, section 3.2), without cookies.
 */
export class Cors {
  private readonly origins: ReadonlySet<string>;
  private readonly headers: ReadonlySet<string>;

  /**
   * @param origins allowed origins; `*` allows every origin
   * @param headers additional request headers that these pages may send, in lower case; `*` allows every
   *   header
   */
  constructor(origins: readonly string[], headers: readonly string[] = []) {
    this.origins = new Set(origins);
    this.headers = new Set([...REQUEST_HEADERS, ...headers]);
  }

  /** Adds the headers that let an allowed page read the response. */
  allow(request: HttpRequest, response: HttpResponse): void {
    if (!this.allowOrigin(request, response)) return;
    response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
  }

  /**
   * Adds the CORS headers, and responds to preflight requests. Returns true if the response has been sent.
   */
  serve(request: HttpRequest, response: HttpResponse): boolean {
    const { method, headers } = request;
    if (method !== "OPTIONS" || headers["access-control-request-method"] === undefined) {
      this.allow(request, response);
      return false;
    }
    if (!this.allowOrigin(request, response)) return false;
    sendResponse(response, 204, {
      "access-control-allow-methods": cors.allowedMethods.join(", "),
      "access-control-allow-headers": this.allowed(request).join(", "),
      "access-control-max-age": String(MAX_AGE_SECONDS),
    });
    return true;
  }

  private allowOrigin({ headers }: HttpRequest, response: HttpResponse): boolean {
    const { origin } = headers;
    if (this.origins.size === 0 || typeof origin !== "string") return false;
    response.setHeader("vary", "origin");
    if (!this.origins.has("*") && !this.origins.has(origin)) return false;
    response.setHeader("access-control-allow-origin", origin);
    return true;
  }

  /**
   * Lists every header that the preflight request names, since in browsers `*` does not cover Authorization,
   * and in old browsers it covers nothing.
   */
  private allowed({ headers }: HttpRequest): string[] {
    if (!this.headers.has("*")) return [...this.headers];
    const asked = String(headers["access-control-request-headers"] ?? "").toLowerCase();
    const names = asked.split(",").map((name) => name.trim());
    return [...new Set([...this.headers, ...names.filter((name) => TOKEN.test(name))])];
  }
}
