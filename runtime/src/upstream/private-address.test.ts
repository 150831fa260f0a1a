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
  "2606:4700::1111",
  "2a00::1",
])("%s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

test("an IPv4 address is the same within an IPv6 one", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(isPrivateAddress(`::ffff:${address}`)).toBe(isPrivateAddress(address));
    }),
  );
});
