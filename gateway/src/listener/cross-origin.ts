import type { HttpRequest } from "./http.ts";
import type { Origin } from "./origin.ts";

/** The content types that a page may send anywhere without asking first; none at all is one of them. */
const SIMPLE_TYPE = /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;

/**
 * Whether a request is one that a web page of another origin can send without a preflight request (the CORS
 * protocol of the Fetch standard, section 3.2), so that it must be rejected rather than merely its response
 * withheld. What a browser says in `Sec-Fetch-Site` counts (no page can forge it), else its `Origin`,
 * compared by host: a proxy that ends TLS need not say so. Requests with neither come from no page.
 */
export function isCrossOrigin(request: HttpRequest, { authority }: Origin): boolean {
  if (!isSimple(request)) return false;
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
