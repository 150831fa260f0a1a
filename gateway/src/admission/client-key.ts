import { isIPv6 } from "node:net";

/** Groups of an IPv6 address that name a network; the others are for its owner to choose. */
const NETWORK_GROUPS = 4;

/**
 * What counts as one client: an address of IPv4, or a network of IPv6 of 64 bits, since whoever has one address there has
 * them all (RFC 4291 section 2.5.1).
 */
export function clientKey(address: string): string {
  if (!address.includes(":") || !isIPv6(address)) return address;
  const [head = "", tail] = address.split("::", 2);
  const before = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - behind.length);
  const groups = [...before, ...Array<string>(zeros).fill("0"), ...behind];
  return groups
    .slice(0, NETWORK_GROUPS)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
