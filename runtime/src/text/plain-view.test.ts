import fc from "fast-check";
import { expect, test } from "vitest";
import { literalPlain, literalView } from "./plain-view.ts";

test("literalPlain returns the same text as literalView", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom("a", "Z", "_", "-", "+", " ", "%", "\u00e0", "\n") }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      expect(literalPlain(text)).toBe(literalView(text).plain);
    }),
  );
});
