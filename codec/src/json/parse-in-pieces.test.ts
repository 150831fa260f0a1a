import fc from "fast-check";
import { expect, test } from "vitest";
import { checkJsonCost, checkJsonCostInPieces } from "../cost/json-cost.ts";
import { atOnce, type Work } from "../time/work.ts";
import { parseWithKeys } from "./escaped-keys.ts";
import type { JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { parseInPieces } from "./parse-in-pieces.ts";
import {
  parseJson,
  parseJsonExactly,
  parseJsonExactlyInPieces,
  parseJsonInPieces,
  parseJsonVerbatim,
  parseJsonVerbatimInPieces,
} from "./parse-json.ts";

const PARSERS = [
  [parseJson, parseJsonInPieces],
  [parseJsonExactly, parseJsonExactlyInPieces],
  [parseJsonVerbatim, parseJsonVerbatimInPieces],
] as const;

/**
 * Returns the result of a parser, including the order of keys, or "no JSON" if the parser rejects the input.
 */
function outcome(act: () => JsonValue | undefined): unknown {
  try {
    return keyed(act());
  } catch (error) {
    if (error instanceof SyntaxError) return "no JSON";
    throw error;
  }
}

function keyed(value: JsonValue | undefined): unknown {
  if (Array.isArray(value)) return value.map(keyed);
  if (typeof value !== "object" || value === null || value instanceof NumberText) return value;
  const keys = Object.keys(value);
  return { keys, values: keys.map((key) => keyed(Object.getOwnPropertyDescriptor(value, key)?.value)) };
}

function both(text: string, piece: number): void {
  const whole = outcome(() => parseWithKeys(text));
  const pieces = outcome(() => atOnce(parseInPieces(text, parseWithKeys, piece)));
  expect(pieces, JSON.stringify(text)).toStrictEqual(whole);
}

const scalar = fc.oneof(
  fc.constantFrom(
    "1",
    "-0",
    "1.10",
    "1e3",
    "9007199254740993",
    "0.1",
    "true",
    "null",
    '""',
    '"\\""',
    '"\\\\"',
  ),
  fc.string().map((text) => JSON.stringify(text)),
  fc.string({ unit: "grapheme", maxLength: 60 }).map(escaped),
);
const key = fc.oneof(
  fc.constantFrom(
    '"__proto__"',
    '"a"',
    '"b"',
    '"1"',
    '"0"',
    '"constructor"',
    '"\\u00e9x"',
    '"\\""',
    '"\\\\"',
  ),
  fc.string({ maxLength: 5 }).map((text) => JSON.stringify(text)),
);
const space = fc.constantFrom("", "", "", " ", "\n\t");

/** Generates JSON with duplicate keys, any white space, and every kind of container at every position. */
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", maxDepth: 5 },
    scalar,
    fc
      .tuple(space, fc.array(tie("json"), { maxLength: 6 }))
      .map(([gap, all]) => `[${gap}${all.join(`,${gap}`)}]`),
    fc
      .tuple(space, fc.array(fc.tuple(key, tie("json")), { maxLength: 6 }))
      .map(
        ([gap, all]) =>
          `{${gap}${all.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`${gap},`)}}`,
      ),
  ),
}));

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("")}"`;
}

test("property: parsing in pieces of any size gives the same result as parsing in one step", () => {
  fc.assert(fc.property(json, fc.integer({ min: 1, max: 20 }), both), { numRuns: 3_000 });
});

test("property: parsing in pieces rejects the same invalid JSON as parsing in one step", () => {
  const broken = fc
    .tuple(
      json,
      fc.nat(),
      fc.nat({ max: 2 }),
      fc.constantFrom("", ",", "]", "}", "[", "{", ":", '"', "1", " ", "\\"),
    )
    .map(([text, at, cut, put]) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    });
  fc.assert(fc.property(broken, fc.integer({ min: 1, max: 12 }), both), { numRuns: 5_000 });
});

test.each([
  "[[1],]",
  "[[1] 2]",
  "[[1],,2]",
  '{"a":[1] "b":2}',
  '{"a":[1],}',
  '{"a":[1],[2]}',
  '{"a":[1]]',
  "[[1]}",
  "[[1]] 1",
  "[1",
  "[[[",
  "",
  " ",
  "]",
  '["a',
  "[tru]",
  "[1,nul]",
  "[[1]\u00a0]",
])("%j is rejected in pieces of any size", (text) => {
  for (const piece of [1, 2, 4, 100]) both(text, piece);
});

test("each of the three parsers reads a large document in pieces with the same result as in one step", () => {
  const item = '{"id":700000000000000001,"n":1.10,"s":"\\"é\\u00e9","\\"":[1,{"__proto__":2}]}';
  const long = `"${'a\\n\\\\\\u00e9"'.slice(0, -1).repeat(30_000)}"`;
  const text = `\ufeff {"items":[${`${item},`.repeat(3_000)}${long}],"deep":${"[".repeat(900)}${"]".repeat(900)},"\\"":${long}}`;
  for (const [whole, pieces] of PARSERS) {
    expect(outcome(() => atOnce(pieces(text)))).toStrictEqual(outcome(() => whole(text)));
  }
  expect(atOnce(parseJsonVerbatimInPieces(`[${"1,".repeat(100_000)}1]`))).toBeUndefined();
  expect(atOnce(parseJsonInPieces(" ".repeat(100_000)))).toBeUndefined();
});

/** Returns the largest amount of work between two pauses. */
function largestStep(work: Work<unknown>): number {
  let most = 0;
  for (const units of work) most = Math.max(most, units);
  return most;
}

const MB = 1 << 20;

test.each<[string, string]>([
  ["numbers", `[${"1.5,".repeat(MB)}1]`],
  ["a string", `["${"a".repeat(4 * MB)}"]`],
  ["escapes", `["${'\\"'.repeat(2 * MB)}"]`],
  ["a document that is a string", `"${"\\u00e9".repeat(MB)}"`],
  ["arrays in arrays", `${"[".repeat(MB)}${"]".repeat(MB)}`],
  ["objects in objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["keys", `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(",")}}`],
  ["space", `[1${" ".repeat(MB)},1]`],
])("at most 128 K characters are parsed between two pauses: %s", (_, text) => {
  expect(largestStep(parseJsonInPieces(text))).toBeLessThanOrEqual(128 * 1024);
  expect(largestStep(checkJsonCostInPieces(text, 1e9))).toBeLessThanOrEqual(128 * 1024);
});

test("the cost counted in pieces equals the cost counted in one step", () => {
  fc.assert(
    fc.property(json, (text) => {
      const many = `[${`${text},`.repeat(3)}${text}]`;
      expect(atOnce(checkJsonCostInPieces(many, 100_000))).toBe(checkJsonCost(many, 100_000));
    }),
    { numRuns: 200 },
  );
});
