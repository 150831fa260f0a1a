import { isIP } from "node:net";
import { isAuthority } from "./authority.ts";

/** The address to listen on. */
export const DEFAULT_HOST = "127.0.0.1";

/** Every host. */
export const ANY_HOST = "*";

/** The hosts that browsers resolve to their own machine, regardless of DNS (RFC 6761 section 6.3). */
const LOOPBACK_HOSTS = ["localhost", "*.localhost", "127.0.0.1", "::1"] as const;

/** The paths that are served for any host, since probes use IP addresses in place of names. */
const PROBES: ReadonlySet<string> = new Set([
  "/healthz",
  "/readyz",
  "/grpc.health.v1.Health/Check",
  "/grpc.health.v1.Health/Watch",
]);

/** Returns whether a path is for probes, which may use any host. */
export function isProbe(path: string): boolean {
  return PROBES.has(path);
}

/** Returns whether an address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  const { name } = parseHost(host) ?? {};
  return (
    name !== undefined && /^(?:localhost|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(name)
  );
}

/**
 * Returns the hosts whose requests are served: the given hosts, or else, on a loopback address, the loopback
 * names and the address itself.
 *
 * @param host the address to listen on
 * @throws Error if no hosts are given and the address is not a loopback address
 */
export function hostsOf(host: string, given: readonly string[] | undefined): readonly string[] {
  if (given !== undefined) return given;
  if (isLoopback(host)) return [...LOOPBACK_HOSTS, host];
  throw new Error(missingHosts(host));
}

/** Returns the error message for a gateway on a non-loopback address without configured hosts. */
export function missingHosts(host: string): string {
  return (
    `${host} is not a loopback address: name the hosts that callers use in server.hosts, e.g. [gateway.example.com], ` +
    'or write ["*"] for all where no browser can reach the port; otherwise any web page could call the gateway by DNS ' +
    "rebinding"
  );
}

/** The warning for a gateway that anyone who can reach it may call. */
export const OPEN_TO_ALL =
  "the gateway listens beyond loopback and does not authorize callers: anyone who reaches the gateway may call its upstreams with the credentials of the configuration";

/**
 * Returns whether a string is a name or an IP address without a port, `*.example.com` for all subdomains, or
 * `*` for all hosts.
 */
export function isHostPattern(text: string): boolean {
  return text === ANY_HOST || parseHost(text) !== undefined;
}

/** Returns whether requests that name this authority (a host with an optional port) are served. */
export type HostCheck = (authority: string) => boolean;

/**
 * Creates a function that checks whether the host of an authority is allowed. The check ignores case, the
 * trailing dot of a name, the notation of an IP address, and the port.
 */
export function createHostCheck(hosts: readonly string[]): HostCheck {
  if (hosts.includes(ANY_HOST)) return () => true;
  const parsed = hosts.map(parseHost).filter((host) => host !== undefined);
  const exact = new Set(parsed.filter(({ isBelow }) => !isBelow).map(({ name }) => name));
  const ends = parsed.filter(({ isBelow }) => isBelow).map(({ name }) => `.${name}`);
  const isServed = (authority: string) => {
    const name = isAuthority(authority) ? canonicalName(authority) : undefined;
    if (name === undefined) return false;
    return exact.has(name) || ends.some((end) => name.endsWith(end) && name.length > end.length);
  };
  // nearly all requests have the same authority, and parsing an address is slow
  let lastServed: string | undefined;
  return (authority) => {
    if (authority === lastServed) return true;
    if (!isServed(authority)) return false;
    lastServed = authority;
    return true;
  };
}

interface ParsedHost {
  readonly name: string;
  /** Whether the pattern matches only subdomains of the name. */
  readonly isBelow: boolean;
}

function parseHost(text: string): ParsedHost | undefined {
  const isBelow = text.startsWith("*.");
  const host = isBelow ? text.slice(2) : text;
  const authority = isIP(host) === 6 ? `[${host}]` : host;
  if (/[\s/?#@%\\*]/.test(authority) || /:\d*$/.test(authority)) return undefined;
  const name = canonicalName(authority);
  return name === undefined || name === "" ? undefined : { name, isBelow };
}

/**
 * Returns the name in lower case, without port and trailing dot. IP addresses have their shortest form, and
 * IPv6 addresses have brackets.
 */
function canonicalName(authority: string): string | undefined {
  return URL.parse(`http://${authority}`)?.hostname.replace(/(?<=[^.])\.$/, "");
}
