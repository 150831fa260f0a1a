import fc from "fast-check";
import { expect, test } from "vitest";
import { parseSelector, select } from "./selector.ts";

const NAMES = ["a.S.Get", "a.S.List", "a.S2.Get", "a.b.S.Get"];

test.each([
  ["a.S.Get", ["a.S.Get"]],
  ["a.S.*", ["a.S.Get", "a.S.List"]],
  ["a.*", NAMES],
  ["*", NAMES],
  ["a.S", []],
  ["S.*", []],
])("the selector %s matches only whole components of a name", (pattern, names) => {
  expect(select(pattern, NAMES)).toEqual(names);
});

test.each(["", "a.", ".a", "a..b", "a.*.b", "a.b*", "**", "a,", "1a"])(
  "%j is not a valid selector",
  (text) => {
    expect(parseSelector(text)).toHaveProperty("fault");
  },
);

test("property: parsing a comma-separated list of names returns these names", () => {
  const name = fc.stringMatching(/^[a-z_]\w{0,5}(\.[A-Z]\w{0,5}){0,3}(\.\*)?$/);
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), (patterns) => {
      expect(parseSelector(patterns.join(" , "))).toEqual({ patterns });
    }),
  );
});
