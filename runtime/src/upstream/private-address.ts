import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * Networks that are not of the public internet: private, local, shared, reserved, for documentation, and those whose
 * addresses hold others (IANA special-purpose registries, RFC 6890).
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

const NETWORKS_6 = [
  "::/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
] as const;

const privateNetworks = listOf(NETWORKS_4, NETWORKS_6);

function listOf(networks4: readonly string[], networks6: readonly string[]): BlockList {
  const list = new BlockList();
  for (const [networks, family] of [
    [networks4, "ipv4"],
    [networks6, "ipv6"],
  ] as const) {
    for (const network of networks) {
      const [address = "", bits] = network.split("/");
      list.addSubnet(address, Number(bits), family);
    }
  }
  return list;
}

/** Whether an IP address is not one of the public internet. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const [plain = ""] = address.split("%");
  if (isIPv4(plain)) return privateNetworks.check(plain, "ipv4");
  // an IPv4 address within an IPv6 one is checked as such
  return isIPv6(plain) ? privateNetworks.check(plain, "ipv6") : true;
}
