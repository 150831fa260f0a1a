import { isIP } from "node:net";
import { isAuthority } from "./authority.ts";

/** Every host. */
export const ANY_HOST = "*";

/** The hosts that a browser takes for its own machine, whatever a name server says (RFC 6761 section 6.3). */
const LOOPBACK_HOSTS = ["localhost", "*.localhost", "127.0.0.1", "::1"] as const;

/** Where a request that is meant for an unknown host may lead all the same: probes send addresses. */
const PROBES: ReadonlySet<string> = new Set([
  "/healthz",
  "/readyz",
  "/grpc.health.v1.Health/Check",
  "/grpc.health.v1.Health/Watch",
]);

/** Whether a path is that of a probe, which is served whatever its host. */
export function isProbe(path: string): boolean {
  return PROBES.has(path);
}

/** Whether only this machine reaches what listens on this address. */
export function isLoopback(host: string): boolean {
  const { name } = parseHost(host) ?? {};
  return (
    name !== undefined && /^(?:localhost|127\.[\d.]+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]+\])$/.test(name)
  );
}

/**
 * The hosts of requests that are served: those given, else, listening on loopback,
 * its names and the address itself.
 *
 * @param host what is listened on
 * @throws Error where none are given and the address is not loopback
 */
export function hostsOf(host: string, given: readonly string[] | undefined): readonly string[] {
  if (given !== undefined) return given;
  if (isLoopback(host)) return [...LOOPBACK_HOSTS, host];
  throw new Error(missingHosts(host));
}

/** What is said where the gateway listens beyond loopback and its hosts are not named. */
export function missingHosts(host: string): string {
  return (
    `${host} is not a loopback address: name the hosts that callers use in server.hosts, e.g. [gateway.example.com], ` +
    'or write ["*"] for all where no browser can reach the port; otherwise any web page could call the gateway by DNS ' +
    "rebinding"
  );
}

/** What is said where anyone who reaches the gateway may call it. */
export const OPEN_TO_ALL =
  "the gateway listens beyond loopback and does not authorize callers: whoever reaches it may call its upstreams with the credentials of the configuration";

/** A name or an IP address, without a port; `*.example.com` for all names below one; `*` for all. */
export function isHostPattern(text: string): boolean {
  return text === ANY_HOST || parseHost(text) !== undefined;
}

/** Tells whether requests for an authority, a host with an optional port, are served. */
export type HostCheck = (authority: string) => boolean;

/**
 * A check of authorities by their hosts. The case and the dot at the end of a name, how an IP address is
 * written, and the port do not matter.
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
  // nearly all requests are for the same authority, and an address takes its time to be parsed
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
  /** Whether the names below it are meant, and not itself. */
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
 * In lower case, without a port and the dot at the end; IP addresses in their shortest form,
 * IPv6 in brackets.
 */
function canonicalName(authority: string): string | undefined {
  return URL.parse(`http://${authority}`)?.hostname.replace(/(?<=[^.])\.$/, "");
}
