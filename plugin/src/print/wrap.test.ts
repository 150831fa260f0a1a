import { Script } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { asJavaScript, typed } from "./erasable.ts";
import { printInline } from "./literal.ts";
import { fillList, WIDTH, wrapLine } from "./wrap.ts";

const wrapped = (line: string) => wrapLine(line).join("\n");
const evaluate = (code: string): unknown => new Script(`(${code})`).runInThisContext();

test("a short line and a comment are not changed", () => {
  const comment = `// ${"word ".repeat(40)}`;
  for (const line of ["  f(a, b);", "", comment, `/** ${comment} */`, `   * ${comment}`]) {
    expect(wrapLine(line)).toEqual([line]);
  }
});

test("a long call has one line for each argument", () => {
  const [a, b] = ["a".repeat(60), "b".repeat(60)];
  expect(wrapped(`  f(${a}, "x, (y", ${b});`)).toBe(`  f(\n    ${a},\n    "x, (y",\n    ${b},\n  );`);
});

test("a trailing object or array argument opens on the line of the call", () => {
  const [a, b] = ["a".repeat(60), "b".repeat(60)];
  expect(wrapped(`f("x", { a: ${a}, b: ${b} });`)).toBe(`f("x", {\n  a: ${a},\n  b: ${b},\n});`);
  expect(wrapped(`f("x", [${a}, ${b}]);`)).toBe(`f("x", [\n  ${a},\n  ${b},\n]);`);
  expect(wrapped(`f: (x) => ({ a: ${a}, b: ${b} }),`)).toBe(`f: (x) => ({\n  a: ${a},\n  b: ${b},\n}),`);
});

test("a trailing function argument begins on the line of the call", () => {
  const body = `g(value, ${"a".repeat(90)})`;
  expect(wrapped(`f("x", (value) => ${body});`)).toBe(`f("x", (value) =>\n  ${body},\n);`);
});

test("a branch that does not fit next to its condition gets braces", () => {
  const [a, b] = ["a".repeat(60), "b".repeat(60)];
  expect(wrapped(`if (${a}) json.x = ${b};`)).toBe(`if (${a}) {\n  json.x = ${b};\n}`);
  expect(wrapped(`for (const x of ${a}) f(${b});`)).toBe(`for (const x of ${a}) {\n  f(${b});\n}`);
});

test("conditions and other operator expressions are broken after their operators", () => {
  const [a, b] = ["a".repeat(60), "b".repeat(60)];
  expect(wrapped(`if (${a} && ${b}) {`)).toBe(`if (\n  ${a} &&\n  ${b}\n) {`);
  expect(wrapped(`const x = (${a}) || ${b};`)).toBe(`const x =\n  (${a}) ||\n  ${b};`);
  expect(wrapped(`f(${a} ?? ${b}, 1);`)).toBe(`f(\n  ${a} ??\n    ${b},\n  1,\n);`);
});

test("JavaScript lines are broken in the same places, without the types", () => {
  const name = "n".repeat(90);
  const line = `function ${name}(json${typed("JsonObject")}, out${typed("ProtoWriter")})${typed("void")} {`;
  expect(wrapLine(line).map(asJavaScript)).toEqual([`function ${name}(`, "  json,", "  out,", ") {"]);
});

test("a line that cannot be broken stays long", () => {
  const line = `  title: "${"x, ".repeat(60)}",`;
  expect(wrapLine(line)).toEqual([line]);
});

test("property: a broken literal has the same value, and only strings exceed the width", () => {
  const { value } = fc.letrec<{ value: never }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: fc.constantFrom("a", " ", ",", "(", "}", '"', "`", "$", "\\", "=>", "||") }),
      fc.integer(),
      fc.array(tie("value"), { maxLength: 6 }),
      fc.dictionary(fc.stringMatching(/^[a-z-]{1,8}$/), tie("value"), { maxKeys: 6, noNullPrototype: true }),
    ) as fc.Arbitrary<never>,
  }));
  fc.assert(
    fc.property(value, (literal) => {
      const lines = wrapLine(printInline(literal));
      expect(evaluate(lines.join("\n"))).toEqual(literal);
      for (const line of lines) {
        const isOne = /^ *(?:[a-z]+: |"[a-z-]*": )?(?:"(?:[^"\\]|\\.)*"|-?\d+),?$/.test(line);
        if (!isOne) expect(line.length).toBeLessThanOrEqual(WIDTH);
      }
    }),
  );
});

test("a list of short items has as many items on each line as fit", () => {
  const items = Array.from({ length: 40 }, (_, index) => String(index));
  const [head, first = "", second, tail] = fillList("const list = [", items, "];");
  expect(fillList("const list = [", ["1", "2"], "];")).toEqual(["const list = [1, 2];"]);
  expect([head, tail]).toEqual(["const list = [", "];"]);
  expect(first.length).toBeLessThanOrEqual(WIDTH);
  expect(`${first} ${second?.trim()}`).toBe(`  ${items.join(", ")},`);
});

test("a long member name is not broken", () => {
  const name = `json["${"a".repeat(120)}"]`;
  expect(wrapLine(`  out.string(1, ${name}, "a");`)).toEqual([
    "  out.string(",
    "    1,",
    `    ${name},`,
    '    "a",',
    "  );",
  ]);
  expect(wrapLine(`  const a = ${name};`)).toEqual([`  const a = ${name};`]);
});
