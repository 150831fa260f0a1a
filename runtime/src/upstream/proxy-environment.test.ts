import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../testing/failure.ts";
import { proxyFromEnvironment } from "./proxy-environment.ts";

const PROXY = "http://proxy.example:3128";

function isDirect(noProxy: string, origin: string): boolean {
  return (
    proxyFromEnvironment({ HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy })(origin) === undefined
  );
}

test("https and http have separate proxy variables, and lower-case names take precedence", () => {
  const both = proxyFromEnvironment({ HTTPS_PROXY: "http://a.example", HTTP_PROXY: "http://b.example:80" });
  expect(both("https://api.example")).toEqual({ url: "http://a.example" });
  expect(both("http://api.example")).toEqual({ url: "http://b.example" });
  const lower = proxyFromEnvironment({ HTTPS_PROXY: "http://a.example", https_proxy: "c.example:3128" });
  expect(lower("https://api.example")).toEqual({ url: "http://c.example:3128" });
  expect(lower("http://api.example")).toBeUndefined();
  const empty = proxyFromEnvironment({ HTTPS_PROXY: "http://a.example", https_proxy: "" });
  expect(empty("https://api.example")).toEqual({ url: "http://a.example" });
  expect(proxyFromEnvironment({ ALL_PROXY: PROXY, NO_PROXY: "x" })("https://api.example")).toBeUndefined();
});

test("the user name and password of a proxy are decoded, and are secrets", () => {
  const proxy = proxyFromEnvironment({ https_proxy: "http://m%65:p%40ss%zz@proxy.example:3128/" });
  const { url, username, password } = proxy("https://api.example") ?? {};
  expect([url, String(username), String(password)]).toEqual([PROXY, "[secret]", "[secret]"]);
  const reveal = (secret: unknown) => (secret as { reveal(): string }).reveal();
  expect([reveal(username), reveal(password)]).toEqual(["me", "p%40ss%zz"]);
});

test.each([
  ["socks5://me:hunter2@proxy.example", "the scheme socks5:"],
  ["http://me:hunter2@[", "something else"],
])("the error for an invalid proxy does not contain its value: %s", async (value, got) => {
  const error = await failureOf(() => proxyFromEnvironment({ https_proxy: value }));
  expect(error.rawMessage).toBe(
    `option https_proxy: expected an http or https address, e.g. http://proxy.example:3128, got ${got}`,
  );
});

const DIRECT: readonly (readonly [noProxy: string, direct: readonly string[], proxied: readonly string[]])[] =
  [
    ["", [], ["https://api.example"]],
    [" , ,", [], ["https://api.example"]],
    ["*", ["https://api.example", "http://10.0.0.1", "https://[2001:db8::1]"], []],
    [
      "example.com",
      [
        "https://example.com",
        "https://api.example.com",
        "http://a.b.example.com:8080",
        "https://EXAMPLE.com.",
      ],
      ["https://notexample.com", "https://example.com.evil.test", "https://com"],
    ],
    ["Example.COM.", ["https://example.com"], ["https://example.org"]],
    [".example.com", ["https://api.example.com"], ["https://example.com", "https://notexample.com"]],
    ["*.example.com", ["https://api.example.com"], ["https://example.com"]],
    [
      "example.com:8443",
      ["https://example.com:8443", "https://api.example.com:8443"],
      ["https://example.com", "https://example.com:9443"],
    ],
    ["example.com:443", ["https://example.com"], ["http://example.com", "https://example.com:444"]],
    ["example.com:80", ["http://example.com"], ["https://example.com"]],
    [
      "10.0.0.0/8",
      ["http://10.1.2.3", "https://10.255.255.255:8443"],
      ["http://11.0.0.1", "http://ten.example"],
    ],
    ["10.0.0.7", ["http://10.0.0.7"], ["http://10.0.0.70", "http://10.0.0.8", "http://x.10.0.0.7.example"]],
    ["10.0.0.7:8080", ["http://10.0.0.7:8080"], ["http://10.0.0.7"]],
    ["192.168.0.0/33, 10.0.0.0/x", [], ["http://192.168.0.1", "http://10.0.0.1"]],
    ["2001:db8::/32", ["https://[2001:db8::1]", "https://[2001:0DB8:0::9]:8443"], ["https://[2001:db9::1]"]],
    ["[2001:db8::1]:8443", ["https://[2001:db8::1]:8443"], ["https://[2001:db8::1]"]],
    ["[2001:db8::1]", ["https://[2001:db8::1]"], ["https://[2001:db8::2]"]],
    ["2001:db8::1", ["https://[2001:db8::1]"], ["https://[2001:db8::2]"]],
    [
      "a.example b.example,c.example",
      ["https://a.example", "https://b.example", "https://c.example"],
      ["https://d.example"],
    ],
  ];

test.each(DIRECT)("NO_PROXY=%j applies to the hosts in its list", (noProxy, direct, proxied) => {
  for (const origin of direct) expect([origin, isDirect(noProxy, origin)]).toEqual([origin, true]);
  for (const origin of proxied) expect([origin, isDirect(noProxy, origin)]).toEqual([origin, false]);
});

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."));
const port = fc.integer({ min: 1, max: 65_535 });

test("a name in NO_PROXY matches its host and all subdomains, on every port or on the named port", () => {
  fc.assert(
    fc.property(name, label, name, port, port, (entry, below, other, entryPort, otherPort) => {
      expect(isDirect(`x.test, ${entry.toUpperCase()}`, `https://${entry}:${entryPort}`)).toBe(true);
      expect(isDirect(entry, `http://${below}.${entry}`)).toBe(true);
      expect(isDirect(entry, `http://${below}${entry}`)).toBe(false);
      expect(isDirect(`${entry}:${entryPort}`, `http://${entry}:${otherPort}`)).toBe(entryPort === otherPort);
      fc.pre(other !== entry && !other.endsWith(`.${entry}`));
      expect(isDirect(entry, `https://${other}`)).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test("no value of NO_PROXY causes an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."a1.:*/[]- ,%é") }), (noProxy) => {
      expect(typeof isDirect(noProxy, "https://api.example:8443")).toBe("boolean");
    }),
    { numRuns: 500 },
  );
});
