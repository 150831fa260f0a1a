import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/**
 * Returns the host of an origin for comparison with names and addresses, without brackets, port and final
 * dot.
 */
export function hostOf(origin: string): string {
  return new URL(origin).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** Reports whether the name or the address in an origin refers to this machine. */
export function isLoopbackOrigin(origin: string): boolean {
  const host = hostOf(origin);
  const family = isIP(host);
  if (family === 0) return host === "localhost" || host.endsWith(".localhost");
  return LOOPBACK.check(host, family === 4 ? "ipv4" : "ipv6");
}
