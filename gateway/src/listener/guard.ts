import { show } from "../text/show.ts";
import { isCrossOrigin, isFromOtherOrigin } from "./cross-origin.ts";
import { createHostCheck, isProbe } from "./hosts.ts";
import type { HttpRequest } from "./http.ts";
import type { Origin } from "./origin.ts";
import type { HttpRejection } from "./rejection.ts";

/** The restrictions that apply to web pages. */
export interface GuardOptions {
  /** The hosts whose requests are served. */
  readonly hosts: readonly string[];
  /** The origins whose pages may send requests; `*` allows every origin. */
  readonly origins: readonly string[];
  /**
   * Returns whether pages of any origin may send a request to a path, even if `origins` does not allow them.
   * Default: only to `/`.
   */
  readonly isShared?: ((path: string, method: string | undefined) => boolean) | undefined;
  /** Returns whether pages of other origins may not even send requests that need a preflight request. */
  readonly isStrict?: ((path: string) => boolean) | undefined;
  /** Returns whether a path is served only over HTTPS. Default: no path is. */
  readonly needsHttps?: ((path: string) => boolean) | undefined;
}

/** Returns the reason for rejecting a request; undefined if the request may be served. */
export type Guard = (request: HttpRequest, origin: Origin) => HttpRejection | undefined;

/**
 * Creates a guard that rejects web page requests that are not allowed. If an attacker resolves a page's name
 * to this machine (DNS rebinding), the browser treats the page and the gateway as the same origin. The guard
 * recognizes such a page by the requested host, both in the request and as a trusted proxy forwards it. Most
 * requests from other pages need a preflight request, for which `origins` decides. Requests that browsers
 * send without a preflight are rejected here.
 */
export function createGuard({ hosts, origins, isShared, needsHttps, isStrict }: GuardOptions): Guard {
  const isServed = createHostCheck(hosts);
  const allowed = new Set(origins);
  const checkHost = (request: HttpRequest, { authority }: Origin) => {
    const own = request.headers[":authority"] ?? request.headers.host;
    return [String(own), authority].find((each) => !isServed(each));
  };
  return (request, origin) => {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    if (isProbe(path)) return undefined;
    const unknown = checkHost(request, origin);
    if (unknown !== undefined) return misdirected(unknown);
    if (origin.scheme === "http" && needsHttps?.(path) === true) return CLEARTEXT;
    const page = request.headers.origin;
    if (allowed.has("*") || (page !== undefined && allowed.has(page))) return undefined;
    if (path === "/" || isShared?.(path, request.method) === true) return undefined;
    const isForbidden = isStrict?.(path) === true ? isFromOtherOrigin : isCrossOrigin;
    return isForbidden(request, origin) ? forbidden(page) : undefined;
  };
}

const CLEARTEXT: HttpRejection = {
  status: 400,
  code: "invalid_argument",
  message:
    "requests are served over https alone, as authorization.publicUrl says; if a proxy ends TLS, name it in server.proxies",
};

function misdirected(authority: string): HttpRejection {
  const message = `requests for ${show(authority)} are not served here; add its name to server.hosts if they should be`;
  return { status: 421, code: "permission_denied", message, reason: "HOST_UNKNOWN" };
}

function forbidden(origin: string | undefined): HttpRejection {
  const from = origin === undefined ? "another origin" : `the origin ${show(origin)}`;
  const message = `pages of ${from} may not call; add it to server.origins if they should`;
  return { status: 403, code: "permission_denied", message, reason: "ORIGIN_FORBIDDEN" };
}
