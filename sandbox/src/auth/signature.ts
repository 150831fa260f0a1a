import { createHmac } from "node:crypto";
import { percentEncode } from "../http/fields.ts";

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Normalizes parameters as in RFC 5849 section 3.4.1.3.2: encodes them, sorts them by name and value in byte
 * order, and joins them.
 */
function normalizeParameters(pairs: readonly (readonly [string, string])[]): string {
  return pairs
    .filter(([name]) => name !== "oauth_signature" && name !== "realm")
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/**
 * Returns the base URI as in RFC 5849 section 3.4.1.2: scheme and host in lower case, without the default
 * port, and the path as it was sent.
 */
export function baseUri(scheme: string, host: string, rawPath: string): string {
  const lower = scheme.toLowerCase();
  const port = lower === "https" ? ":443" : ":80";
  const name = host.toLowerCase();
  return `${lower}://${name.endsWith(port) ? name.slice(0, -port.length) : name}${rawPath}`;
}

/** Returns the signature base string as in RFC 5849 section 3.4.1. */
export function baseString(
  method: string,
  uri: string,
  pairs: readonly (readonly [string, string])[],
): string {
  return [method.toUpperCase(), percentEncode(uri), percentEncode(normalizeParameters(pairs))].join("&");
}

/** Signs with HMAC-SHA1, as in RFC 5849 section 3.4.2. Returns base64. */
export function sign(base: string, consumerSecret: string, tokenSecret: string): string {
  const key = `${percentEncode(consumerSecret)}&${percentEncode(tokenSecret)}`;
  return createHmac("sha1", key).update(base).digest("base64");
}

/**
 * Returns the decoded items of an `Authorization: OAuth ...` header, or `undefined` if the header is
 * malformed.
 */
export function parseAuthorization(header: string): [string, string][] | undefined {
  const items = /^OAuth\s+(.*)$/is.exec(header)?.[1];
  if (items === undefined) return undefined;
  const pairs: [string, string][] = [];
  const item = /\s*([^=\s,]+)="([^"]*)"\s*(?:,|$)/gy;
  while (item.lastIndex < items.length) {
    const match = item.exec(items);
    if (!match) return undefined;
    try {
      pairs.push([decodeURIComponent(match[1] ?? ""), decodeURIComponent(match[2] ?? "")]);
    } catch {
      return undefined;
    }
  }
  return pairs;
}
