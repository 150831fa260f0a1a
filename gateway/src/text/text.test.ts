import fc from "fast-check";
import { expect, test } from "vitest";
import { show } from "./show.ts";
import { didYouMean, suggest } from "./suggest.ts";

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

test("property: a word with one mistake in it is found among other words", () => {
  const candidates = ["upstreams", "adapters", "authorization", "diagnostics"];
  fc.assert(
    fc.property(
      fc.constantFrom(...candidates),
      fc.nat(20),
      fc.string({ minLength: 1, maxLength: 1 }),
      (word, at, character) => {
        const place = at % word.length;
        expect(suggest(word.slice(0, place) + character + word.slice(place + 1), candidates)).toBe(word);
        expect(suggest(word.slice(0, place) + word.slice(place + 1), candidates)).toBe(word);
      },
    ),
    { numRuns: 200 },
  );
});
