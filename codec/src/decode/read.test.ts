import fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonValue, ownValue } from "../json/json.ts";
import { costRatio } from "../testing/cpu.ts";
import {
  type Condition,
  fromText,
  hasBrokenLinks,
  hasEmptyParts,
  holds,
  linkTarget,
  splitCommas,
  splitNumbers,
} from "./read.ts";

const HEADER =
  '<https://api.test/a?page=2>; rel="next", <https://api.test/a?page=9>; rel="last"; title="the, end"';

test("linkTarget finds a link by its relation", () => {
  expect(linkTarget(HEADER, "next")).toBe("https://api.test/a?page=2");
  expect(linkTarget(HEADER, "last")).toBe("https://api.test/a?page=9");
  expect(linkTarget(HEADER, "prev")).toBeUndefined();
  expect(linkTarget(undefined, "next")).toBeUndefined();
  expect(linkTarget("", "next")).toBeUndefined();
});

test.each([
  ["<a>; rel=next", "a"],
  ["<a>;rel=next", "a"],
  ['<a> ; rel = "next"', "a"],
  ['<a>; REL="Next"', "a"],
  ['<a>; rel="prev next"', "a"],
  ['<a>; title="x"; rel="next"', "a"],
  ['<a>; title="; rel=next"; rel=prev, <b>; rel=next', "b"],
  ['<a>; title="\\"; rel=next"; rel=prev', undefined],
  ["<a>; rel=prev; rel=next", undefined],
  ["<a,b>; rel=next", "a,b"],
  ["<>; rel=next", ""],
  ["<a>; crossorigin; rel=next", "a"],
  ["<a>", undefined],
  ["a; rel=next", undefined],
  ['<a>; rel="next', undefined],
])("linkTarget finds the link in the header %s", (text, target) => {
  expect(linkTarget(text, "next")).toBe(target);
});

test("linkTarget takes linear time for a header with an unterminated link", () => {
  for (const part of ["<", "<a>;", "<a>; b=", '<a>; b="', "; ", " "]) {
    const find = (count: number) => () => {
      linkTarget(`<x>${part.repeat(count)}`, "next");
      linkTarget(part.repeat(count), "next");
    };
    // a quadratic search takes a hundred times as long
    expect(costRatio(find(300_000), find(30_000))).toBeLessThan(40);
  }
});

test("property: linkTarget does not throw for any header", () => {
  const text = fc.string({ unit: fc.constantFrom(...'<>;,=" \\rel next a'), maxLength: 60 });
  fc.assert(
    fc.property(text, (header) => {
      expect(["string", "undefined"]).toContain(typeof linkTarget(header, "next"));
    }),
  );
});

test("splitCommas and splitNumbers split strings, trim items and skip empty items", () => {
  expect(splitCommas("a, b,,c ,")).toEqual(["a", "b", "c"]);
  expect(splitCommas("")).toEqual([]);
  expect(splitNumbers("1, -2.5,x,9007199254740993, 9007199254740993.0")).toEqual([
    1,
    -2.5,
    "x",
    9007199254740993n,
    9007199254740993n,
  ]);
});

test("splitCommas and splitNumbers return arrays and other values unchanged", () => {
  for (const value of [["a,b"], null, undefined, 5, { a: 1 }]) {
    expect(splitCommas(value)).toBe(value);
    expect(splitNumbers(value)).toBe(value);
  }
});

test.each<[string | undefined, JsonValue | undefined]>([
  ["true", true],
  ["false", false],
  ["12", 12],
  ["1.5", 1.5],
  ["9007199254740993", 9007199254740993n],
  ["9007199254740993.0", 9007199254740993n],
  ["9.007199254740993e15", 9007199254740993n],
  ["1e16", 10n ** 16n],
  ["1e400", Number.POSITIVE_INFINITY],
  ["-0", -0],
  ["-0.0", -0],
  ["", ""],
  ["abc", "abc"],
  [undefined, undefined],
])("fromText converts %s to %s", (text, value) => {
  expect(fromText(text)).toBe(value);
});

test("ownValue ignores inherited properties", () => {
  expect(ownValue({}, "constructor")).toBeUndefined();
  expect(ownValue({}, "__proto__")).toBeUndefined();
  expect(ownValue(JSON.parse('{"constructor":1,"__proto__":2}'), "constructor")).toBe(1);
  expect(ownValue(JSON.parse('{"constructor":1,"__proto__":2}'), "__proto__")).toBe(2);
});

const typed = { type: "text", count: 5, on: false, none: null, inner: { a: [1] } };

test.each<[Condition, boolean]>([
  [{ key: "type", values: ["text", "x"] }, true],
  [{ key: "type", values: ["x"] }, false],
  [{ key: "count", values: ["5"] }, true],
  [{ key: "on", values: ["false"] }, true],
  [{ key: "none", values: ["null"] }, false],
  [{ key: "absent", values: ["undefined"] }, false],
  [{ key: "constructor", present: true }, false],
  [{ key: "none", present: false }, true],
  [{ key: "type", present: true }, true],
  [{ key: "inner.a", type: "array" }, true],
  [{ key: "inner", type: "object" }, true],
  [{ key: "inner", type: "array" }, false],
  [{ key: "inner", values: ["[object Object]"] }, false],
  [{ key: "inner.a", values: ["1"] }, false],
  [{ key: "type", present: true, type: "string", values: ["text"] }, true],
])("holds for the condition %j returns %s", (condition, result) => {
  expect(holds(typed, condition)).toBe(result);
});

test("holds works for an object with a key that shadows an Object method", () => {
  expect(holds({ type: { toString: 1 } }, { key: "type", values: ["text"] })).toBe(false);
});

const PART = fc.constantFrom("", " ", "a", "b c", " 7 ");

test("hasEmptyParts finds the empty items that splitCommas drops", () => {
  fc.assert(
    fc.property(fc.array(PART, { minLength: 1, maxLength: 5 }), (parts) => {
      const text = parts.join(",");
      const items = splitCommas(text) as readonly JsonValue[];
      expect(hasEmptyParts(text)).toBe(text.trim() !== "" && items.length < parts.length);
    }),
  );
});

test.each([
  [undefined, false],
  ["", false],
  [HEADER, false],
  ["<a>; rel=next,, <b>; rel=prev,", false],
  ["https://api.test/a; rel=next", true],
  ["<a>; rel=next, b; rel=prev", true],
])("hasBrokenLinks for the header %j returns %j", (header, isBroken) => {
  expect(hasBrokenLinks(header)).toBe(isBroken);
});

test("property: a link is found in every unambiguous spelling of its relation", () => {
  const relations = fc.shuffledSubarray(["next", "last", "item"], { minLength: 1 });
  const space = fc.constantFrom("", " ", "  ");
  fc.assert(
    fc.property(
      relations,
      fc.constantFrom('"', "'", ""),
      fc.boolean(),
      space,
      (names, quote, isUpper, gap) => {
        const own = quote === "" ? names.slice(0, 1) : names;
        const text = own.join(" ");
        const name = isUpper ? "REL" : "rel";
        const value = `${quote}${isUpper ? text.toUpperCase() : text}${quote}`;
        const header = `</1>; title='a'; ${name}${gap}=${gap}prev${gap},${gap}</2>${gap};${gap}${name}${gap}=${gap}${value}`;
        for (const each of own) expect([header, linkTarget(header, each)]).toEqual([header, "/2"]);
        expect(hasBrokenLinks(header)).toBe(false);
      },
    ),
  );
});
