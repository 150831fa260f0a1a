import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { parseJson, parseJsonExactly } from "./parse-json.ts";
import { isRounded, rawJson, rawJsonInPieces } from "./raw-json.ts";

test.each<[JsonValue, string]>([
  [null, "null"],
  [true, "true"],
  [1.5, "1.5"],
  ["x", '"x"'],
  ["\ud800", '"\\ud800"'],
  [[null, 1], "[null,1]"],
  [{ a: "1234567890123456789" }, '{"a":"1234567890123456789"}'],
  [700_000_000_000_000_001n, "700000000000000001"],
  [{ a: [700_000_000_000_000_001n] }, '{"a":[700000000000000001]}'],
])("rawJson writes the JSON that was parsed", (value, text) => {
  expect(rawJson(value)).toMatchObject({ text, rounded: false });
});

test("rawJson reports numbers that JSON.parse has rounded, at any position", () => {
  for (const text of [
    "700000000000000001",
    "[700000000000000001]",
    '{"a":{"b":[1e400]}}',
    "9007199254740993",
  ]) {
    expect(rawJson(parseJson(text) ?? null).rounded).toBe(true);
    expect(rawJson(parseJsonExactly(text) ?? null).rounded).toBe(false);
  }
});

test("rawJson writes values that are too deep for JSON.stringify", () => {
  let deep: JsonValue = 1;
  for (let level = 0; level < 200_000; level++) deep = { a: deep };
  const { text, ...flags } = rawJson(deep);
  expect(text === `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`).toBe(true);
  expect(flags).toEqual({ rounded: false, hasNumbers: true });
});

test("rawJson keeps keys such as constructor, which every object inherits", () => {
  const text = '{"__proto__":{"a":1},"toJSON":1,"constructor":null}';
  expect(rawJson(parseJson(text) ?? null)).toMatchObject({ text, rounded: false });
});

test("property: rawJson returns the original JSON for any value", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (json) => {
      const plain = rawJson(parseJson(json) ?? null);
      const { text, rounded } = plain.rounded ? rawJson(parseJsonExactly(json) ?? null) : plain;
      expect(rounded).toBe(false);
      expect(JSON.parse(text ?? "")).toEqual(JSON.parse(JSON.stringify(JSON.parse(json))));
    }),
  );
});

test("isRounded is true for numbers that JSON.parse may have rounded", () => {
  expect([2 ** 53, -(2 ** 53), 1e300, Number.POSITIVE_INFINITY].every(isRounded)).toBe(true);
  expect([0, -0, 0.1, 2 ** 53 - 1, 1e-300].some(isRounded)).toBe(false);
});

test("property: rawJsonInPieces writes a value of any size as rawJson does", () => {
  const leaf = fc.oneof(
    fc.constantFrom<JsonValue>(2n ** 70n, 2 ** 60, 1.5, null, true, new NumberText("1.10", 1.1)),
    fc.string(),
  );
  const item = fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf));
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc.array(tie("value")),
      fc.dictionary(fc.string(), tie("value")),
      // no long lists of long lists: their JSON would exceed the maximum string length
      fc.tuple(item, fc.nat(3_000)).map(([each, count]) => Array<JsonValue>(count).fill(each)),
      fc.nat(3_000).map((count) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))),
      fc.constantFrom("a\ud83d\ude00", "\ud83d", "x").map((text) => text.repeat(70_000)),
    ),
  }));
  fc.assert(
    fc.property(value, (each) => {
      const { text, rounded } = rawJson(each);
      const work = rawJsonInPieces(each);
      for (;;) {
        const step = work.next();
        if (step.done !== true) {
          expect(step.value).toBeLessThan(20_000);
          continue;
        }
        expect(step.value.text === text).toBe(true);
        expect(step.value.rounded).toBe(rounded);
        break;
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 10_000 },
  );
});
