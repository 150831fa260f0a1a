import fc from "fast-check";
import { expect, test } from "vitest";
import { safeText } from "./safe-text.ts";

test("safeText: puts a text on one line", () => {
  expect(safeText("  a\r\nb\t c\u0000d\u2028e\u202ef ")).toBe("a b c d e f");
});

test("safeText: cuts a long text and shows that it did", () => {
  expect(safeText("x".repeat(600))).toBe(`${"x".repeat(499)}…`);
  expect(safeText("abcdef", 4)).toBe("abc…");
  expect(safeText("abc", 3)).toBe("abc");
});

test("safeText: never cuts a character in halves", () => {
  expect(safeText("ab😀😀", 4)).toBe("ab…");
});

test("safeText: gives well-formed text without controls for any input", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 3000 }), (text) => {
      const safe = safeText(text, 50);
      expect(safe.length).toBeLessThanOrEqual(50);
      expect(safe.isWellFormed()).toBe(true);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is tested
      expect(safe).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/);
    }),
  );
});
