import fc from "fast-check";
import { expect, test } from "vitest";
import { docComment } from "./doc-comment.ts";
import { isInherited, printInline, printKey, printLiteral, printMember, printString } from "./literal.ts";

const MARK = "@@protoc_insertion_point";

const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** Evaluates a JavaScript expression. */
function evaluate(expression: string): unknown {
  return new Function(`return (${expression});`)();
}

test.each([
  ["", '""'],
  ['a"b\\', '"a\\"b\\\\"'],
  ["a\nb\r\t", '"a\\nb\\r\\t"'],
  ["\u2028\u2029", '"\\u2028\\u2029"'],
  ["\ud800", '"\\ud800"'],
  ["é😀", '"é😀"'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must stay a string
  ["${x}`", '"${x}`"'],
])("printString prints %j", (text, printed) => {
  expect(printString(text)).toBe(printed);
});

test("property: printString prints one line that evaluates to the string and contains no insertion point", () => {
  const odd = fc.string({ unit: fc.constantFrom("\u2028", "\n", '"', "\\", "\ud83d", "@", MARK, "a") });
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), odd), (text) => {
      const printed = printString(text);
      expect(evaluate(printed)).toBe(text);
      expect(printed).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(printed).not.toContain(MARK);
    }),
  );
});

test("printKey and printMember quote only names that require it", () => {
  expect([printKey("a_1$"), printKey("1a"), printKey("a-b"), printKey("")]).toEqual([
    "a_1$",
    '"1a"',
    '"a-b"',
    '""',
  ]);
  expect([printMember("json", "a"), printMember("json", "fields[blogs]")]).toEqual([
    'json["a"]',
    'json["fields[blogs]"]',
  ]);
});

test("property: printKey and printMember access the property with the given name", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom(...INHERITED)), (key) => {
      const read = new Function("json", `return ${printMember("json", key)};`);
      expect(read({ [key]: 1 })).toBe(1);
      for (const printed of [
        `{ ${printKey(key)}: 2 }`,
        printInline({ [key]: 2 }),
        printLiteral({ [key]: 2 }),
      ]) {
        expect(Object.entries(evaluate(printed) as object)).toEqual([[key, 2]]);
      }
    }),
  );
});

test("isInherited is true for the properties that every object has", () => {
  expect(["constructor", "toString", "__proto__", "hasOwnProperty"].every(isInherited)).toBe(true);
  expect(["name", "Constructor", "prototype", ""].some(isInherited)).toBe(false);
});

test("printLiteral prints a short value on one line, and a long value on several lines with commas", () => {
  expect(printLiteral({ a: 1, b: ["x", true], c: undefined, d: {} })).toBe('{ a: 1, b: ["x", true], d: {} }');
  const long = "x".repeat(60);
  expect(printLiteral({ a: long, b: [long, long] }, 2)).toBe(
    `{\n    a: "${long}",\n    b: [\n      "${long}",\n      "${long}",\n    ],\n  }`,
  );
});

test("printLiteral separates the thousands of milliseconds, even in a one-line value", () => {
  expect(printInline({ windowMs: 86_400_000, idleMs: 9_000, subcode: 10_001, none: null })).toBe(
    "{ windowMs: 86_400_000, idleMs: 9000, subcode: 10001, none: null }",
  );
});

test("property: printLiteral prints code that evaluates to the value", () => {
  const { value } = fc.letrec<{ value: never }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z-]{1,8}$/), tie("value"), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ) as fc.Arbitrary<never>,
  }));
  fc.assert(
    fc.property(value, (literal) => {
      expect(evaluate(printLiteral(literal))).toEqual(literal);
    }),
  );
});

test("docComment prints nothing for an empty text, one line for a single line, and a block for several lines", () => {
  expect(docComment(" \n ")).toEqual([]);
  expect(docComment("One.")).toEqual(["/** One. */"]);
  expect(docComment("One.\n\nTwo.", "  ")).toEqual(["  /**\n   * One.\n   *\n   * Two.\n   */"]);
});

test("property: no text can end a docComment early or form an insertion point", () => {
  const odd = fc.string({ unit: fc.constantFrom("*/", "*", "/", "\r", "\n", "\u2028", MARK, "a", "//") });
  fc.assert(
    fc.property(odd, (text) => {
      const lines = docComment(text).flatMap((block) => block.split("\n"));
      expect(evaluate(`1 ${lines.join("\n")}`)).toBe(1);
      for (const line of lines) expect(line).not.toContain(MARK);
    }),
  );
});
