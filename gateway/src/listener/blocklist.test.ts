import fc from "fast-check";
import { expect, test } from "vitest";
import { Blocklist } from "./blocklist.ts";

test("over any time no more connections are ended for an attack than a burst, and one a second, and others are never barred", () => {
  const tries = fc.array(fc.tuple(fc.nat(3000), fc.nat(80)), { maxLength: 60 });
  fc.assert(
    fc.property(tries, fc.constantFrom("192.0.2.1", "2001:db8::1"), (steps, address) => {
      const blocklist = new Blocklist();
      let now = 0;
      let ended = 0;
      for (const [gap, count] of steps) {
        now += gap;
        for (let i = 0; i < count; i++) {
          if (blocklist.isBlocked(address, now)) continue;
          blocklist.add(address, now);
          ended += 1;
        }
        expect(blocklist.isBlocked("192.0.2.2", now)).toBe(false);
        expect(blocklist.isBlocked("2001:db8:1::1", now)).toBe(false);
      }
      expect(ended).toBeLessThanOrEqual(51 + now / 1000);
    }),
    { numRuns: 100 },
  );
});

test("whoever stops is served again, and a network of IPv6 is one client", () => {
  const blocklist = new Blocklist();
  for (let i = 0; i < 60; i++) blocklist.add(`2001:db8::${i}`, 0);
  expect(blocklist.isBlocked("2001:db8::ffff", 0)).toBe(true);
  expect(blocklist.isBlocked("2001:db8::ffff", 11_000)).toBe(false);
});
