import { cors } from "@connectrpc/connect";
import { REQUEST_ID_HEADER } from "../call/caller.ts";
import { type HttpRequest, type HttpResponse, sendResponse } from "../listener/http.ts";

/** How long a browser may remember the response to a preflight request, in seconds. */
const MAX_AGE_SECONDS = 7200;

/**
 * `*` lets pages see what upstreams say, e.g. how many calls are left; old browsers see those that are named.
 */
const EXPOSED_HEADERS = [...cors.exposedHeaders, REQUEST_ID_HEADER, "www-authenticate", "*"].join(", ");

/** The headers that every page may send: those of the protocols, and of traces. */
const REQUEST_HEADERS = [
  ...cors.allowedHeaders.map((name) => name.toLowerCase()),
  ...[REQUEST_ID_HEADER, "traceparent", "tracestate", "baggage"],
];

/** The name of a header (RFC 9110 section 5.6.2). */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Lets pages of some origins call the gateway from a browser (the CORS protocol of the Fetch standard,
 * section 3.2). Cookies are not allowed.
 */
export class Cors {
  private readonly origins: ReadonlySet<string>;
  private readonly headers: ReadonlySet<string>;

  /**
   * @param origins `*` is every origin
   * @param headers further request headers that these pages may send, in lower case; `*` is every header
   */
  constructor(origins: readonly string[], headers: readonly string[] = []) {
    this.origins = new Set(origins);
    this.headers = new Set([...REQUEST_HEADERS, ...headers]);
  }

  /** Lets the page that has sent a request read its response, if it may. */
  allow(request: HttpRequest, response: HttpResponse): void {
    if (!this.allowOrigin(request, response)) return;
    response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
  }

  /** The same, and sends the response to a preflight request. Returns true when it has. */
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

  /** A browser takes `*` for all headers but Authorization, and an old one for none: all are named. */
  private allowed({ headers }: HttpRequest): string[] {
    if (!this.headers.has("*")) return [...this.headers];
    const asked = String(headers["access-control-request-headers"] ?? "").toLowerCase();
    const names = asked.split(",").map((name) => name.trim());
    return [...new Set([...this.headers, ...names.filter((name) => TOKEN.test(name))])];
  }
}
