import fc from "fast-check";
import { expect, test } from "vitest";
import { isAuthority } from "./authority.ts";

test("an accepted authority is exactly the host and port of a URL", () => {
  const almost = fc.stringMatching(/^[a-z0-9.:[\]@%/?# _~-]{0,12}$/);
  fc.assert(
    fc.property(fc.oneof(almost, fc.string(), fc.webAuthority({ withPort: true })), (text) => {
      if (!isAuthority(text)) return;
      const url = new URL(`http://${text}/path`);
      expect([url.username, url.password, url.pathname, url.search, url.hash]).toEqual([
        "",
        "",
        "/path",
        "",
        "",
      ]);
      // A number is the short form of an IPv4 address. The URL parser changes only the case of names.
      if (/^[a-z]/i.test(text)) expect(url.hostname).toBe(text.replace(/:\d*$/, "").toLowerCase());
    }),
    { interruptAfterTimeLimit: 2000, numRuns: 2000 },
  );
});

test("every domain is accepted, with and without a port", () => {
  fc.assert(
    fc.property(
      fc.domain(),
      fc.nat(65_535),
      (domain, port) => isAuthority(domain) && isAuthority(`${domain}:${port}`),
    ),
    { interruptAfterTimeLimit: 2000 },
  );
});

test.each(["a.0", "1.2.3.999", "x:65536", "[1::2::3]", "[]", "a\n", ""])("%j is not an authority", (text) => {
  expect(isAuthority(text)).toBe(false);
});
