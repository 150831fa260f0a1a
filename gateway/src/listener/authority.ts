/**
 * `host [":" port]` of RFC 3986 section 3.2.2, without user information: a registered name or IPv4 address of
 * unreserved characters, or an IPv6 address in brackets. Percent-encoding, legal there, is rejected:
 * no host name has it.
 */
const AUTHORITY_PATTERN = /^(?:[A-Za-z0-9._~-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?$/;

/**
 * Whether the text is a host with an optional port from 0 to 65535, such that whoever puts it into an address
 * gets that host and port. The pattern keeps out what means more in an address; the parser, which does not
 * throw, what it would reject: ports, a last label that makes an IPv4 address of a name, punycode.
 */
export function isAuthority(text: string): boolean {
  // nearly all requests have the same
  if (text === lastGood) return true;
  if (!isGood(text)) return false;
  lastGood = text;
  return true;
}

let lastGood: string | undefined;

function isGood(text: string): boolean {
  return AUTHORITY_PATTERN.test(text) && URL.canParse(`http://${text}`);
}
