import { SocketAddress } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { clientKey } from "./client-key.ts";

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["", ""],
  ["::1", "0:0:0:0"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:db8::7", "2001:db8:0:0"],
  ["2001:0db8:0001::", "2001:db8:1:0"],
  ["fe80::1%eth0", "fe80:0:0:0"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["::FFFF:c000:0201", "192.0.2.1"],
  ["0:0:0:0:0:ffff:192.0.2.1", "192.0.2.1"],
  ["::192.0.2.1", "0:0:0:0"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0"],
  ["1::2::3", "1::2::3"],
])("the client %j has the key %j", (address, key) => {
  expect(clientKey(address)).toBe(key);
});

test("property: all notations of an address have the same key, and IPv4 clients have separate keys on an IPv6 socket", () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.ipV4(), (ipv6, ipv4) => {
      const { address } = new SocketAddress({ address: ipv6, family: "ipv6" });
      expect(clientKey(address)).toBe(clientKey(ipv6));
      expect(clientKey(ipv6.toUpperCase())).toBe(clientKey(ipv6));
      expect(clientKey(`::ffff:${ipv4}`)).toBe(clientKey(ipv4));
    }),
    { numRuns: 300 },
  );
});
