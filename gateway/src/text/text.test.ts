import fc from "fast-check";
import { expect, test } from "vitest";
import { show } from "./show.ts";

test("show returns a short string of printable ASCII in quotes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(show(text)).toMatch(/^"[\x20-\x7e]*"$/);
      expect(show(text).length).toBeLessThanOrEqual(60 * 6 + 5);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
  expect(show('a"b\\c\n')).toBe('"a\\"b\\\\c\\u000a"');
});
