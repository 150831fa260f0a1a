import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson, writeJson } from "../json.ts";
import { decodePairs, Fields } from "./fields.ts";
import { parseTarget } from "./target.ts";

const query = (text: string) => new Fields(decodePairs(text));

test("`+` is decoded as a space, a name without a value as empty, and broken escapes stay unchanged", () => {
  expect(decodePairs("a=1+2&b&&c=%zz&=d&e=%C3%A9")).toEqual([
    ["a", "1 2"],
    ["b", ""],
    ["c", "%zz"],
    ["", "d"],
    ["e", "\u00e9"],
  ]);
});

test("pairs round-trip through encoding and decoding", () => {
  const pair = fc.tuple(fc.string({ unit: "grapheme", minLength: 1 }), fc.string({ unit: "grapheme" }));
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const encoded = pairs.map(([n, v]) => `${encodeURIComponent(n)}=${encodeURIComponent(v)}`).join("&");
      expect(decodePairs(encoded)).toEqual(pairs);
    }),
    { numRuns: 200 },
  );
});

test.each(["n[0]=a&n[1]=b", "n[1]=b&n[0]=a", "n[]=a&n[]=b", "n=a&n=b"])("a list is read from %s", (text) => {
  expect(query(text).list("n")).toEqual(["a", "b"]);
});

test("list indexes are compared as numbers: 10 comes after 2", () => {
  expect(query("n[10]=c&n[2]=b&n[0]=a").list("n")).toEqual(["a", "b", "c"]);
});

test("for each name, the body takes precedence over the query", () => {
  const merged = query("a=1&b[0]=2").over(query("a=9&b=9&c=9"));
  expect([merged.text("a"), merged.list("b"), merged.text("c")]).toEqual(["1", ["2"], "9"]);
});

test("nested brackets become objects and arrays", () => {
  const fields = query("x[0][type]=text&x[0][more][]=1&x[0][more][]=2&x[1][type]=image");
  expect(fields.json("x")).toEqual([{ type: "text", more: ["1", "2"] }, { type: "image" }]);
});

test("a list with large indexes in brackets has no holes", () => {
  expect(query("x[7][a]=1&x[3][a]=0").json("x")).toEqual([{ a: "0" }, { a: "1" }]);
});

test("parameters that exceed the limits on depth and number are rejected", () => {
  const deep = query(`x${"[a]".repeat(30)}=1`);
  expect(() => deep.json("x")).toThrow("Invalid x: nested too deeply");
  const many = new Fields(Array.from({ length: 20_001 }, (_, i) => [`x[${i}]`, "1"] as const));
  expect(() => many.json("x")).toThrow("Invalid x: too many parameters");
});

test("brackets never modify a prototype", () => {
  query("x[__proto__][polluted]=1&x[constructor][prototype][polluted]=1&x[a]=1").json("x");
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
});

test("numbers, flags and ids are accepted as JSON values and as strings", () => {
  const fields = Fields.fromJson({ n: "5", m: 5, t: true, one: "1", id: 735000000000000001n });
  expect([fields.integer("n"), fields.integer("m"), fields.flag("t"), fields.flag("one")]).toEqual([
    5,
    5,
    true,
    true,
  ]);
  expect(fields.id("id")).toBe("735000000000000001");
  expect(() => query("n=x").integer("n")).toThrow("Invalid n: not a number");
  expect(() => query("n=0").integer("n", { min: 1 })).toThrow("Invalid n: below 1");
  expect(() => query("f=maybe").flag("f")).toThrow("Invalid f: expected true or false, got maybe");
});

test("integers beyond 2^53 stay exact in JSON", () => {
  const text =
    '{"id":735000000000000001,"n":-9007199254740993,"small":5,"float":1.5,"s":"735000000000000001"}';
  expect(writeJson(readJson(text))).toBe(text);
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }),
      (id) => writeJson(readJson(`[${id}]`)) === `[${id}]`,
    ),
    { numRuns: 200 },
  );
});

test("a target contains its raw path, and its segments are decoded one by one", () => {
  expect(parseTarget("/v2/blog/t%3Aab/pages/a%2Fb/?x=%20")).toEqual({
    rawPath: "/v2/blog/t%3Aab/pages/a%2Fb/",
    rawQuery: "x=%20",
    segments: ["v2", "blog", "t:ab", "pages", "a/b"],
  });
  expect(parseTarget("http://h.example/x?y")?.rawPath).toBe("/x");
  expect(parseTarget("*")).toBeUndefined();
  expect(parseTarget("/%ff")).toBeUndefined();
});

test.each([
  ["true", true],
  ["True", true],
  ["1", true],
  [true, true],
  [1, true],
  ["false", false],
  ["False", false],
  ["0", false],
  [false, false],
  [0, false],
])("the boolean %j is read from a query, a form and JSON", (value, expected) => {
  expect(query(`b=${value}`).flag("b", !expected)).toBe(expected);
  expect(Fields.fromJson({ b: value }).flag("b", !expected)).toBe(expected);
});

test.each(["yes", "TRUE", "2", "None"])("%s is rejected as a boolean", (value) => {
  expect(() => query(`b=${value}`).flag("b")).toThrow();
});
