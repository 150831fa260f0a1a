import { isIP } from "node:net";

/** A hop of a request, as a proxy reports it. */
export interface ForwardedHop {
  /** The IP address; undefined if the proxy hides it or reports something else. */
  readonly address: string | undefined;
  readonly scheme?: string | undefined;
  readonly authority?: string | undefined;
}

/** The maximum number of hops to read, counted from the last hop; no deployment has more proxies. */
const MAX_HOPS = 32;

/** `token=value` of RFC 7239 section 4, where the value is a token or a quoted string; a comma ends a hop. */
const PAIR_PATTERN = /\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))\s*([;,]|$)/y;

/**
 * Returns the hops of a `Forwarded` header (RFC 7239), starting at the client; returns no hops for a
 * malformed header.
 */
export function parseForwarded(text: string): ForwardedHop[] {
  const hops: ForwardedHop[] = [];
  let pairs = new Map<string, string>();
  PAIR_PATTERN.lastIndex = 0;
  while (PAIR_PATTERN.lastIndex < text.length) {
    const [, name, quoted, token, end] = PAIR_PATTERN.exec(text) ?? [];
    if (name === undefined) return [];
    pairs.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? token ?? "");
    if (end === ";") continue;
    hops.push({
      address: nodeAddress(pairs.get("for") ?? ""),
      scheme: pairs.get("proto"),
      authority: pairs.get("host"),
    });
    pairs = new Map();
  }
  return pairs.size === 0 ? hops.slice(-MAX_HOPS) : [];
}

/** Returns the addresses in an `X-Forwarded-For` header, starting at the client. */
export function parseForwardedFor(text: string): (string | undefined)[] {
  if (text === "") return [];
  return text
    .split(",")
    .slice(-MAX_HOPS)
    .map((part) => nodeAddress(part.trim()));
}

/** Returns the address in `address`, `address:port`, `[address]` or `[address]:port` (RFC 7239 section 6). */
function nodeAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  const v4 = /^([\d.]+):\d{1,5}$/.exec(text);
  return plainAddress(bracketed?.[1] ?? v4?.[1] ?? text);
}

/**
 * Returns an IP address without a zone, and with IPv4-mapped addresses in IPv4 form; undefined if the string
 * is not an IP address.
 */
export function plainAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.)/i, "");
  return isIP(address) === 0 ? undefined : address;
}
