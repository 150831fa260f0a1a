import fc from "fast-check";
import { expect, test } from "vitest";
import { ClientBuckets } from "./client-buckets.ts";

test("a client takes at most the burst plus the rate times the elapsed time, and other clients are not affected", () => {
  const tries = fc.array(fc.tuple(fc.nat(3000), fc.nat(80)), { maxLength: 60 });
  fc.assert(
    fc.property(tries, fc.constantFrom("192.0.2.1", "2001:db8::1"), (steps, address) => {
      const buckets = new ClientBuckets(50, 1);
      let now = 0;
      let ended = 0;
      for (const [gap, count] of steps) {
        now += gap;
        for (let i = 0; i < count; i++) {
          if (buckets.isOverdrawn(address, now)) continue;
          buckets.take(address, now);
          ended += 1;
        }
        expect(buckets.isOverdrawn("192.0.2.2", now)).toBe(false);
        expect(buckets.isOverdrawn("2001:db8:1::1", now)).toBe(false);
      }
      expect(ended).toBeLessThanOrEqual(51 + now / 1000);
    }),
    { numRuns: 100 },
  );
});

test("the addresses in an IPv6 network share a bucket, which refills over time", () => {
  const buckets = new ClientBuckets(50, 1);
  for (let i = 0; i < 60; i++) buckets.take(`2001:db8::${i}`, 0);
  expect(buckets.isOverdrawn("2001:db8::ffff", 0)).toBe(true);
  expect(buckets.isOverdrawn("2001:db8::ffff", 11_000)).toBe(false);
});
