/** Checks names of the document that become names in requests, responses and rules. */

/** The headers of the connection and of the message framing (RFC 9110 section 7.2 and 7.6.1). */
const TRANSPORT =
  "connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade";

/** The headers that the body, the cookies and the configuration of the upstream determine. */
const OWNED: ReadonlySet<string> = new Set(
  `${TRANSPORT} accept-encoding content-type cookie user-agent`.split(" "),
);

/** Reports whether a rule can contain a text: on one line, and in Unicode. */
export function isLine(text: string): boolean {
  return !/\p{Cc}/u.test(text) && text.isWellFormed();
}

/** Reports whether a text is the name of a header or a cookie (RFC 9110 section 5.1, RFC 6265). */
export function isToken(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

/** Reports whether HTTP clients set a header themselves. */
export function isOwned(header: string): boolean {
  return OWNED.has(header.toLowerCase());
}
