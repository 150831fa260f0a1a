import fc from "fast-check";
import { expect, test } from "vitest";
import { parseForwarded, parseForwardedFor, plainAddress } from "./forwarded.ts";

test.each([
  ["", []],
  ["for=192.0.2.60;proto=http;by=203.0.113.43", [{ address: "192.0.2.60", scheme: "http" }]],
  ['For="[2001:db8:cafe::17]:4711"', [{ address: "2001:db8:cafe::17" }]],
  ["for=192.0.2.43, for=198.51.100.17", [{ address: "192.0.2.43" }, { address: "198.51.100.17" }]],
  ['for=192.0.2.43:80;host="a.example:8080"', [{ address: "192.0.2.43", authority: "a.example:8080" }]],
  ['for="192.0.2.43:80";host="a.example:8080"', [{ address: "192.0.2.43", authority: "a.example:8080" }]],
  ["for=_hidden, for=unknown", [{ address: undefined }, { address: undefined }]],
  ['for="a\\"b"', [{ address: undefined }]],
  ["for=1.2.3.4;", []],
  ["for=1.2.3.4 for=5.6.7.8", []],
  ['for="1.2.3.4', []],
  ["=", []],
])("parses the header Forwarded: %j", (text, hops) => {
  expect(parseForwarded(text)).toMatchObject(hops);
  expect(parseForwarded(text)).toHaveLength(hops.length);
});

test.each([
  ["", []],
  ["1.2.3.4", ["1.2.3.4"]],
  [" 1.2.3.4 ,  ::1", ["1.2.3.4", "::1"]],
  ["1.2.3.4:5678, [::1]:80, [::1]", ["1.2.3.4", "::1", "::1"]],
  ["::ffff:1.2.3.4, fe80::1%eth0", ["1.2.3.4", "fe80::1"]],
  ["unknown, 1.2.3, , 1.2.3.4.5, localhost", Array(5).fill(undefined)],
])("parses the header X-Forwarded-For: %j", (text, addresses) => {
  expect(parseForwardedFor(text)).toEqual(addresses);
});

test("only the last hops of a long X-Forwarded-For header are read", () => {
  expect(parseForwardedFor(`${"1.1.1.1,".repeat(5000)}2.2.2.2`)).toHaveLength(32);
  expect(parseForwardedFor(`${"1.1.1.1,".repeat(5000)}2.2.2.2`).at(-1)).toBe("2.2.2.2");
});

test("parsing any string yields only valid addresses", () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^(?:(?:for|host|proto)=(?:"[^"]*"|[a-z0-9.:]*)[;, ]?)*$/),
  );
  fc.assert(
    fc.property(text, (value) => {
      const addresses = [...parseForwarded(value).map(({ address }) => address), ...parseForwardedFor(value)];
      for (const address of addresses) if (address !== undefined) expect(plainAddress(address)).toBe(address);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("IPv4 and IPv6 addresses are parsed from both headers", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { minLength: 1, maxLength: 8 }), (addresses) => {
      const expected = addresses.map(plainAddress);
      expect(parseForwardedFor(addresses.join(", "))).toEqual(expected);
      const hops = parseForwarded(addresses.map((each) => `for="[${each}]"`).join(","));
      expect(hops.map(({ address }) => address)).toEqual(expected);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});
