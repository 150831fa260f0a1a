import fc from "fast-check";
import { expect, test } from "vitest";
import { show } from "./show.ts";
import { didYouMean, editDistance, suggest } from "./suggest.ts";

test("what is shown is printable ASCII, in quotes, and short", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(show(text)).toMatch(/^"[\x20-\x7e]*"$/);
      expect(show(text).length).toBeLessThanOrEqual(60 * 6 + 5);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
  expect(show('a"b\\c\n')).toBe('"a\\"b\\\\c\\u000a"');
});

test("the nearest word is suggested, and none that is far", () => {
  expect(suggest("adaptors", ["upstreams", "adapters"])).toBe("adapters");
  expect(suggest("BASEURL", ["baseUrl"])).toBe("baseUrl");
  expect(suggest("x", ["adapters"])).toBeUndefined();
  expect(didYouMean("sever", ["server"])).toBe(' Did you mean "server"?');
  expect(didYouMean("sever", [])).toBe("");
});

test("the distance of words is a metric", () => {
  const word = fc.string({ maxLength: 8 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});
