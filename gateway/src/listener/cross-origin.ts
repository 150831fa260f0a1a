import type { HttpRequest } from "./http.ts";
import type { Origin } from "./origin.ts";

/**
 * The content types that a page may send to any origin without a preflight request. A missing content type
 * counts as one of them.
 */
const SIMPLE_TYPE = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;

/**
 * Returns whether a web page of another origin could send a request without a preflight request (the CORS
 * protocol of the Fetch standard, section 3.2). Such a request must be rejected, because hiding its response
 * is not enough. The decision uses `Sec-Fetch-Site`, which pages cannot forge, or else `Origin`. Origins are
 * compared by host, since a proxy that terminates TLS may not report the scheme. A request without either
 * header does not come from a page.
 */
export function isCrossOrigin(request: HttpRequest, origin: Origin): boolean {
  return isSimple(request) && isFromOtherOrigin(request, origin);
}

/** Returns whether a web page of another origin sent a request, with or without a preflight request. */
export function isFromOtherOrigin(request: HttpRequest, { authority }: Origin): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site === "same-origin" || site === "none") return false;
  const { origin } = request.headers;
  if (origin === undefined) return site !== undefined;
  const page = URL.parse(origin);
  return page === null || page.host !== URL.parse(`${page.protocol}//${authority}`)?.host;
}

function isSimple({ method, headers }: HttpRequest): boolean {
  if (method === "GET" || method === "HEAD") return true;
  const type = headers["content-type"];
  return method === "POST" && (type === undefined || SIMPLE_TYPE.test(type));
}
