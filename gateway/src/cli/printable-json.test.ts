import fc from "fast-check";
import { expect, test } from "vitest";
import { printableJson } from "./printable-json.ts";

/** Draws texts of which about half consist of characters that are invisible, or change the direction. */
const texts = fc.string({
  unit: fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 1 }),
    fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    fc
      .oneof(
        ...[
          { min: 0, max: 0xa0 },
          { min: 0x2000, max: 0x2070 },
          { min: 0xfe00, max: 0xfeff },
          { min: 0xe0000, max: 0xe01ff },
        ].map((range) => fc.integer(range)),
      )
      .map((point) => String.fromCodePoint(point)),
  ),
});

test("printed JSON has the same value, and only visible characters in their order", () => {
  fc.assert(
    fc.property(fc.dictionary(texts, texts), fc.constantFrom(0, 2), (value, spaces) => {
      const json = JSON.stringify(value, null, spaces);
      const printed = printableJson(json);
      expect(JSON.parse(printed)).toEqual(JSON.parse(json));
      // letters, marks, numbers, punctuation, symbols and blanks
      expect(printed.replaceAll("\n", "")).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]*$/u);
      expect(printed).not.toMatch(/[\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u);
    }),
    { numRuns: 1000 },
  );
});

test("visible characters of all scripts stay as they are", () => {
  const json = JSON.stringify({ text: "é ü 日本 \u05d0\u05d1 \u0639\u0631 नमस्ते \u{1f600} – “a”" });
  expect(printableJson(json)).toBe(json);
});
