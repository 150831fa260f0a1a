import fc from "fast-check";
import { expect, test } from "vitest";
import { textOf } from "./needles.ts";
import { plainUnits, plainView } from "./plain-view.ts";

test("the plain views of a secret include the view of every text that spells the secret", () => {
  const escapes = [
    "%",
    "25",
    "4",
    "1",
    "\\",
    "n",
    "u00",
    "&",
    "amp",
    "lt",
    ";",
    "#",
    "x",
    "~",
    "{",
    "}",
    '"',
  ];
  const others = ["a", "Z", "_", "-", "+", " ", "\u00e0", "\n", "\u2028", "\u{1f600}", "\u0001"];
  const texts = fc.oneof(
    fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
    fc.string({ unit: fc.constantFrom(...escapes, ...others) }),
  );
  const viewOf = (text: string) => textOf(plainView(text).units);
  fc.assert(
    fc.property(texts, (text) => {
      const views = plainUnits(text).map(textOf);
      for (const written of [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]) {
        expect(views).toContain(viewOf(written));
      }
      // nothing looks like an escape any more
      const plain = text.replace(/[%\\&~]/g, "!");
      expect(viewOf(plain)).toBe(textOf(plainUnits(plain)[0] ?? new Uint16Array()));
    }),
    { numRuns: 2000 },
  );
});
