/** The hosts of the user's own machine in redirect URIs (RFC 8252 section 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A description of valid redirect URIs, for error messages. */
export const REDIRECT_URI_EXPECTED =
  "https, or http with localhost, 127.0.0.1 or [::1]; as browsers write it, without user, fragment and parameters of the response";

/** Matches a scheme, an authority, a path and a query, in RFC 3986 characters that browsers do not change. */
const REDIRECT_URI_PATTERN =
  /^(https?):\/\/([a-z0-9._-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)((?:\/[^?]*)?)((?:\?.*)?)$/i;
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?@!$&()*+,;=[\]]|%[0-9A-Fa-f]{2})+$/;

/**
 * The parameters of a response to a client (RFC 6749 section 4.1.2, RFC 9207). A redirect URI must not
 * contain parameters with these names, since a client could confuse them with the response.
 */
const RESPONSE_PARAMETERS = ["code", "error", "error_description", "error_uri", "iss", "response", "state"];

/**
 * Reports whether codes may be sent to a redirect URI. It must be absolute and use HTTPS, or HTTP on the
 * user's own machine. It must not contain a fragment (RFC 6749 section 3.1.2), user information, characters
 * that browsers reinterpret, or a parameter of the response.
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

/** Reports whether an address leads to the user's own machine. */
export function isLoopbackAddress(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && isLoopback(url);
}

function isLoopback({ hostname }: URL): boolean {
  return LOOPBACK_HOSTS.has(hostname);
}

/**
 * Reports whether an address is on an origin, under any name of its host. The gateway's own addresses are not
 * valid redirect URIs, since a client could make browsers take part in flows of its choice.
 */
export function isOn(origin: string, address: string): boolean {
  const [own, other] = [URL.parse(origin), URL.parse(address)];
  if (own === null || other === null) return false;
  return own.protocol === other.protocol && own.port === other.port && nameOf(own) === nameOf(other);
}

/**
 * Returns the canonical name of a host, without a trailing dot. All names of the user's own machine have the
 * same canonical name.
 */
function nameOf(url: URL): string {
  return isLoopback(url) ? "localhost" : url.hostname.replace(/\.$/, "");
}

/**
 * Reports whether the allowed hosts of redirect URIs (`app.example`, `*.app.example`) include the host of a
 * redirect URI.
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

/**
 * Matches `http`, a host of the user's own machine, and the parts around the port, which may be any port (RFC
 * 8252 section 7.3).
 */
const LOOPBACK_PATTERN = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(\/.*|\?.*|)$/s;

/**
 * Reports whether a redirect URI equals the registered one. On the user's own machine the port may differ,
 * since applications choose it when they start.
 */
export function matchesRedirectUri(address: string, registered: string): boolean {
  if (address === registered) return true;
  // a port of five digits may be out of range
  if (!URL.canParse(address)) return false;
  const given = LOOPBACK_PATTERN.exec(address);
  const known = LOOPBACK_PATTERN.exec(registered);
  return given !== null && known !== null && given[1] === known[1] && given[2] === known[2];
}
