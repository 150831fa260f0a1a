import fc from "fast-check";
import { expect, test } from "vitest";
import { type Hop, nextHop, RedirectRejected } from "./hop.ts";

const BASE = "https://api.example.com";
const SETTINGS = { hosts: ["files.example.com", "*.cdn.example", "odd.example:8443", "127.0.0.1"] };
const START = { origin: BASE, path: "/v1/a/b", isForeign: false, mustBePublic: false, count: 0 };

const hop = (location: string, from: Partial<Hop> = {}) =>
  nextHop(location, { ...START, ...from }, BASE, SETTINGS);

test.each<[string, string, boolean]>([
  ["c?d=1#e", `${BASE}/v1/a/c?d=1`, false],
  ["/x", `${BASE}/x`, false],
  ["?q", `${BASE}/v1/a/b?q`, false],
  ["//files.example.com/f", "https://files.example.com/f", true],
  ["https://files.example.com:443/f", "https://files.example.com/f", true],
  ["HTTPS://FILES.EXAMPLE.COM/f", "https://files.example.com/f", true],
  ["https://a.b.cdn.example/f", "https://a.b.cdn.example/f", true],
  ["https://odd.example:8443/", "https://odd.example:8443/", true],
])("a redirect to %s leads to %s", (location, address, isForeign) => {
  const next = hop(location);
  expect([`${next.origin}${next.path}?${next.queryString}`, next.isForeign]).toEqual([
    address.includes("?") ? address : `${address}?`,
    isForeign,
  ]);
  expect(next.count).toBe(1);
});

test.each<[string, string]>([
  ["http://files.example.com/f", "http after https"],
  ["http://api.example.com/f", "http after https"],
  ["https://evil.example/", "a host that is not named"],
  ["https://cdn.example/", "a host that is not named"],
  ["https://evilcdn.example/", "a host that is not named"],
  ["https://files.example.com.evil.example/", "a host that is not named"],
  ["https://files.example.com:8443/", "a host that is not named"],
  ["https://odd.example/", "a host that is not named"],
  ["https://user@files.example.com/", "a user or a password in it"],
  ["https://files.example.com:pw@evil.example/", "a user or a password in it"],
  ["https://@files.example.com/", ""],
  ["https://[::1]/", "a host that is not named"],
  ["https://[::ffff:127.0.0.1]/", "a host that is not named"],
  ["https://0/", "a host that is not named"],
  ["https://0x7f000002/", "a host that is not named"],
  ["https://2130706434/", "a host that is not named"],
  ["https://169.254.169.254/latest", "a host that is not named"],
  ["", "a text that is no address"],
  ["#part", "a text that is no address"],
  ["https://[", "a text that is no address"],
  ["https://x:99999/", "a text that is no address"],
  ["https:\\\\evil.example/", "a text that is no address"],
  ["/\\evil.example/", "a text that is no address"],
  ["/\tx", "a text that is no address"],
  ["https://files.example.com/\u00e9", "a text that is no address"],
  [`/${"x".repeat(9_000)}`, "a text that is no address"],
  ["file:///etc/passwd", "another scheme"],
  ["javascript:alert(1)", "another scheme"],
  ["data:text/plain,x", "another scheme"],
  ["ftp://files.example.com/", "another scheme"],
])("a redirect to %s is rejected: %s", (location, problem) => {
  if (problem === "") {
    // an empty user name counts as no user name
    expect(hop(location).origin).toBe("https://files.example.com");
    return;
  }
  expect(() => hop(location)).toThrow(new RedirectRejected(problem));
});

test("a decimal address is read as its IPv4 address", () => {
  expect(hop("https://2130706433/").origin).toBe("https://127.0.0.1");
});

test("a chain of redirects that has left the base address gets no credentials, even if it returns", () => {
  expect(hop(BASE, { origin: "https://files.example.com", isForeign: true }).isForeign).toBe(true);
});

test("five redirects are followed, and the sixth is rejected", () => {
  expect(hop("/", { count: 4 }).count).toBe(5);
  expect(() => hop("/", { count: 5 })).toThrow("more than 5 redirects");
});

test("the target of any Location is an allowed host, uses https, and has no user name", () => {
  const part = fc.constantFrom(
    "https:",
    "http:",
    "//",
    "/",
    "\\",
    "@",
    ":",
    "#",
    "?",
    "[",
    "]",
    "%",
    ".",
    "files.example.com",
    "evil.example",
    "api.example.com",
    "0",
    "127.1",
    "a.cdn.example",
    "\t",
    " ",
    "8443",
  );
  const location = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(location, (text) => {
      let next: Hop;
      try {
        next = hop(text);
      } catch (error) {
        expect(error).toBeInstanceOf(RedirectRejected);
        return;
      }
      const url = new URL(next.origin + next.path);
      expect([url.protocol, url.username, url.password]).toEqual(["https:", "", ""]);
      expect(url.host).toMatch(
        /^(api\.example\.com|files\.example\.com|.+\.cdn\.example|odd\.example:8443|127\.0\.0\.1)$/,
      );
      expect(next.isForeign).toBe(url.origin !== BASE);
    }),
    { numRuns: 2_000 },
  );
});
