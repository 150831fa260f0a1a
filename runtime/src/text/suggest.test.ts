import fc from "fast-check";
import { expect, test } from "vitest";
import { didYouMean, suggest } from "./suggest.ts";

test("the nearest word is suggested, and a distant word is not", () => {
  expect(suggest("adaptors", ["upstreams", "adapters"])).toBe("adapters");
  expect(suggest("BASEURL", ["baseUrl"])).toBe("baseUrl");
  expect(suggest("x", ["adapters"])).toBeUndefined();
  expect(didYouMean("sever", ["server"])).toBe(' Did you mean "server"?');
  expect(didYouMean("sever", [])).toBe("");
});

test("property: a word with one typing mistake is found among other words", () => {
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
