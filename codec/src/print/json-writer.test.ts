import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonWriter } from "./json-writer.ts";

const KEPT = 4 * 1024 * 1024;

test("property: a text is what JSON.stringify makes of it, however long, and however many escapes it has", () => {
  const unit = fc.constantFrom("a", '"', "\\", "\n", "\u0000", "é", "☃", "😀");
  const text = fc.tuple(fc.string({ unit, maxLength: 50 }), fc.integer({ min: 0, max: 6000 }));
  fc.assert(
    fc.property(text, fc.nat(70_000), ([part, times], before) => {
      const whole = "x".repeat(before) + part.repeat(times);
      const bytes = Buffer.from(whole);
      const out = new JsonWriter();
      const isAscii = out.text(bytes, 0, bytes.length);
      expect(Buffer.from(out.copy()).equals(Buffer.from(JSON.stringify(whole)))).toBe(true);
      expect(isAscii).toBe(bytes.every((byte) => byte < 0x80));
    }),
    { numRuns: 60 },
  );
});

test("once a huge message is out, its buffer is not kept, and it was not a multiple of the message", () => {
  const out = new JsonWriter();
  const bytes = Buffer.alloc(15 * 1024 * 1024, "x");
  out.text(bytes, 0, bytes.length);
  expect(out.capacity).toBeLessThan(3 * bytes.length);
  expect(out.copy()).toHaveLength(bytes.length + 2);
  expect(out.capacity).toBeLessThanOrEqual(KEPT);
});
