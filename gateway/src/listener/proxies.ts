import { BlockList, isIP } from "node:net";
import { isAuthority } from "./authority.ts";
import { type ForwardedHop, parseForwarded, parseForwardedFor, plainAddress } from "./forwarded.ts";
import { type HttpRequest, isHttp2 } from "./http.ts";
import type { Origin } from "./origin.ts";

/** The headers in which proxies report the client. */
export const FORWARDED_HEADERS = ["x-forwarded", "forwarded"] as const;
export type ForwardedHeader = (typeof FORWARDED_HEADERS)[number];

/** Trusted proxies in front of the gateway. */
export interface ProxyOptions {
  /** Addresses and networks (`10.0.0.0/8`). Default: none. */
  readonly trusted?: readonly string[] | undefined;
  /**
   * The header that the proxies set: `x-forwarded` for X-Forwarded-For, -Proto and -Host, `forwarded` for RFC
   * 7239. The other header is ignored, because proxies forward it unchanged from the client. Default:
   * `x-forwarded`.
   */
  readonly header?: ForwardedHeader | undefined;
}

/**
 * Creates a function that returns the origin of a request. The origin is the connection's peer or, for a
 * trusted proxy, the hop that the proxy reports. The client is the nearest address that is not a trusted
 * proxy. Header entries before that address come from the client and are ignored.
 */
export function createOriginReader(options: ProxyOptions = {}): (request: HttpRequest) => Origin {
  const addresses = options.trusted ?? [];
  if (addresses.length === 0) return directOrigin;
  const trusted = networks(addresses);
  const hopsOf = options.header === "forwarded" ? forwardedHops : xForwardedHops;
  return (request) => {
    const direct = directOrigin(request);
    if (!isIn(trusted, direct.client)) return direct;
    const hops = hopsOf(request);
    let nearest: ForwardedHop | undefined;
    for (const hop of hops.toReversed()) {
      if (hop.address === undefined) break;
      nearest = hop;
      if (!isIn(trusted, hop.address)) break;
    }
    return {
      client: nearest?.address ?? direct.client,
      scheme: schemeOf(nearest?.scheme) ?? direct.scheme,
      authority:
        nearest?.authority !== undefined && isAuthority(nearest.authority)
          ? nearest.authority
          : direct.authority,
    };
  };
}

/** Creates a function that returns whether an address belongs to a trusted proxy. */
export function createProxyCheck(options: ProxyOptions = {}): (address: string) => boolean {
  const addresses = options.trusted ?? [];
  if (addresses.length === 0) return () => false;
  const trusted = networks(addresses);
  return (address) => isIn(trusted, plainAddress(address) ?? "");
}

function directOrigin(request: HttpRequest): Origin {
  const socket = isHttp2(request) ? request.stream.session?.socket : request.socket;
  const authority = request.headers[":authority"] ?? request.headers.host;
  return {
    client: clientOf(socket?.remoteAddress ?? ""),
    scheme: socket !== undefined && "encrypted" in socket && socket.encrypted === true ? "https" : "http",
    // The listener has already checked that the request has exactly one well-formed authority.
    authority: typeof authority === "string" ? authority : "localhost",
  };
}

let lastAddress = "";
let lastClient = "";

/**
 * Returns the client address of a peer. Caches the last result, since many consecutive requests come from the
 * same address.
 */
function clientOf(address: string): string {
  if (address !== lastAddress) {
    lastClient = plainAddress(address) ?? "";
    lastAddress = address;
  }
  return lastClient;
}

function forwardedHops(request: HttpRequest): ForwardedHop[] {
  return parseForwarded(headerText(request, "forwarded"));
}

/**
 * Returns the hops in the X-Forwarded headers. Proxies append to X-Forwarded-For, and set the other two
 * headers.
 */
function xForwardedHops(request: HttpRequest): ForwardedHop[] {
  const scheme = lastOf(headerText(request, "x-forwarded-proto"));
  const authority = lastOf(headerText(request, "x-forwarded-host"));
  const addresses = parseForwardedFor(headerText(request, "x-forwarded-for"));
  return addresses.map((address) => ({ address, scheme, authority }));
}

function headerText(request: HttpRequest, name: string): string {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : (value ?? "");
}

function lastOf(list: string): string | undefined {
  const last = list.split(",").at(-1)?.trim();
  return last === "" ? undefined : last;
}

function schemeOf(text: string | undefined): Origin["scheme"] | undefined {
  const lower = text?.toLowerCase();
  return lower === "http" || lower === "https" ? lower : undefined;
}

function networks(list: readonly string[]): BlockList {
  const found = new BlockList();
  for (const text of list) {
    const [address = "", prefix] = text.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) {
      found.addAddress(address, family);
    } else {
      found.addSubnet(address, Number(prefix), family);
    }
  }
  return found;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? "ipv6" : "ipv4");
}
