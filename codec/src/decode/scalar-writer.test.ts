import { create, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "../json/json.ts";
import { EnumTable } from "../table/enum-table.ts";
import type { ScalarKind } from "../table/kinds.ts";
import { costRatio } from "../testing/cpu.ts";
import { difference, Kinds, numberOf, SCALAR_KINDS, type Written, written } from "../testing/kinds.ts";
import { ProtoWriter } from "./proto-writer.ts";

const INT32: readonly ScalarKind[] = ["int32", "sint32", "sfixed32"];
const UINT32: readonly ScalarKind[] = ["uint32", "fixed32"];
const INT64: readonly ScalarKind[] = ["int64", "sint64", "sfixed64"];
const UINT64: readonly ScalarKind[] = ["uint64", "fixed64"];
const WHOLE = [...INT32, ...UINT32, ...INT64, ...UINT64];
const NUMBERS: readonly ScalarKind[] = ["double", "float", ...WHOLE];

function scalar(kind: ScalarKind, value: JsonValue | undefined, exact = false): Written {
  return written((out) => out[kind](numberOf(kind), value, "k"), exact);
}

function clean(kind: ScalarKind, json: unknown): Written {
  return { json: { [kind]: json } as Written["json"], differences: [], inexact: false };
}

test.each(INT32)("%s reads the full range of 32-bit signed integers", (kind) => {
  for (const value of [0, 1, -1, 127, 128, -128, 16_384, -0x8000_0000, 0x7fff_ffff]) {
    expect(scalar(kind, value)).toEqual(clean(kind, value));
  }
});

test.each(UINT32)("%s reads the full range of 32-bit unsigned integers", (kind) => {
  for (const value of [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]) {
    expect(scalar(kind, value)).toEqual(clean(kind, value));
  }
});

test.each(INT32)("%s drops integers outside the signed 32-bit range", (kind) => {
  for (const value of [0x8000_0000, -0x8000_0001, 1e300]) {
    expect(scalar(kind, value)).toEqual({
      json: {},
      differences: [difference("lost", "k", kind, `number ${value}`)],
      inexact: false,
    });
  }
});

test.each(UINT32)("%s drops integers outside the unsigned 32-bit range", (kind) => {
  for (const value of [0x1_0000_0000, -1]) {
    expect(scalar(kind, value).differences).toEqual([difference("lost", "k", kind, `number ${value}`)]);
  }
});

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

test.each(INT64)(
  "%s reads the full range of 64-bit signed integers, as numbers, bigints and strings",
  (kind) => {
    for (const value of [0n, 1n, -1n, 2n ** 32n, -(2n ** 32n) - 1n, 2n ** 53n + 1n, MAX, MIN]) {
      expect(scalar(kind, value)).toEqual(clean(kind, String(value)));
      expect(scalar(kind, String(value))).toEqual(clean(kind, String(value)));
    }
    for (const value of [-4_294_967_296, -1, 5, 4_294_967_296, Number.MIN_SAFE_INTEGER]) {
      expect(scalar(kind, value)).toEqual(clean(kind, String(value)));
    }
  },
);

test.each(UINT64)(
  "%s reads the full range of 64-bit unsigned integers, as numbers, bigints and strings",
  (kind) => {
    for (const value of [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n + 1n, 2n ** 64n - 1n]) {
      expect(scalar(kind, value)).toEqual(clean(kind, String(value)));
      expect(scalar(kind, String(value))).toEqual(clean(kind, String(value)));
    }
  },
);

test.each([...INT64, ...UINT64])("%s drops integers outside the 64-bit range", (kind) => {
  const unsigned = UINT64.includes(kind);
  for (const value of unsigned ? [2n ** 64n, -1n] : [MAX + 1n, MIN - 1n]) {
    const expected = (got: string) => [difference("lost", "k", kind, got)];
    expect(scalar(kind, value).differences).toEqual(expected(`number ${value}`));
    expect(scalar(kind, String(value)).differences).toEqual(expected(`string "${value}"`));
  }
});

test.each([...INT64, ...UINT64])("%s never reads a rounded number, and requests an exact parse", (kind) => {
  expect(scalar(kind, 2 ** 53)).toEqual({ json: {}, differences: [], inexact: true });
  expect(scalar(kind, Number.POSITIVE_INFINITY)).toEqual({ json: {}, differences: [], inexact: true });
  const second = scalar(kind, 2 ** 53, true);
  expect(second.differences).toEqual([difference("lost", "k", kind, "number 9007199254740992")]);
  expect(second.json).toEqual({});
});

test("int64 does not round an integer that is written with a decimal point", () => {
  expect(scalar("int64", "9007199254740993.0")).toEqual(clean("int64", "9007199254740993"));
});

test.each([...INT32, ...UINT32])("%s is read from a string, with one report", (kind) => {
  expect(scalar(kind, " +12 ")).toEqual({
    json: { [kind]: 12 },
    differences: [difference("converted", "k", kind, 'string " +12 "')],
    inexact: false,
  });
});

test.each(WHOLE)("%s drops a number with a fraction, with one report", (kind) => {
  for (const value of [7.9, "7.9", "1.00000000000000000001", "1e-400"]) {
    const result = scalar(kind, value);
    expect(result.json).toEqual({});
    expect(result.differences).toHaveLength(1);
    expect(result.differences[0]).toMatchObject({ class: "lost", path: "k", expected: kind });
  }
});

test.each(WHOLE)("property: %s never reads a value that is not numerically equal", (kind) => {
  const text = fc
    .tuple(
      fc.bigInt({ min: 0n, max: 2n ** 70n }),
      fc.stringMatching(/^[0-9]{0,22}$/),
      fc.integer({ min: -3, max: 3 }),
    )
    .map(([whole, fraction, exponent]) => ({ whole, fraction, exponent }));
  fc.assert(
    fc.property(text, ({ whole, fraction, exponent }) => {
      const source = `${whole}${fraction === "" ? "" : `.${fraction}`}e${exponent}`;
      const [read] = Object.values(scalar(kind, source).json as Record<string, number | string>);
      if (read === undefined) return;
      // scale both sides by the number of digits after the point
      const scale = BigInt(fraction.length + 3);
      const given = BigInt(`${whole}${fraction}`) * 10n ** BigInt(3 + exponent);
      expect(BigInt(read) * 10n ** scale).toBe(given);
    }),
  );
});

test.each(NUMBERS)("%s drops a value that is not a number, with one report", (kind) => {
  for (const [value, got] of [
    ["many", 'string "many"'],
    ["99999999999999999999999999999999999999999999999999999999x", `string "${"9".repeat(39)}…`],
    [true, "boolean true"],
    [{}, "object"],
    [[1], "array"],
  ] as const) {
    const result = scalar(kind, value);
    expect(result.json).toEqual({});
    expect(result.differences).toHaveLength(1);
    expect(result.differences[0]).toMatchObject({ class: "lost", path: "k", got });
  }
});

test.each([...NUMBERS, "bool", "bytes", "string"] as const)(
  "%s is absent for null and for an absent key",
  (kind) => {
    for (const value of [null, undefined]) {
      expect(scalar(kind, value)).toEqual({ json: {}, differences: [], inexact: false });
    }
  },
);

test.each(NUMBERS)("%s is absent for the empty string, which is reported as converted", (kind) => {
  const { json, differences } = scalar(kind, "");
  expect(json).toEqual({});
  expect(differences).toMatchObject([{ class: "converted", path: "k", got: 'string ""' }]);
});

test("a long string that is almost a number is rejected in linear time", () => {
  const read = (count: number) => () => {
    const digits = "1".repeat(count);
    scalar("int64", `${digits}x`);
    scalar("double", `${digits}.${digits}x`);
  };
  // a quadratic check takes a hundred times as long
  expect(costRatio(read(2_000_000), read(200_000))).toBeLessThan(40);
});

test.each<[ScalarKind, string]>([
  ["int32", "12"],
  ["uint32", ""],
  ["int64", "12"],
  ["uint64", ""],
  ["double", "1.5"],
  ["float", ""],
  ["bool", "true"],
  ["bool", ""],
])("in a form, %s reads the string %j without a difference", (kind, text) => {
  expect(written((out) => out[kind](numberOf(kind), text, "k"), false, true).differences).toEqual([]);
});

test("in a form, invalid values are still reported", () => {
  const { differences } = written(
    (out) => {
      out.int32(numberOf("int32"), "1.5", "a");
      out.int64(numberOf("int64"), "x", "b");
      out.bool(numberOf("bool"), "x", "c");
    },
    false,
    true,
  );
  expect(differences).toEqual([
    difference("lost", "a", "int32", 'string "1.5"'),
    difference("lost", "b", "int64", 'string "x"'),
    difference("lost", "c", "bool", 'string "x"'),
  ]);
});

test("double and float read the ProtoJSON names of non-finite numbers", () => {
  for (const kind of ["double", "float"] as const) {
    for (const value of ["NaN", "Infinity", "-Infinity"]) {
      expect(scalar(kind, value)).toEqual(clean(kind, value));
    }
  }
});

test("double and float read numbers of any size in their range", () => {
  for (const value of [0, 0.1, -1.5, 5e-324, Number.MAX_VALUE, 2 ** 53]) {
    expect(scalar("double", value)).toEqual(clean("double", value));
  }
  expect(scalar("double", 2n ** 70n)).toEqual(clean("double", 2 ** 70));
  expect(scalar("float", 0.5)).toEqual(clean("float", 0.5));
});

test("double and float drop a number that would overflow to infinity", () => {
  expect(scalar("float", 1e39).differences).toEqual([difference("lost", "k", "float", "number 1e+39")]);
  expect(scalar("double", Number.POSITIVE_INFINITY)).toMatchObject({
    json: {},
    differences: [difference("lost", "k", "double", "number Infinity")],
  });
  expect(scalar("double", 10n ** 400n).json).toEqual({});
  expect(scalar("double", "1e400").differences).toEqual([
    difference("lost", "k", "double", 'string "1e400"'),
  ]);
});

test("double and float are read from strings", () => {
  expect(scalar("double", "1.5e3")).toEqual({
    json: { double: 1500 },
    differences: [difference("converted", "k", "double", 'string "1.5e3"')],
    inexact: false,
  });
});

test("bool reads true and false", () => {
  expect(scalar("bool", true)).toEqual(clean("bool", true));
  expect(scalar("bool", false)).toEqual(clean("bool", false));
});

test.each([
  [1, true],
  [0, false],
  ["Y", true],
  ["N", false],
  ["true", true],
  ["FALSE", false],
  ["", false],
  ["yes", true],
  ["1", true],
])("bool reads %j", (value, bool) => {
  const result = scalar("bool", value);
  expect(result.json).toEqual({ bool });
  expect(result.differences).toMatchObject([{ class: "converted", path: "k", expected: "bool" }]);
});

test.each([[2], ["auto"], [{}], [[]]])("bool drops %j", (value) => {
  const result = scalar("bool", value);
  expect(result.json).toEqual({});
  expect(result.differences).toMatchObject([{ class: "lost", path: "k", expected: "bool" }]);
});

test("string reads numbers and true as strings, and false as absent", () => {
  expect(scalar("string", 12.5)).toEqual({
    json: { string: "12.5" },
    differences: [difference("converted", "k", "string", "number 12.5")],
    inexact: false,
  });
  expect(scalar("string", 700_000_000_000_000_001n).json).toEqual({ string: "700000000000000001" });
  expect(scalar("string", true).json).toEqual({ string: "true" });
  expect(scalar("string", false)).toEqual({
    json: {},
    differences: [difference("converted", "k", "string", "boolean false")],
    inexact: false,
  });
});

test("string never reads a rounded number", () => {
  expect(scalar("string", 2 ** 60)).toEqual({ json: {}, differences: [], inexact: true });
});

test("string replaces a lone surrogate and reports it", () => {
  const result = scalar("string", "a\ud800b");
  expect(result.json).toEqual({ string: "a\ufffdb" });
  expect(result.differences).toMatchObject([{ class: "lost", path: "k", expected: "valid Unicode" }]);
  expect(result.differences[0]?.got.isWellFormed()).toBe(true);
});

test.each([[{}], [[]], [["a"]]])("string drops %j", (value) => {
  expect(scalar("string", value).differences).toMatchObject([{ class: "lost", expected: "string" }]);
});

test.each([
  ["", ""],
  ["AA==", "AA=="],
  ["AA", "AA=="],
  ["-_8", "+/8="],
  ["+/8=", "+/8="],
])("bytes reads %j in both base64 alphabets, with and without padding", (value, text) => {
  expect(scalar("bytes", value)).toEqual(clean("bytes", text));
});

test.each([["A"], ["AAAAA"], ["?"], ["AA=A"], [5], [{}]])("bytes drops %j", (value) => {
  expect(scalar("bytes", value).differences).toMatchObject([
    { class: "lost", path: "k", expected: "base64" },
  ]);
});

const moods = new EnumTable("test.Mood", [
  [0, "MOOD_UNSPECIFIED"],
  [1, "good", "fine", "MOOD_GOOD"],
  [3, "30", "MOOD_NUMBERED"],
  [-4, "true"],
]);
const read = (value: JsonValue | undefined) =>
  written((out) => out.enum(numberOf("int32"), value, "mood", moods));

test.each([
  ["good", 1],
  ["fine", 1],
  ["MOOD_GOOD", 1],
  [30, 3],
  ["30", 3],
  [true, -4],
  ["MOOD_UNSPECIFIED", 0],
])("enum reads %j", (value, number) => {
  expect(read(value)).toEqual({ json: { int32: number }, differences: [], inexact: false });
});

test("a declared number of an enum in a string is converted, and other digits are dropped", () => {
  const tones = new EnumTable("test.Tone", [
    [0, "NONE"],
    [1, "LOW"],
    [-2, "HIGH"],
  ]);
  const texts = fc.oneof(
    fc.integer({ min: -4, max: 4 }).map(String),
    fc.constantFrom("01", "+1", "1.0", "-0", ""),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { json, differences } = written((out) => out.enum(numberOf("int32"), text, "tone", tones));
      const isDeclared = ["0", "1", "-2"].includes(text);
      expect(json).toEqual(isDeclared ? { int32: Number(text) } : {});
      expect(differences.map((each) => each.class)).toEqual([isDeclared ? "converted" : "lost"]);
    }),
  );
});

test.each([
  ["great", 'string "great"'],
  [99, "number 99"],
  [3, "number 3"],
  [1, "number 1"],
  [false, "boolean false"],
  [{}, "object"],
  ["constructor", 'string "constructor"'],
  ["__proto__", 'string "__proto__"'],
])("enum drops %j and reports it", (value, got) => {
  expect(read(value)).toEqual({
    json: {},
    differences: [difference("lost", "mood", "one of test.Mood", got)],
    inexact: false,
  });
});

test("an unknown enum name is dropped but not lost if another field keeps the spelling", () => {
  const open = (value: JsonValue | undefined) =>
    written((out) => out.openEnum(numberOf("int32"), value, "mood", moods));
  expect(open("great")).toEqual({
    json: {},
    differences: [difference("additional", "mood", "one of test.Mood", 'string "great"')],
    inexact: false,
  });
  expect(open({ a: 1 }).differences).toEqual([difference("lost", "mood", "one of test.Mood", "object")]);
  expect(open("fine").json).toEqual({ int32: 1 });
  expect(open(null).json).toEqual({});
});

test("an open enum keeps an unknown number, and drops any other unknown value", () => {
  const values: ConstructorParameters<typeof EnumTable>[1] = [
    [0, "TONE_UNSPECIFIED"],
    [1, "loud", "1"],
  ];
  const tone = (value: JsonValue, closed = false) =>
    written((out) =>
      out.enum(numberOf("int32"), value, "tone", new EnumTable("test.Tone", values, { closed })),
    );
  for (const number of [7, -7, 0x7fff_ffff, -0x8000_0000]) {
    expect(tone(number)).toEqual({
      json: { int32: number },
      differences: [difference("additional", "tone", "one of test.Tone", `number ${number}`)],
      inexact: false,
    });
    expect(tone(number, true)).toMatchObject({ json: {}, differences: [{ class: "lost" }] });
  }
  for (const wrong of [0.5, 0x8000_0000, "7"]) {
    expect(tone(wrong)).toMatchObject({ json: {}, differences: [{ class: "lost" }] });
  }
});

test("an enum is absent for null and for an absent key", () => {
  expect(read(null)).toEqual({ json: {}, differences: [], inexact: false });
  expect(read(undefined)).toEqual({ json: {}, differences: [], inexact: false });
});

test("a loose field and its list items are converted without a report", () => {
  const { json, differences } = written((out) => {
    out.loosely("a").string(numberOf("string"), 5, "a");
    out.loosely("b").list(numberOf("string_list"), [1, "x", true], "b", "string");
  });
  expect(json).toEqual({ string: "5", string_list: ["1", "x", "true"] });
  expect(differences).toEqual([]);
});

test("an invalid value of a loose field is still reported, and so is the next field", () => {
  const { differences } = written((out) => {
    out.loosely("a").int32(numberOf("int32"), "x", "a");
    out.loosely("b").string(numberOf("string"), "as declared", "b");
    out.string(numberOf("string"), 5, "c");
  });
  expect(differences).toEqual([
    difference("lost", "a", "int32", 'string "x"'),
    difference("converted", "c", "string", "number 5"),
  ]);
});

test("a difference truncates the received value without splitting a character", () => {
  const { differences } = scalar("int32", `${"a".repeat(38)}😀😀`);
  expect(differences[0]?.got.isWellFormed()).toBe(true);
  expect(differences[0]?.got.length).toBeLessThan(60);
});

test("at most 100 differences of a class are kept", () => {
  const { differences } = written((out) => {
    for (let index = 0; index < 500; index++) out.int32(1, "x", `k${index}`);
  });
  expect(differences).toHaveLength(100);
  expect(differences[99]?.path).toBe("k99");
});

test("a difference truncates a long key", () => {
  const writer = new ProtoWriter();
  writer.keysBeyond(new Map(), { ["k".repeat(1_000_000)]: 1 });
  expect(writer.differences[0]?.path).toBe(`["${"k".repeat(100)}"…]`);
});

test("property: scalars with declared types are written as protobuf-es writes them", () => {
  const json = fc.record(
    {
      string: fc.string({ unit: "binary", maxLength: 200 }).filter((text) => text.isWellFormed()),
      bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")),
      bool: fc.boolean(),
      double: fc.double(),
      float: fc.float(),
      int32: fc.integer(),
      sint32: fc.integer(),
      uint32: fc.nat(0xffff_ffff),
      fixed32: fc.nat(0xffff_ffff),
      sfixed32: fc.integer(),
      int64: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      sint64: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      uint64: fc.bigInt(0n, 2n ** 64n - 1n),
      fixed64: fc.bigInt(0n, 2n ** 64n - 1n),
      sfixed64: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(json, (values) => {
      const message = create(Kinds, {
        ...values,
        ...(values.bytes === undefined ? {} : { bytes: Buffer.from(values.bytes, "base64") }),
      });
      const out = new ProtoWriter();
      const named = SCALAR_KINDS.filter((kind) => values[kind] !== undefined);
      for (const kind of named) {
        const value = values[kind];
        const special = typeof value === "number" && !Number.isFinite(value);
        out[kind](numberOf(kind), special ? String(value) : value, kind);
      }
      expect(out.differences).toEqual([]);
      expect(toJson(Kinds, fromBinary(Kinds, out.finish()))).toEqual(
        toJson(Kinds, fromBinary(Kinds, toBinary(Kinds, message))),
      );
    }),
    { numRuns: 500 },
  );
});

test("property: any scalar field accepts any JSON value without an exception", () => {
  const value = fc.oneof(fc.jsonValue(), fc.bigInt());
  fc.assert(
    fc.property(fc.constantFrom(...SCALAR_KINDS), value, fc.boolean(), (kind, json, exact) => {
      const result = scalar(kind, json as JsonValue, exact);
      expect(result.differences.length).toBeLessThanOrEqual(1);
      const isWritten = Object.keys(result.json as object).length > 0;
      const isNamed = result.differences.length > 0 || result.inexact || json === null;
      expect(isWritten || isNamed).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test("a lone surrogate in text bytes is reported in the same way as in a string", () => {
  for (const kind of ["string", "textBytes"] as const) {
    const { differences } = written((out) => out[kind](numberOf("string"), "a\ud800", "k"));
    expect(differences.map((each) => [each.class, each.expected])).toEqual([["lost", "valid Unicode"]]);
  }
});
