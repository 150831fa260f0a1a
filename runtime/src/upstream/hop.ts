/** The targets of redirects. */
import type { RedirectSettings } from "./redirect-options.ts";

/** An address in a chain of redirects. */
export interface Hop {
  readonly origin: string;
  readonly path: string;
  /** The query without `?`. Often empty. */
  readonly queryString: string;
  /**
   * Whether this address, or an earlier one, is outside of the origin of the base address. Foreign addresses
   * get no credentials.
   */
  readonly isForeign: boolean;
  /** Whether an earlier address was public, so that this address must be public, too. */
  readonly mustBePublic: boolean;
  /** The number of redirects so far, including the redirect to this address. */
  readonly count: number;
}

/** The maximum number of redirects in a chain. */
const MAX_REDIRECTS = 5;

const MAX_LOCATION_LENGTH = 8_192;

/**
 * Thrown for a redirect that must not be followed. `message` describes the problem without repeating the
 * address.
 */
export class RedirectRejected extends Error {}

/**
 * Returns the target of a `Location` header (RFC 9110 section 10.2.2).
 *
 * @param from the address of the response
 * @param baseOrigin the origin to which credentials may be sent
 * @throws RedirectRejected
 */
export function nextHop(
  location: string,
  from: Pick<Hop, "origin" | "path" | "isForeign" | "mustBePublic" | "count">,
  baseOrigin: string,
  { hosts }: RedirectSettings,
): Hop {
  if (from.count >= MAX_REDIRECTS) throw new RedirectRejected(`more than ${MAX_REDIRECTS} redirects`);
  // Rejects characters that parsers read in different ways: URL parsers drop line breaks and tabs, and read
  // backslashes as slashes. An empty reference or a fragment would repeat the request until the limit.
  if (location.length > MAX_LOCATION_LENGTH || /^(?:#|$)|[^\x21-\x7e]|\\/.test(location)) {
    throw new RedirectRejected("a text that is no address");
  }
  const url = URL.parse(location, from.origin + from.path);
  if (url === null) throw new RedirectRejected("a text that is no address");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new RedirectRejected("another scheme");
  if (url.protocol === "http:" && from.origin.startsWith("https:")) {
    throw new RedirectRejected("http after https");
  }
  if (url.username !== "" || url.password !== "") throw new RedirectRejected("a user or a password in it");
  const isBase = url.origin === baseOrigin;
  if (!isBase && !hosts.some((host) => isNamed(url.host, host))) {
    throw new RedirectRejected("a host that is not named");
  }
  return {
    origin: url.origin,
    path: url.pathname,
    queryString: url.search.slice(1),
    isForeign: from.isForeign || !isBase,
    mustBePublic: from.mustBePublic,
    count: from.count + 1,
  };
}

/**
 * Reports whether a host matches a name. `*.example.com` matches all subdomains, but not the domain itself. A
 * port other than the default port is part of the name.
 */
function isNamed(host: string, name: string): boolean {
  return name.startsWith("*.")
    ? host.endsWith(name.slice(1)) && host.length > name.length - 1
    : host === name;
}
