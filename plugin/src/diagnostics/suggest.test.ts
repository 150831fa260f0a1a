import { expect, test } from "vitest";
import { suggest } from "./suggest.ts";

test.each([
  ["nmae", ["name", "title"], "; did you mean `name`?"],
  ["blog_identifer", ["blog_identifier"], "; did you mean `blog_identifier`?"],
  ["x", ["alpha", "beta"], "; it has `alpha`, `beta`"],
  ["x", [], "; it is empty"],
  [
    "quux",
    [..."abcdefghij"].map((letter) => letter.repeat(9)),
    `; it has ${[..."abcdefgh"].map((letter) => `\`${letter.repeat(9)}\``).join(", ")}, …`,
  ],
])(
  "for `%s`, suggests the closest candidate, or lists the candidates if none is close",
  (name, candidates, text) => {
    expect(suggest(name, candidates)).toBe(text);
  },
);
