import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { stringifyJson } from "./stringify-json.ts";

const DEPTH = 100_000;

function nested(value: JsonValue, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let outer = value;
  for (let depth = 0; depth < DEPTH; depth++) outer = wrap(outer);
  return outer;
}

test("stringifyJson writes a value of any depth, including exact numbers", () => {
  const inner = [1, "é\n", 9_007_199_254_740_993n, new NumberText("1.10", 1.1), true, null, {}, []];
  const text = '[1,"é\\n",9007199254740993,1.10,true,null,{},[]]';
  expect(stringifyJson(nested(inner, (value) => [value]))).toBe(
    `${"[".repeat(DEPTH)}${text}${"]".repeat(DEPTH)}`,
  );
  expect(stringifyJson(nested(1, (value) => ({ a: value, b: 2 })))).toBe(
    `${'{"a":'.repeat(DEPTH)}1${',"b":2}'.repeat(DEPTH)}`,
  );
});

test("property: stringifyJson writes a value like JSON.stringify, even inside a value that is too deep for JSON.stringify", () => {
  const deep = nested(0, (value) => [value]);
  const deepText = stringifyJson(deep);
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const json = value as JsonValue;
      expect(stringifyJson([deep, json])).toBe(`[${deepText},${JSON.stringify(json)}]`);
    }),
    { numRuns: 20 },
  );
});
