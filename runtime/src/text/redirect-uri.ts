/** The hosts of a person's own machine, as redirect URIs write them (RFC 8252 section 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** What redirect URIs are, in words. */
export const REDIRECT_URI_EXPECTED =
  "https, or http with localhost, 127.0.0.1 or [::1]; as browsers write it, without user, fragment and parameters of the response";

/** Scheme, authority, path and query, of the characters of RFC 3986 that browsers leave as they are. */
const REDIRECT_URI_PATTERN =
  /^(https?):\/\/([a-z0-9._-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)((?:\/[^?]*)?)((?:\?.*)?)$/i;
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?@!$&()*+,;=[\]]|%[0-9A-Fa-f]{2})+$/;

/**
 * What a response to a client has (RFC 6749 section 4.1.2, RFC 9207):
 * what stands there before could be taken for it.
 */
const RESPONSE_PARAMETERS = ["code", "error", "error_description", "error_uri", "iss", "response", "state"];

/**
 * Whether codes may be sent to a redirect URI: HTTPS, or HTTP to the person's own machine; absolute, without
 * a fragment (RFC 6749 section 3.1.2) and user information, nothing in it that browsers read in another way
 * than it is written, and no parameter of the response.
 */
export function isRedirectUri(address: string): boolean {
  const url = URL.parse(address);
  const [, scheme = "", authority = "", path = "", query = ""] = REDIRECT_URI_PATTERN.exec(address) ?? [];
  if (url === null || authority === "" || !CHARACTERS.test(address)) return false;
  const written = `${scheme}://${authority}`.toLowerCase().replace(/^(https:.*):443$|^(http:.*):80$/, "$1$2");
  if (url.href !== `${written}${path === "" ? "/" : path}${query}`) return false;
  if (RESPONSE_PARAMETERS.some((name) => url.searchParams.has(name))) return false;
  return url.protocol === "https:" || isLoopback(url);
}

/** Whether an address leads to the person's own machine. */
export function isLoopbackAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && isLoopback(url);
}

function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_HOSTS.has(hostname);
}

/**
 * Whether an address is on an origin, by whichever of its names. One of the gateway's own is no redirect URI:
 * a client could have browsers take part in flows of its choice.
 */
export function isOn(origin: string, address: string): boolean {
  const [own, other] = [URL.parse(origin), URL.parse(address)];
  if (own === null || other === null) return false;
  return own.protocol === other.protocol && own.port === other.port && nameOf(own) === nameOf(other);
}

/** A host with a dot at its end is the same one, and the names of the person's own machine are one. */
function nameOf(url: URL): string {
  return isLoopback(url) ? "localhost" : url.hostname.replace(/\.$/, "");
}

/**
 * Whether the hosts that redirect URIs may have (`app.example`, `*.app.example`) include that of this one.
 */
export function isRedirectHost(address: string, hosts: readonly string[]): boolean {
  const host = URL.parse(address)?.hostname;
  return (
    host !== undefined &&
    hosts
      .map((each) => each.toLowerCase())
      .some((each) => (each.startsWith("*.") ? host.endsWith(each.slice(1)) : host === each))
  );
}

/** `http`, a host of the person's own machine, and what the port is free between (RFC 8252 section 7.3). */
const LOOPBACK_PATTERN = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*|\?.*|)$/s;

/**
 * Whether a redirect URI is the registered one: the same text, but for the port on the person's own machine,
 * which applications pick when they start.
 */
export function matchesRedirectUri(address: string, registered: string): boolean {
  if (address === registered) return true;
  // a port of five digits may be none
  if (!URL.canParse(address)) return false;
  const given = LOOPBACK_PATTERN.exec(address);
  const known = LOOPBACK_PATTERN.exec(registered);
  return given !== null && known !== null && given[1] === known[1] && given[2] === known[2];
}
