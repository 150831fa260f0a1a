import fc from "fast-check";
import { expect, test } from "vitest";
import { safeText } from "./safe-text.ts";

/** Matches control characters, line separators, and characters that reverse or hide text. */
const NEVER =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test checks control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u200b\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/u;

/** Words in real languages, with the format characters that they need. */
const WORDS: readonly string[] = [
  "👨‍👩‍👧‍👦",
  "🏳️‍🌈",
  "👩🏽‍💻",
  "❤️",
  "❤︎",
  "1️⃣",
  "🇨🇭",
  "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
  "שלום",
  "עברית\u200f!",
  "مرحبا\u061c:",
  "C++\u200e",
  "می\u200cخواهم",
  "क्\u200dष",
  "\u0600١٢",
  "naïve",
  "日本語",
  "葛\u{e0100}",
];

test("safeText puts a text on one line", () => {
  expect(safeText("  a\r\nb\t c\u0000d\u2028e\u202ef ")).toBe("a b c d e f");
});

test("safeText truncates a long text and marks the cut", () => {
  expect(safeText("x".repeat(600))).toBe(`${"x".repeat(499)}…`);
  expect(safeText("abcdef", 4)).toBe("abc…");
  expect(safeText("abc", 3)).toBe("abc");
});

test("safeText never splits a character", () => {
  expect(safeText("ab😀😀", 4)).toBe("ab…");
  expect(safeText("ab👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 15)).toBe("ab👨‍👩‍👧‍👦…");
  expect(safeText(`a${"\u0301".repeat(600)}`, 10)).toBe(`a${"\u0301".repeat(8)}…`);
});

test("safeText keeps joiners, marks and tags only next to the characters to which they belong", () => {
  expect(safeText("a\u200d b")).toBe("a b");
  expect(safeText("a\u200d\u200db")).toBe("a b");
  expect(safeText("\u200fa \u200f")).toBe("a");
  expect(safeText("a\u{e0068}\u{e0069}\u{e007f}b")).toBe("a b");
});

test("safeText does not change emoji and right-to-left text", () => {
  const texts = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(texts, (words) => {
      expect(safeText(words.join(" "))).toBe(words.join(" "));
    }),
  );
});

test("safeText truncates a text between words", () => {
  fc.assert(
    fc.property(fc.constantFrom(...WORDS), fc.integer({ min: 30, max: 60 }), (word, max) => {
      const cut = safeText(`${word} `.repeat(60), max);
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(cut).not.toMatch(/[\u200c\u200d]…$/);
      expect(`${word} `.repeat(60).startsWith(cut.slice(0, -1))).toBe(true);
    }),
  );
});

test("safeText returns well-formed text without control characters for any input", () => {
  const unsafe = fc.constantFrom(
    ..."\0\x1b\r\n\x85\u00ad\u200b\u2028\u202a\u202d\u202e\u2066\u2069\u2060\ufeff\ufff9",
  );
  const kept = fc.constantFrom(..."\u200c\u200d\u200e\u200f\u061c", "\u{e0067}", "\u{e007f}", "\u{1f3f4}");
  const parts = fc.array(
    fc.oneof(unsafe, kept, fc.constantFrom(...WORDS), fc.string({ unit: "binary", maxLength: 20 })),
    { maxLength: 100 },
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 2, max: 100 }), (all, max) => {
      const safe = safeText(all.join(""), max);
      expect(safe.length).toBeLessThanOrEqual(max);
      expect(safe.isWellFormed()).toBe(true);
      expect(safe).not.toMatch(NEVER);
    }),
    { numRuns: 500 },
  );
});
