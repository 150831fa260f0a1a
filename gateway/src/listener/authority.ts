/**
 * `host [":" port]` of RFC 3986 section 3.2.2, without user information: a registered name or IPv4 address of
 * unreserved characters, or an IPv6 address in brackets. The RFC allows percent-encoding, but it is rejected
 * here, since host names do not use it.
 */
const AUTHORITY_PATTERN = /^(?:[A-Za-z0-9._~-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{0,5})?$/;

/**
 * Returns whether a string is a host with an optional port from 0 to 65535 that has the same meaning as part
 * of a URL. The pattern rejects characters with another meaning in a URL. The parser, which does not throw,
 * rejects invalid ports, names whose last label makes them an IPv4 address, and invalid punycode.
 */
export function isAuthority(text: string): boolean {
  // nearly all requests have the same authority
  if (text === lastGood) return true;
  if (!isGood(text)) return false;
  lastGood = text;
  return true;
}

let lastGood: string | undefined;

function isGood(text: string): boolean {
  return AUTHORITY_PATTERN.test(text) && URL.canParse(`http://${text}`);
}
