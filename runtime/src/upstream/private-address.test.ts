import { SocketAddress } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isPrivateAddress } from "./private-address.ts";

test.each([
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "::ffff:7f00:1",
  "0:0:0:0:0:ffff:0a00:0001",
  "::ffff:0:a00:1",
  "::ffff:0:8.8.8.8",
  "100::1",
  "4000::1",
  "5f00::1",
  "8000::1",
  "64:ff9b::a00:1",
  "2002:a00:1::",
  "fc00::1",
  "fd12::1",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "2001:db8::1",
  "",
  "localhost",
  "127.1",
])("%s is not public", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "172.32.0.1",
  "192.169.0.1",
  "::ffff:8.8.8.8",
  "::FFFF:8.8.8.8",
  "0:0:0:0:0:ffff:808:808",
  "2000::1",
  "2606:4700::1111",
  "3ffe:ffff::1",
  "2a00::1",
])("%s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test("an IPv4 address has the same classification within an IPv6 address", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPrivateAddress(`::ffff:${address}`)).toBe(isPrivateAddress(address));
      expect(isPrivateAddress(`::ffff:${groupsOf(address)}`)).toBe(isPrivateAddress(address));
    }),
  );
});

/** Ranges that no public upstream may use (RFC 1918, 1122, 3927, 6598, 5737, 2544, 5771, 1112). */
const PRIVATE_RANGES = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const;

/** Ways to embed the two 16-bit groups of an IPv4 address in an IPv6 address. */
const EMBEDDINGS: Readonly<Record<string, (high: string, low: string) => string>> = {
  "compatible (RFC 4291)": (high, low) => `::${high}:${low}`,
  "mapped (RFC 4291)": (high, low) => `::ffff:${high}:${low}`,
  "translated (RFC 2765)": (high, low) => `::ffff:0:${high}:${low}`,
  "NAT64 (RFC 6052)": (high, low) => `64:ff9b::${high}:${low}`,
  "local NAT64, /48 (RFC 8215)": (high, low) =>
    `64:ff9b:1:${high}:${low.padStart(4, "0").slice(0, 2)}:${low.padStart(4, "0").slice(2)}00::`,
  "local NAT64, /96 (RFC 8215)": (high, low) => `64:ff9b:1:abcd::${high}:${low}`,
  "6to4 (RFC 3056)": (high, low) => `2002:${high}:${low}::1`,
  "Teredo server (RFC 4380)": (high, low) => `2001:0:${high}:${low}::1`,
  "Teredo client (RFC 4380)": (high, low) => `2001:0:808:808:0:0:${inverse(high)}:${inverse(low)}`,
};

const inverse = (group: string) => (Number.parseInt(group, 16) ^ 0xffff).toString(16);

function groupsOf(address: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/**
 * Returns all notations of an IPv6 address that parsers accept: in full, in capitals, with an IPv4 tail, with
 * a zone.
 */
function spellings(address: string): string[] {
  const [head = "", tail] = address.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after];
  const bytes = groups.slice(6).flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
  const full = groups.map((group) => group.padStart(4, "0")).join(":");
  return [
    address,
    full,
    full.toUpperCase(),
    `${groups.slice(0, 6).join(":")}:${bytes.join(".")}`,
    `${address}%eth0`,
  ];
}

/** Generates addresses of a range, including the first and the last address. */
function addressIn([network, bits]: (typeof PRIVATE_RANGES)[number]): fc.Arbitrary<string> {
  const size = 2 ** (32 - bits);
  const start = network.split(".").reduce((sum, byte) => sum * 256 + Number(byte), 0);
  return fc
    .oneof(fc.constantFrom(0, size - 1), fc.integer({ min: 0, max: size - 1 }))
    .map((offset) => [24, 16, 8, 0].map((shift) => ((start + offset) >>> shift) & 0xff).join("."));
}

test.each(Object.entries(EMBEDDINGS))(
  "a private IPv4 address is private in every IPv6 form: %s",
  (_name, embed) => {
    for (const range of PRIVATE_RANGES) {
      fc.assert(
        fc.property(addressIn(range), (address) => {
          expect(isPrivateAddress(address), address).toBe(true);
          const [high = "", low = ""] = groupsOf(address).split(":");
          for (const spelling of spellings(embed(high, low))) {
            expect(isPrivateAddress(spelling), spelling).toBe(true);
          }
        }),
        { numRuns: 20 },
      );
    }
  },
);

test("no address outside of 2000::/3 is public, except mapped addresses", () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const { address: shortest } = new SocketAddress({ address, family: "ipv6" });
      fc.pre(!/^[23][0-9a-f]{3}:|^::ffff:\d+\./.test(shortest));
      expect(isPrivateAddress(address)).toBe(true);
    }),
  );
});
