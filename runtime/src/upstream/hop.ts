/** Where a redirect leads. */
import type { RedirectSettings } from "./redirect-options.ts";

/** One address of a chain of redirects. */
export interface Hop {
  readonly origin: string;
  readonly path: string;
  /** Without `?`; often empty. */
  readonly queryString: string;
  /**
   * It is not the origin of the base address, or a redirect has led away from that before:
   * it gets no credentials.
   */
  readonly isForeign: boolean;
  /** A hop before was at a public address, so that this one must be, too. */
  readonly mustBePublic: boolean;
  /** How many redirects led here. */
  readonly count: number;
}

/** The longest chain of redirects. */
const MAX_REDIRECTS = 5;

const MAX_LOCATION_LENGTH = 8_192;

/** A redirect that must not be followed; `message` says what is wrong with it, without repeating it. */
export class RedirectRejected extends Error {}

/**
 * The address that a `Location` header leads to (RFC 9110 section 10.2.2).
 *
 * @param from the address of the response
 * @param baseOrigin the origin that credentials are for
 * @throws RedirectRejected
 */
export function nextHop(
  location: string,
  from: Pick<Hop, "origin" | "path" | "isForeign" | "mustBePublic" | "count">,
  baseOrigin: string,
  { hosts }: RedirectSettings,
): Hop {
  if (from.count >= MAX_REDIRECTS) throw new RedirectRejected(`more than ${MAX_REDIRECTS} redirects`);
  // URL parsers drop line breaks and tabs, and read backslashes as slashes:
  // what others would read otherwise is rejected
  if (location.length > MAX_LOCATION_LENGTH || /[^\x21-\x7e]|\\/.test(location)) {
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
 * `*.example.com` names all hosts below it, and not itself. A port that is not the
 * default one is part of the name.
 */
function isNamed(host: string, name: string): boolean {
  return name.startsWith("*.")
    ? host.endsWith(name.slice(1)) && host.length > name.length - 1
    : host === name;
}
