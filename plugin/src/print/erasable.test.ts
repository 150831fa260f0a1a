import fc from "fast-check";
import { expect, test } from "vitest";
import { asJavaScript, asTypeScript, onlyTypeScript, typed, unmarked } from "./erasable.ts";

test("types are printed in TypeScript, but not in JavaScript", () => {
  const line = `const json${typed("JsonRecord")} = {}${onlyTypeScript(" satisfies object")};`;
  expect(asTypeScript(line)).toBe("const json: JsonRecord = {} satisfies object;");
  expect(asJavaScript(line)).toBe("const json = {};");
});

test("property: JavaScript omits marked text, and only marked text", () => {
  const piece = fc.record({ text: fc.string().map(unmarked), isMarked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const marked = pieces.map(({ text, isMarked }) => (isMarked ? onlyTypeScript(text) : text)).join("");
      const plain = pieces.filter(({ isMarked }) => !isMarked);
      expect(asTypeScript(marked)).toBe(pieces.map(({ text }) => text).join(""));
      expect(asJavaScript(marked)).toBe(plain.map(({ text }) => text).join(""));
    }),
  );
});
