/**
 * `host [":" port]` of RFC 3986 section 3.2.2, without user information: a registered name or IPv4 address of
 * unreserved characters, or an IPv6 address in brackets. Percent-encoding, legal there, is refused: no host name has it.
 */
const authorityPattern = /^(?:[A-Za-z0-9._~-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(?::(\d{0,5}))?$/;

/** Tells whether the text is a host with an optional port from 0 to 65535. Never throws. */
export function isAuthority(text: string): boolean {
  const match = authorityPattern.exec(text);
  if (match === null) return false;
  return match[1] === undefined || match[1] === "" || Number(match[1]) <= 65_535;
}
