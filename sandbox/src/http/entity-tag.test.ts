import fc from "fast-check";
import { expect, test } from "vitest";
import { noneMatchNames } from "./entity-tag.ts";

const opaque = fc
  .array(
    fc.constantFrom("a", "b", ",", "W", "/", " !", "é").map((part) => part.replace(" ", "")),
    {
      maxLength: 5,
    },
  )
  .map((parts) => `"${parts.join("")}"`);
const weakness = fc.constantFrom("", "W/");
const separator = fc.constantFrom(",", ", ", " ,\t", ",,", " , ,");

test("If-None-Match matches a tag exactly when the list contains the opaque part of the tag, whether weak or strong", () => {
  const item = fc.tuple(weakness, opaque, separator);
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), weakness, opaque, (items, weak, tag) => {
      const header = items.map(([w, o, s]) => w + o + s).join("");
      expect(noneMatchNames(header, weak + tag)).toBe(items.some(([, o]) => o === tag));
      expect(noneMatchNames(`${header}${tag}`, weak + tag)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["*", true],
  [" * ", true],
  [undefined, false],
  ["", false],
  ["a", false],
  ['w/"a"', false],
  ['"a" "b"', false],
  ['"a', false],
  ['"b", "a', false],
  ['"a", *', false],
  ['W/ "a"', false],
])("the header If-None-Match %j matches the tag: %j", (header, expected) => {
  expect(noneMatchNames(header, 'W/"a"')).toBe(expected);
});
