import { Script } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { printLiteral, printString } from "./literal.ts";
import { breakLongLines, LONGEST_LINE, longestLine } from "./long-lines.ts";

const evaluate = (code: string): unknown => new Script(`(${code})`).runInThisContext();

/** Generates short strings, and some that are too long for a line. */
const text = fc
  .tuple(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(1, 1, 1, 4000, 40_000))
  .map(([part, times]) => part.repeat(times));

/** Generates keys that need quotes, because a line that consists of one long name is not split. */
const key = text.map((name) => `-${name}`);

test("property: code that is split across lines evaluates to the same value, in lines that every compiler accepts", () => {
  const literal = fc.oneof(text, fc.array(text, { maxLength: 5 }), fc.dictionary(key, text, { maxKeys: 5 }));
  fc.assert(
    fc.property(literal, (value) => {
      const code = printLiteral(value);
      const broken = breakLongLines(code);
      expect(longestLine(broken)).toBeLessThanOrEqual(LONGEST_LINE);
      expect(evaluate(broken)).toEqual(evaluate(code));
    }),
    { numRuns: 50 },
  );
});

test("property: a path that is split across lines evaluates to the same path", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const escaped = (part: string) =>
        part.replace(/[\r\n\u2028\u2029]/g, "").replace(/[`\\]|\$\{/g, "\\$&");
      const code = `[\`/${escaped(a)}/\${[1, "x"].join("${"y".repeat(20)}")}/${escaped(b)}\`, 1]`;
      const broken = breakLongLines(code);
      expect(longestLine(broken)).toBeLessThanOrEqual(LONGEST_LINE);
      expect(evaluate(broken)).toEqual(evaluate(code));
    }),
    { numRuns: 50 },
  );
});

test("code without long lines is not changed", () => {
  const line = `const a = ${printString("x".repeat(59_000))};`;
  const code = `${line}\n`.repeat(3);
  expect(breakLongLines(code)).toBe(code);
});

test("code is split after commas, brackets and operators", () => {
  const names = Array.from({ length: 8000 }, (_, index) => `name${index}`);
  const broken = breakLongLines(`f(${names.join(", ")});\nif (${names.join(" || ")}) g();`);
  const ends = broken.split("\n").map((line) => line.replace(/^.*?(\W*)$/, "$1"));
  expect(ends).toEqual([",", ");", " ||", "();"]);
  expect(longestLine(broken)).toBeLessThan(60_001);
});

test("a name that is longer than a line is not split", () => {
  const code = `const ${"a".repeat(70_000)} = 1;`;
  expect(breakLongLines(code)).toBe(code);
});

test("property: comments that are split across lines keep their words, and remain comments", () => {
  fc.assert(
    fc.property(fc.array(text), fc.constantFrom("", "  "), (words, indent) => {
      const said = words.join(" ").replace(/[\r\n\u2028\u2029]|\*\//g, "");
      for (const line of [`${indent}/** ${said} */`, `${indent}/**\n${indent} * ${said}\n${indent} */`]) {
        const broken = breakLongLines(line);
        expect(longestLine(broken)).toBeLessThanOrEqual(LONGEST_LINE);
        expect(evaluate(`${broken} 1`)).toBe(1);
        const lines = broken.split("\n");
        expect(lines.map((each) => each.replace(/^ *(?:\/\*\*| \*\/| \* )/, "")).join("")).toContain(said);
      }
    }),
    { numRuns: 50 },
  );
});
