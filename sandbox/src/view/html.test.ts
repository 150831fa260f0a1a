import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml, formatText, markdownToHtml, stripHtml } from "./html.ts";

test("text that is escaped and then stripped is not changed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => stripHtml(escapeHtml(text)) === text),
    { numRuns: 300 },
  );
});

test("inline formats count code points, and may be nested", () => {
  const formats = [
    { type: "bold", start: 0, end: 2 },
    { type: "link", start: 1, end: 2, url: 'https://a.example/?q="' },
  ];
  expect(formatText("\u{1F333}<x", formats)).toBe(
    '<strong>\u{1F333}<a href="https://a.example/?q=&quot;">&lt;</a></strong>x',
  );
});

test("basic Markdown is converted to HTML", () => {
  expect(markdownToHtml("*a* **b**\nc\n\n[d](https://e.example/)")).toBe(
    '<p><em>a</em> <strong>b</strong><br>c</p><p><a href="https://e.example/">d</a></p>',
  );
});
