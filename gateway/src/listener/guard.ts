import { show } from "../text/show.ts";
import { isCrossOrigin } from "./cross-origin.ts";
import { createHostCheck, isProbe } from "./hosts.ts";
import type { HttpRequest } from "./http.ts";
import type { Origin } from "./origin.ts";
import type { HttpRejection } from "./rejection.ts";

/** What web pages must not get around. */
export interface GuardOptions {
  /** The hosts of requests that are served. */
  readonly hosts: readonly string[];
  /** The origins whose pages may call; `*` is every one. */
  readonly origins: readonly string[];
  /** Requests that pages of all origins may send, whatever `origins` says. Default: those for `/`. */
  readonly isShared?: ((path: string, method: string | undefined) => boolean) | undefined;
  /** Requests that are served over https alone. Default: none. */
  readonly needsHttps?: ((path: string) => boolean) | undefined;
}

/** Why a request is not served; undefined when it is. */
export type Guard = (request: HttpRequest, origin: Origin) => HttpRejection | undefined;

/**
 * Keeps web pages out that nobody has allowed. A page whose name an attacker points to this machine (DNS
 * rebinding) is of the same origin as the gateway to its browser, and is told by the host that it asks for:
 * the one of the request, and the one that a trusted proxy has been asked for. Other pages need the
 * permission of `origins` for most requests; those that browsers send without asking are rejected here.
 */
export function createGuard({ hosts, origins, isShared, needsHttps }: GuardOptions): Guard {
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
    return isCrossOrigin(request, origin) ? forbidden(page) : undefined;
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
