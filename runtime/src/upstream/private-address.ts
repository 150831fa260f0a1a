import { BlockList, isIPv4, isIPv6, SocketAddress } from "node:net";

/**
 * Networks that are not on the public internet: private, local, shared, reserved, multicast and for
 * documentation (IANA IPv4 Special-Purpose Address Registry, RFC 6890).
 */
const NETWORKS_4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
] as const;

/**
 * Only 2000::/3 is assigned for public addresses (IANA IPv6 Address Space). All other addresses are private:
 * local and multicast addresses, addresses that contain an IPv4 address (`::/96`, `::ffff:0:0:0/96`,
 * `64:ff9b::/96`, `64:ff9b:1::/48`), and reserved addresses. The networks below are the special networks
 * within 2000::/3 (IANA IPv6 Special-Purpose Address Registry).
 */
const NETWORKS_6 = [
  "::/3",
  "4000::/2",
  "8000::/1",
  // Teredo, benchmarking, ORCHID and other protocols
  "2001::/23",
  "2001:db8::/32",
  // 6to4
  "2002::/16",
  "3fff::/20",
] as const;

/** Matches an IPv4 address as an IPv6 socket reports it, in the shortest form (RFC 4291 section 2.5.5.2). */
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

// two lists, since a single list would compare IPv4 addresses, in their mapped form, with `::/3` as well
const private4 = listOf(NETWORKS_4, "ipv4");
const private6 = listOf(NETWORKS_6, "ipv6");

function listOf(networks: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/**
 * Reports whether an IP address is not on the public internet. Strings that are not IP addresses count as
 * private.
 */
export function isPrivateAddress(address: string): boolean {
  const [plain = ""] = address.split("%");
  if (isIPv4(plain)) return private4.check(plain, "ipv4");
  if (!isIPv6(plain)) return true;
  const { address: shortest } = new SocketAddress({ address: plain, family: "ipv6" });
  const [, mapped] = MAPPED.exec(shortest) ?? [];
  return mapped === undefined ? private6.check(shortest, "ipv6") : private4.check(mapped, "ipv4");
}
