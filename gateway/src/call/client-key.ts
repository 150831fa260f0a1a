import { isIPv6 } from "node:net";

/**
 * The number of groups of an IPv6 address that identify a network; the network's owner chooses the other
 * groups.
 */
const NETWORK_GROUPS = 4;

const GROUPS = 8;

/**
 * Returns the key of a client: an IPv4 address, including the form `::ffff:a.b.c.d` of an IPv6 socket (RFC
 * 4291 section 2.5.5.2), or a 64-bit IPv6 network, since the owner of a network has all of its addresses
 * (section 2.5.1). Different notations of an address have the same key. Any other string is a separate
 * client.
 */
export function clientKey(address: string): string {
  if (!address.includes(":")) return address;
  const [plain = ""] = address.split("%", 1);
  if (!isIPv6(plain)) return address;
  const groups = groupsOf(plain);
  return isMapped(groups) ? quad(groups) : groups.slice(0, NETWORK_GROUPS).map(hex).join(":");
}

/** Returns the eight groups of an IPv6 address as numbers. */
function groupsOf(address: string): number[] {
  const [head = "", tail] = address.split("::");
  const start = numbersOf(head);
  const end = numbersOf(tail ?? "");
  const zeros = tail === undefined ? 0 : GROUPS - start.length - end.length;
  return [...start, ...Array<number>(zeros).fill(0), ...end];
}

function numbersOf(text: string): number[] {
  if (text === "") return [];
  return text
    .split(":")
    .flatMap((group) => (group.includes(".") ? pairOf(group) : [Number.parseInt(group, 16)]));
}

/** Parses the last two groups in IPv4 notation. */
function pairOf(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  return [a * 256 + b, c * 256 + d];
}

function isMapped(groups: readonly number[]): boolean {
  return groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0);
}

function quad(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

function hex(group: number): string {
  return group.toString(16);
}
