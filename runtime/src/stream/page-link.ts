import type { RestRequest } from "../adapter/rest-request.ts";
import type { ApiKeyRule } from "../adapter/rules.ts";
import type { RunningCall } from "../call/running-call.ts";
import { namesOf } from "../errors/names.ts";
import { restError } from "../errors/rest-error.ts";
import { LinkRejected } from "../response/href.ts";
import { percentEncode } from "../text/percent-encode.ts";
import { withoutParameter } from "../text/without-parameter.ts";
import type { Base } from "../upstream/base.ts";
import { baseOf } from "../upstream/options.ts";

type Further = ReadonlyArray<readonly [name: string, value: string]>;

/**
 * Returns the request for a link in a response, or undefined if there is no link.
 *
 * @param find may throw LinkRejected
 * @throws ConnectError with the reason, for a link that must not be followed
 */
export function linkedRequest(
  { route, adapter }: RunningCall,
  current: RestRequest,
  reason: "PAGE_LINK_REFUSED" | "OPERATION_LINK_REFUSED",
  find: () => string | undefined,
  further?: () => Further,
): RestRequest | undefined {
  const base = baseOf(route.upstream.settings, adapter.rules.base);
  try {
    const href = find();
    if (href === undefined || base === undefined) return undefined;
    return followLink(href, current, base, adapter.rules.apiKey, further?.());
  } catch (cause) {
    if (!(cause instanceof LinkRejected)) throw cause;
    throw restError(reason, { ...namesOf(adapter), problem: cause.message }, { cause });
  }
}

/**
 * Returns the request for a linked page. It has the HTTP method, headers and body of the request whose
 * response contains the link, and the link's own path and query. A relative link is resolved against that
 * request (RFC 3986 section 5). An API key in the link's query is removed, since credentials are added to
 * every request.
 *
 * @param further parameters that are added to the link's parameters, and take precedence over them
 * @throws LinkRejected for a link outside of the base address
 */
export function followLink(
  href: string,
  current: RestRequest,
  base: Base,
  apiKey: ApiKeyRule | undefined,
  further: Further = [],
): RestRequest {
  const url = URL.parse(href, base.origin + base.prefix + current.path);
  if (url === null) throw new LinkRejected("a text that is no address");
  if (url.origin !== base.origin) throw new LinkRejected("another host");
  if (url.username !== "" || url.password !== "") throw new LinkRejected("a user or a password in it");
  if (!isBelow(url.pathname, base.prefix)) throw new LinkRejected("a path outside of it");
  const { verb, headers, oauth1Params, body } = current;
  const path = url.pathname.slice(base.prefix.length);
  const queryString = withoutParameter(withFurther(url.search.slice(1), further), apiKey?.query);
  return { verb, path, queryString, headers, oauth1Params, body };
}

function isBelow(path: string, prefix: string): boolean {
  // a path that begins with two slashes would be read as a host
  if (path.startsWith("//")) return false;
  return path === prefix || path.startsWith(`${prefix}/`);
}

function withFurther(query: string, further: Further): string {
  const own = new URLSearchParams(query);
  const added = further
    .filter(([name]) => !own.has(name))
    .map(([name, value]) => `${percentEncode(name)}=${percentEncode(value.toWellFormed())}`);
  return [...(query === "" ? [] : [query]), ...added].join("&");
}
