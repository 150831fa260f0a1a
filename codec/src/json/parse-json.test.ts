import fc from "fast-check";
import { expect, test } from "vitest";
import { atOnce } from "../time/work.ts";
import { areEqual, exactDecimal, isInteger } from "./exact-decimal.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { parseJson, parseJsonExactly, parseJsonInPieces, parseJsonVerbatim } from "./parse-json.ts";
import { stringifyJson } from "./stringify-json.ts";

test("parseJson skips a byte order mark, and returns undefined for empty input", () => {
  expect(parseJson('\ufeff{"a":1}')).toEqual({ a: 1 });
  expect(parseJson("")).toBeUndefined();
  expect(parseJson(" \n")).toBeUndefined();
  expect(() => parseJson("<html>")).toThrow(SyntaxError);
});

test.each<[string, JsonValue | undefined]>([
  ["", undefined],
  ["\ufeff[9007199254740993]", [9007199254740993n]],
  ['{"id":700000000000000001,"n":5}', { id: 700000000000000001n, n: 5 }],
  ["-700000000000000001", -700000000000000001n],
  ["9007199254740991", 9007199254740991],
  ["9007199254740992", 9007199254740992n],
  ["1e18", 1000000000000000000n],
  ["1.25E+18", 1250000000000000000n],
  ["9007199254740993.0", 9007199254740993n],
  ["1234567890123456.5", 1234567890123456.5],
  ["1e400", 10n ** 400n],
  ["[1e99999999999]", [new NumberText("1e99999999999", Infinity)]],
  ["1e-400", new NumberText("1e-400", 0)],
  ["0e99", 0],
  ['"700000000000000001"', "700000000000000001"],
  [
    '{"700000000000000001":"\\"700000000000000001","x":700000000000000001}',
    {
      "700000000000000001": '"700000000000000001',
      x: 700000000000000001n,
    },
  ],
  ['["\\\\",700000000000000001,"\\\\\\"",1]', ["\\", 700000000000000001n, '\\"', 1]],
  ['["#700000000000000001","##1",700000000000000001]', ["#700000000000000001", "##1", 700000000000000001n]],
  ['["\\u0023700000000000000001",700000000000000001]', ["#700000000000000001", 700000000000000001n]],
])("parseJsonExactly reads %s", (text, value) => {
  expect(parseJsonExactly(text)).toStrictEqual(value);
});

test("parseJsonExactly handles deep and long documents fast and without a stack overflow", () => {
  const depth = 200_000;
  const deep = `${"[".repeat(depth)}700000000000000001${"]".repeat(depth)}`;
  let value = parseJsonExactly(deep);
  for (let level = 0; level < depth; level++) value = Array.isArray(value) ? value[0] : undefined;
  expect(value).toBe(700000000000000001n);
  const long = `["${'\\"'.repeat(1_000_000)}",${"9".repeat(1_000_000)},700000000000000001]`;
  expect((parseJsonExactly(long) as JsonValue[])[2]).toBe(700000000000000001n);
});

/** Replaces every number that a double does not hold by the nearest double. */
function rounded(value: JsonValue | undefined): JsonValue | undefined {
  if (value instanceof NumberText) return value.value;
  if (Array.isArray(value)) return value.map((item) => rounded(item) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rounded(item)]));
}

test("property: parseJsonExactly returns the values from which the document was built", () => {
  fc.assert(
    fc.property(anyJson, ({ text, value }) => {
      expect(rounded(parseJsonExactly(text))).toStrictEqual(value);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  "1.10",
  "[1.0,1e3]",
  '{"a":-0,"b":["1.0",0.12345678901234567890]}',
  "1e400",
  "[9007199254740992]",
  "1e20",
])("parseJsonVerbatim preserves the notation of %s", (text) => {
  const value = parseJsonVerbatim(text);
  expect(value).toBeDefined();
  expect(stringifyJson(value ?? null)).toBe(text);
});

test("property: parseJsonVerbatim preserves the notation of any number", () => {
  const source = fc.stringMatching(/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(source, source, fc.string(), (first, second, text) => {
      const document = `[${first},${JSON.stringify(text)},{"a":${second}}]`;
      expect(stringifyJson(parseJsonVerbatim(document) ?? parseJson(document) ?? null)).toBe(document);
    }),
    { numRuns: 500 },
  );
});

test("parseJsonVerbatim returns undefined if JSON.parse preserves all numbers, and rejects invalid JSON", () => {
  expect(parseJsonVerbatim('{"a":[1,-5,1.5,true,"1.0"],"b":false}')).toBeUndefined();
  expect(() => parseJsonVerbatim("[1.0,1.2.3]")).toThrow(SyntaxError);
  expect(() => parseJsonVerbatim("[1.0,01.0]")).toThrow(SyntaxError);
});

test("a key with an escape is read correctly, regardless of keys in other documents", () => {
  for (const parse of [parseJson, parseJsonExactly]) {
    for (const key of [
      "\\",
      '"',
      "\n",
      "\\\\",
      '\\"',
      "\\/",
      "k\\",
      'k"',
      "k\n",
      "__proto__\\",
      "__proto__",
    ]) {
      const document = `[{${JSON.stringify(key)}:700000000000000001,"b":[{"a":1,${JSON.stringify(key)} : "\\""}]}]`;
      const [object] = parse(document) as [{ b: [object] }];
      expect([Object.keys(object), Object.keys(object.b[0])]).toEqual([
        [key, "b"],
        ["a", key],
      ]);
    }
  }
});

test("property: keys are read correctly in any order of documents", () => {
  const key = fc.string({
    unit: fc.constantFrom('"', "\\", "\n", "/", "k", "u", "é", "\u2028", " ", ":"),
    maxLength: 4,
  });
  const value = fc.constantFrom('"\\""', "1", '"\\\\"', '":"', "[]");
  const entries = fc.uniqueArray(fc.tuple(key, value), { maxLength: 4, selector: ([name]) => name });
  fc.assert(
    fc.property(entries, fc.constantFrom("", " ", "\n"), (pairs, space) => {
      const text = `{${pairs.map(([name, json]) => `${JSON.stringify(name)}${space}:${json}`).join(",")}}`;
      const object = parseJson(text) as JsonObject;
      expect(Object.entries(object)).toEqual(pairs.map(([name, json]) => [name, JSON.parse(json)]));
    }),
    { numRuns: 2_000 },
  );
});

/** Returns the object that JSON.parse would return if V8 did not confuse keys. */
function objectOf(entries: ReadonlyArray<readonly [string, JsonValue]>): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

test("property: of repeated keys in an object, the last value counts, at the position of the first key", () => {
  const name = fc.constantFrom("a", "b", "ab", "1", "__proto__", "\n", '"', "\\", "");
  const spelled = fc.tuple(name, fc.array(fc.boolean(), { maxLength: 9 })).map(([text, isEscaped]) => {
    const units = Array.from(text, (unit, at) =>
      isEscaped[at] === true
        ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
        : JSON.stringify(unit).slice(1, -1),
    );
    return { text, json: `"${units.join("")}"` };
  });
  const entry = fc.record({ key: spelled, value: fc.nat(9), isNested: fc.boolean() });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), (entries) => {
      const text = entries.map(({ key, value, isNested }) =>
        isNested ? `${key.json}:{${key.json}:1,"a":2,${key.json}:${value}}` : `${key.json}:${value}`,
      );
      const expected = objectOf(
        entries.map(({ key, value, isNested }) => [
          key.text,
          isNested
            ? objectOf([
                [key.text, 1],
                ["a", 2],
                [key.text, value],
              ])
            : value,
        ]),
      );
      for (const parse of [parseJson, parseJsonExactly]) {
        expect(stringifyJson(parse(`{${text}}`) ?? null)).toBe(stringifyJson(expected));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a document with escapes in keys may be deep and long", () => {
  const depth = 100_000;
  const deep = `${'{"\\"":['.repeat(depth)}1${"]}".repeat(depth)}`;
  expect(stringifyJson(parseJson(deep) ?? null)).toBe(deep);
  const long = `{"${'\\"'.repeat(1_000_000)}":"${"\\\\".repeat(1_000_000)}"}`;
  expect(stringifyJson(parseJson(long) ?? null)).toBe(long);
});

test("NumberText is usable as a number and as a string", () => {
  expect(new NumberText("1.10", 1.1).value).toBe(1.1);
  expect(String(new NumberText("1.10", 1.1))).toBe("1.10");
});

test("parseJsonExactly reads back the output of stringifyJson", () => {
  fc.assert(
    fc.property(anyJson, ({ text }) => {
      const value = parseJsonExactly(text);
      if (value !== undefined) expect(parseJsonExactly(stringifyJson(value))).toStrictEqual(value);
    }),
  );
});

/**
 * A document and its expected value. JSON.parse cannot provide the expected value, because V8 confuses some
 * keys.
 */
interface Document {
  readonly text: string;
  readonly value: JsonValue;
}

const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 25 });
const number = fc
  .tuple(fc.boolean(), fc.integer({ min: 1, max: 9 }), digits, fc.option(digits))
  .map(([negative, first, rest, fraction]): Document => {
    const tail = fraction === null ? "" : `.${fraction.join("")}1`;
    const text = `${negative ? "-" : ""}${first}${rest.join("")}${tail}`;
    const isBig = fraction === null && !Number.isSafeInteger(Number(text));
    return { text, value: isBig ? BigInt(text) : Number(text) };
  });
const tricky = fc.constantFrom(
  '"',
  "\\",
  ":123456789012345678,",
  "#",
  "##",
  "é",
  "{",
  "]",
  "700000000000000001",
  " ",
);
const string = fc.array(tricky, { maxLength: 4 }).map((parts): Document & { readonly value: string } => {
  const value = parts.join("");
  return { text: JSON.stringify(value), value };
});
const word = fc.constantFrom<Document>(
  { text: "true", value: true },
  { text: "null", value: null },
  { text: "0", value: 0 },
);
const space = fc.constantFrom("", "", " ", "\n\t");
const { document: anyJson } = fc.letrec<{ document: Document }>((tie) => {
  const array = fc.array(tie("document"), { maxLength: 4 }).map((items) => ({
    text: `[${items.map(({ text }) => text)}]`,
    value: items.map(({ value }) => value),
  }));
  const object = fc
    .uniqueArray(fc.tuple(string, tie("document")), { maxLength: 4, selector: ([key]) => key.value })
    .map((entries) => ({
      text: `{${entries.map(([key, { text }]) => `${key.text}:${text}`)}}`,
      value: objectOf(entries.map(([key, { value }]) => [key.value, value])),
    }));
  const options = { depthSize: "small", withCrossShrink: true } as const;
  return {
    document: fc
      .tuple(space, fc.oneof(options, fc.oneof(number, string, word), array, object), space)
      .map(([before, { text, value }, after]) => ({ text: before + text + after, value })),
  };
});

test("parseJsonVerbatim does not convert a number of more than 1000 digits to a bigint, and keeps its digits", () => {
  const digits = "1".repeat(1001);
  const number = parseJsonVerbatim(digits);
  expect(number).toBeInstanceOf(NumberText);
  expect(stringifyJson(number ?? null)).toBe(digits);
  expect(parseJsonVerbatim("1".repeat(1000))).toBe(BigInt("1".repeat(1000)));
});

test("property: a fraction never becomes an integer, wherever the fraction is in a document", () => {
  const digits = fc.oneof(fc.constantFrom("0", "9", "1", "5", "00", "99"), fc.nat(999).map(String));
  const number = fc
    .record({
      whole: fc.nat(99).map(String),
      fraction: fc.tuple(digits, fc.integer({ min: 1, max: 20 })).map(([text, times]) => text.repeat(times)),
      exponent: fc.option(fc.integer({ min: -450, max: 20 })),
    })
    .map(({ whole, fraction, exponent }) => {
      return `${whole}.${fraction}${exponent === null ? "" : `e${exponent}`}`;
    });
  const other = fc.constantFrom('"a-1e-400b"', "-7", '"735000000000051461.5"', "735000000000051461", '"\\""');
  fc.assert(
    fc.property(fc.array(fc.oneof(number, other), { minLength: 1, maxLength: 6 }), (tokens) => {
      const text = `[${tokens}]`;
      for (const parse of [parseJson, parseJsonExactly, (json: string) => atOnce(parseJsonInPieces(json))]) {
        const parsed = parse(text);
        for (const [index, token] of tokens.entries()) {
          if (!token.includes(".") || token.startsWith('"')) continue;
          const value = (parsed as readonly JsonValue[])[index];
          const decimal = exactDecimal(token);
          if (decimal === undefined) throw new Error(`expected a number: ${token}`);
          const isRounded = Number.isInteger(Number(token)) && !isInteger(decimal);
          const isHeld = areEqual(decimal, exactDecimal(String(Number(token))));
          const isKept = isRounded || (parse === parseJsonExactly && !isHeld && typeof value !== "bigint");
          expect([token, value instanceof NumberText]).toEqual([token, isKept]);
          expect([token, Number(rounded(value))]).toEqual([token, Number(token)]);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
