/** The hosts of a person's own machine, as redirect URIs write them (RFC 8252 section 7.3). */
const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Whether codes may be sent to a redirect URI: HTTPS, or HTTP to the person's own machine; absolute, without a fragment
 * (RFC 6749 section 3.1.2) and user information, and nothing in it that browsers read in another way than it is written.
 */
export function isRedirectUri(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || !/^https?:\/\/[^/?#@\\]+(?:[/?]|$)/i.test(address)) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  if (/[#\\\s\u0000-\u001f\u007f]/.test(address)) return false;
  return url.protocol === "https:" || LOOPBACK_HOSTS.has(url.hostname);
}

/**
 * Whether an address is on an origin. One of the gateway's own is no redirect URI: a client could have browsers take part in
 * flows of its choice.
 */
export function isOn(origin: string, address: string): boolean {
  return URL.parse(address)?.origin === URL.parse(origin)?.origin;
}

/** Whether the hosts that redirect URIs may have (`app.example`, `*.app.example`) include that of this one. */
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
 * Whether a redirect URI is the registered one: the same text, but for the port on the person's own machine, which
 * applications pick when they start.
 */
export function matchesRedirectUri(address: string, registered: string): boolean {
  if (address === registered) return true;
  // a port of five digits may be none
  if (!URL.canParse(address)) return false;
  const given = LOOPBACK_PATTERN.exec(address);
  const known = LOOPBACK_PATTERN.exec(registered);
  return given !== null && known !== null && given[1] === known[1] && given[2] === known[2];
}
