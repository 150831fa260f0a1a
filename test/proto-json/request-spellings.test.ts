/**
 * Tests strings in JSON requests that differ slightly from valid ones. Each string must arrive with its value
 * or be rejected. The parsers in this file share no code with the gateway.
 */
import { createRegistry, type DescMessage, toJson } from "@bufbuild/protobuf";
import { AnySchema, file_google_protobuf_wrappers } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../../gateway/src/protocol/read-json.ts";
import { PlainSchema } from "../gen/rich/v1/plain_pb.ts";

const TYPES = createRegistry(PlainSchema, AnySchema, file_google_protobuf_wrappers);

/** A type whose values JSON represents as strings. */
interface TextType {
  /** Requests with a string of the type. `$` stands for the string. */
  readonly places: readonly unknown[];
  readonly valid: fc.Arbitrary<string>;
  /** Strings that mutations insert. */
  readonly pieces: readonly string[];
  /** Returns the value of a string in a comparable form; undefined for an invalid string. */
  readonly denotes: (text: string) => string | undefined;
}

/** Returns a decimal number without leading and trailing zeros. */
function decimal(text: string): string | undefined {
  const match = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  let digits = BigInt(whole + fraction);
  if (digits === 0n) return "0";
  let power = Number(exponent) - fraction.length;
  for (; digits % 10n === 0n; digits /= 10n) power += 1;
  return `${sign}${digits}e${power}`;
}

function double(text: string): string | undefined {
  if (["NaN", "Infinity", "-Infinity"].includes(text)) return text;
  return decimal(text) === undefined ? undefined : String(Number(text));
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Decodes base64 to a string of bits. Returns undefined if the bits after the last byte are not zero. */
function bits(text: string): string | undefined {
  const [, digits = "", padding = ""] = /^([^=]*)(={0,2})$/.exec(text) ?? [undefined, "?"];
  if (padding !== "" && (digits.length + padding.length) % 4 !== 0) return undefined;
  const values = [`${ALPHABET}+/`, `${ALPHABET}-_`]
    .map((alphabet) => [...digits].map((digit) => alphabet.indexOf(digit)))
    .find((indexes) => !indexes.includes(-1));
  const all = values?.map((value) => value.toString(2).padStart(6, "0")).join("");
  if (all === undefined || digits.length % 4 === 1) return undefined;
  const whole = all.length - (all.length % 8);
  return all.slice(whole).includes("1") ? undefined : all.slice(0, whole);
}

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the nanoseconds since the year 0, computed by counting days and years of the calendar. */
function time(text: string): string | undefined {
  const match =
    /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const [fraction = "", sign = "+", offHours = "0", offMinutes = "0"] = match.slice(7);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = DAYS.map((length, index) => (index === 1 && isLeap ? 29 : length));
  if (day < 1 || day > (lengths[month - 1] ?? 0)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || Number(offHours) > 23 || Number(offMinutes) > 59) return;
  const leapDays =
    Math.floor((year - 1) / 4) - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400) + 1;
  const days = year * 365 + leapDays + lengths.slice(0, month - 1).reduce((sum, length) => sum + length, day);
  const offset = (sign === "-" ? -1 : 1) * (Number(offHours) * 60 + Number(offMinutes));
  const seconds = days * 86_400 + hour * 3_600 + (minute - offset) * 60 + second;
  return `${seconds}.${fraction.padEnd(9, "0")}`;
}

function duration(text: string): string | undefined {
  const [, sign, seconds = "", fraction = ""] = /^(-?)([0-9]+)(?:\.([0-9]{1,9}))?s$/.exec(text) ?? [];
  if (sign === undefined || seconds === "") return undefined;
  const nanos = BigInt(seconds + fraction.padEnd(9, "0"));
  return String(sign === "-" ? -nanos : nanos);
}

const COLORS = ["COLOR_UNSPECIFIED", "COLOR_RED", "COLOR_NEGATIVE", "COLOR_LARGE"];
const digit = fc.constantFrom(..."0123456789");
const integer = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(String);
const NUMBER_PIECES = [
  "0x",
  "0b",
  "0o",
  "_",
  "+",
  "-",
  ".",
  ".0",
  "e0",
  "e3",
  "E+1",
  "e-1",
  "e400",
  "n",
  " ",
  "\n",
  "0",
  "00",
  "٣",
  ",",
  "",
];

/** Numbers that are also used as strings of other types: as plain text, a name or base64. */
const NUMERALS = fc.constantFrom("1e3", "1.0", "-0.0", "10e-1", "1e30", "1E+3", "1e400");

/** Writes an integer with a fraction or an exponent. */
const NOTATION: fc.Arbitrary<(integer: string) => string> = fc.oneof(
  fc.constant((integer: string) => integer),
  fc.nat(3).map((zeros) => (integer: string) => `${integer}.0${"0".repeat(zeros)}`),
  fc.constantFrom("e0", "E+00", "e-0", ".0e0").map((end) => (integer: string) => integer + end),
  fc.integer({ min: 1, max: 3 }).map((zeros) => (integer: string) => {
    const isZero = integer === "0";
    return `${integer}${isZero ? "" : "0".repeat(zeros)}e-${zeros}`;
  }),
  fc.constantFrom("e", "E", "e+", "E+0").map((mark) => (integer: string) => {
    const [, sign = "", first = "", rest = ""] = /^(-?)(.)(.*)$/.exec(integer) ?? [];
    return `${sign}${first}${rest === "" ? "" : `.${rest}`}${mark}${rest.length}`;
  }),
  fc.constant((integer: string) => (integer === "0" ? "-0.0" : integer)),
);

const INTEGERS = {
  int32: integer(-(2n ** 31n), 2n ** 31n - 1n),
  sint32: integer(-(2n ** 31n), 2n ** 31n - 1n),
  sfixed32: integer(-(2n ** 31n), 2n ** 31n - 1n),
  uint32: integer(0n, 2n ** 32n - 1n),
  fixed32: integer(0n, 2n ** 32n - 1n),
  int64: integer(-(2n ** 63n), 2n ** 63n - 1n),
  sint64: integer(-(2n ** 63n), 2n ** 63n - 1n),
  sfixed64: integer(-(2n ** 63n), 2n ** 63n - 1n),
  uint64: integer(0n, 2n ** 64n - 1n),
  fixed64: integer(0n, 2n ** 64n - 1n),
};

const inScalars = (name: string): unknown[] => [
  { scalars: { [`${name}Value`]: "$" } },
  { lists: { [`${name}Values`]: ["$"] } },
  { children: [{ child: { lists: { messageValues: [{ [`${name}Value`]: "$" }] } } }] },
  { maps: { messages: { a: { [`${name}Value`]: "$" } } } },
];

const wrapped = (name: string): unknown => ({ wrappers: { [`${name}Value`]: "$" } });

const TEXT_TYPES: Readonly<Record<string, TextType>> = {
  ...Object.fromEntries(
    Object.entries(INTEGERS).map(([name, valid]) => [
      name,
      {
        places: [...inScalars(name), ...(/^u?int(?:32|64)$/.test(name) ? [wrapped(name)] : [])],
        valid: fc
          .tuple(fc.oneof(valid, fc.constantFrom("0", "1", "100")), NOTATION)
          .map(([integer, written]) => written(integer)),
        pieces: NUMBER_PIECES,
        denotes: decimal,
      },
    ]),
  ),
  double: {
    places: [...inScalars("double"), wrapped("double"), { maps: { uint32s: { "1": "$" } } }],
    valid: fc.oneof(fc.double().map(String), fc.constantFrom("NaN", "Infinity", "-Infinity", "0")),
    pieces: NUMBER_PIECES,
    denotes: double,
  },
  bytes: {
    places: [
      ...inScalars("bytes"),
      wrapped("bytes"),
      { maps: { sint32s: { "1": "$" } } },
      { choice: { data: "$" } },
    ],
    valid: fc
      .tuple(fc.uint8Array({ maxLength: 8 }), fc.constantFrom("base64", "base64url"))
      .map(([bytes, name]) => Buffer.from(bytes).toString(name as BufferEncoding)),
    pieces: [
      "1e30",
      "1E03",
      "=",
      "==",
      "===",
      "+",
      "/",
      "-",
      "_",
      "A",
      "B",
      "f",
      " ",
      "\n",
      "\t",
      "é",
      "%",
      ".",
    ],
    denotes: bits,
  },
  timestamp: {
    places: [
      { wellKnown: { timestamp: "$" } },
      { lists: { timestamps: ["$"] } },
      { maps: { timestamps: { a: "$" } } },
      { choice: { time: "$" } },
    ],
    valid: fc
      .tuple(
        fc.date({
          min: new Date("0001-01-02T00:00:00Z"),
          max: new Date("9999-12-30T00:00:00Z"),
          noInvalidDate: true,
        }),
        fc.constantFrom("Z", "+00:00", "-23:59", "+05:30"),
      )
      .map(([date, zone]) => date.toISOString().replace(/\.000Z|Z/, zone)),
    pieces: [
      ..."0123456789",
      "T",
      "Z",
      "-",
      "+",
      ":",
      ".",
      "+24:00",
      "24",
      "60",
      "02-30",
      "13",
      " ",
      "t",
      "z",
    ],
    denotes: time,
  },
  duration: {
    places: [{ wellKnown: { duration: "$" } }, { lists: { durations: ["$"] } }],
    valid: fc
      .tuple(fc.constantFrom("", "-"), fc.nat(1_000_000), fc.string({ unit: digit, maxLength: 9 }))
      .map(([sign, seconds, fraction]) => `${sign}${seconds}${fraction === "" ? "" : `.${fraction}`}s`),
    pieces: [..."0123456789", "-", "+", ".", "s", "ms", "e1", " ", "315576000001s"],
    denotes: duration,
  },
  mask: {
    places: [{ wellKnown: { mask: "$" } }, { lists: { masks: ["$"] } }],
    valid: fc
      .array(fc.stringMatching(/^[a-z][a-z0-9]{0,3}(?:[A-Z][a-z0-9]{0,3})?(?:\.[a-z]{1,3})?$/), {
        maxLength: 3,
      })
      .map((paths) => paths.join(",")),
    pieces: [",", "_", ".", "A", "1", " ", "é", "*"],
    denotes: (text) => text,
  },
  color: {
    places: [...inScalars("color"), { maps: { bools: { true: "$" } } }, { choice: { color: "$" } }],
    valid: fc.constantFrom(...COLORS),
    pieces: ["_", "A", "red", "COLOR_", " ", "1", "1.0", "1e3", "\u0000"],
    denotes: (text) => (COLORS.includes(text) ? text : undefined),
  },
  string: {
    places: [
      ...inScalars("string"),
      wrapped("string"),
      { maps: { strings: { a: "$" } } },
      { choice: { text: "$" } },
    ],
    valid: fc.oneof(fc.string({ maxLength: 4 }), NUMERALS),
    pieces: ["\ud800", "\udc00", "\u0000", '"', "\\", "é", "😀"],
    denotes: (text) => (text.isWellFormed() ? text : undefined),
  },
  value: {
    places: [
      { wellKnown: { value: "$" } },
      { wellKnown: { value: { a: ["$"] } } },
      { wellKnown: { struct: { $: 1 } } },
      { wellKnown: { list: [{ $: {} }] } },
      { maps: { structs: { a: { $: "$" } } } },
      { choice: { value: "$" } },
    ],
    valid: fc.oneof(fc.string({ maxLength: 4 }), NUMERALS),
    pieces: ["\ud800", "\udc00", "\u0000", '"', "\\", "é", "😀"],
    denotes: (text) => (text.isWellFormed() ? text : undefined),
  },
};

type Mutation = readonly [kind: "insert" | "delete" | "replace" | "case" | "swap", at: number, piece: string];

function mutated(text: string, [kind, share, piece]: Mutation): string {
  const at = Math.floor(share * (text.length + 1));
  const [before, after] = [text.slice(0, at), text.slice(at)];
  switch (kind) {
    case "insert":
      return before + piece + after;
    case "delete":
      return before + after.slice(1);
    case "replace":
      return before + piece + after.slice(piece.length);
    case "case":
      return (
        before +
        (after.slice(0, 1) === after.slice(0, 1).toUpperCase() ? after.toLowerCase() : after.toUpperCase())
      );
    case "swap":
      return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2);
  }
}

/** Puts a string into its place, as a value or as a key. */
function placed(json: unknown, text: string): unknown {
  if (json === "$") return text;
  if (Array.isArray(json)) return json.map((item) => placed(item, text));
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(
    Object.entries(json).map(([key, value]) => [key === "$" ? text : key, placed(value, text)]),
  );
}

/** Returns the string at a place in printed JSON; undefined for zero values, which are not printed. */
function taken(json: unknown, place: unknown): unknown {
  if (place === "$") return json;
  if (typeof json !== "object" || json === null) return undefined;
  const [[key, below] = []] = Object.entries(place as object);
  if (key === undefined) return undefined;
  if (key === "$") return Object.keys(json)[0];
  return taken((json as Record<string, unknown>)[key], below);
}

type Result = { readonly json: unknown } | { readonly error: unknown };

/** Reads a request with a value at a place, alone or in a google.protobuf.Any. */
function readAt(place: unknown, text: string, isAny: boolean): Result {
  const json = placed(place, text) as Record<string, unknown>;
  const any = { "@type": "type.googleapis.com/rich.v1.Plain", ...json };
  return isAny ? read(AnySchema, JSON.stringify(any)) : read(PlainSchema, JSON.stringify(json));
}

function read(desc: DescMessage, text: string): Result {
  try {
    const options = { registry: TYPES, ignoreUnknownFields: true };
    return {
      json: toJson(desc, readJson(desc, text, options), {
        ...options,
        alwaysEmitImplicit: true,
      }),
    };
  } catch (error) {
    return { error };
  }
}

/**
 * Returns the possible names of the innermost field around the string; for a wrapper, protobuf-es reports the
 * wrapper's own field.
 */
function namesOf(place: unknown): string[] {
  const names = [...JSON.stringify(place).matchAll(/"(\w{2,})":/g)].map(([, name = ""]) => name);
  const name = names.filter((each) => each !== "true").at(-1) ?? "";
  const declared = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return [name, declared, ...(names[0] === "wrappers" ? ["value"] : [])];
}

/** Returns the text of the error, which has the code INVALID_ARGUMENT. */
function textOf(error: unknown): string {
  const { code, rawMessage } = ConnectError.from(error, Code.InvalidArgument);
  expect(code).toBe(Code.InvalidArgument);
  return rawMessage;
}

test.each(Object.entries(TEXT_TYPES))(
  "property: a string for %s is read with its value or rejected",
  (_, type) => {
    const mutation: fc.Arbitrary<Mutation> = fc.tuple(
      fc.constantFrom("insert", "delete", "replace", "case", "swap"),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(...type.pieces),
    );
    const text = fc
      .tuple(type.valid, fc.array(mutation, { maxLength: 3 }))
      .map(([valid, mutations]) => mutations.reduce(mutated, valid));
    const drawn = fc.tuple(text, fc.constantFrom(...type.places), fc.boolean());
    fc.assert(
      fc.property(drawn, ([given, place, isAny]) => {
        const result = readAt(place, given, isAny);
        if ("error" in result) {
          expect(textOf(result.error)).toMatch(new RegExp(`\\b(?:${namesOf(place).join("|")})\\b`));
          return;
        }
        const printed = String(taken(result.json, place) ?? "");
        expect(type.denotes(given)).toBeDefined();
        expect(type.denotes(printed)).toBe(type.denotes(given));
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(type.valid, fc.constantFrom(...type.places), fc.boolean(), (valid, place, isAny) => {
        expect(readAt(place, valid, isAny)).toHaveProperty("json");
      }),
    );
  },
);

const VALUE_PLACES = [
  { wellKnown: { value: "$" } },
  { wellKnown: { value: { a: ["$"] } } },
  { wellKnown: { struct: { a: "$" } } },
  { wellKnown: { list: [{ a: "$" }] } },
  { maps: { structs: { a: { a: "$" } } } },
  { choice: { value: "$" } },
];
/** The notations of a double that printers write. */
const PRINTED = [
  String,
  (value: number) => JSON.stringify(value),
  (value: number) => value.toExponential(),
  (value: number) => value.toPrecision(17),
  (value: number) => (Number.isInteger(value) ? String(BigInt(value)) : value.toPrecision(21)),
];
const DOUBLE = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(Number),
  fc.nat(1023).map((exponent) => 2 ** exponent),
);
/** Pairs of a number, in its exact or its shortest notation, and whether a double holds the number. */
const VALUE_NUMBER = fc.oneof(
  fc
    .tuple(DOUBLE, fc.constantFrom(...PRINTED))
    .map(([value, print]) => ({ text: print(value), isHeld: true })),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map((integer) => {
    const shortest = decimal(String(Number(integer)));
    const text = String(integer);
    return { text, isHeld: BigInt(Number(integer)) === integer || shortest === decimal(text) };
  }),
  fc
    .tuple(
      fc.integer({ min: 309, max: 1200 }),
      fc.constantFrom("", "-"),
      fc.constantFrom("1e", "9.5E+", "2000000000e", ""),
    )
    .map(([power, sign, start]) => ({
      text: sign + (start === "" ? `1${"0".repeat(power)}` : start + power),
      isHeld: false,
    })),
);

test("property: a google.protobuf.Value keeps each number that a double holds, and rejects other integers", () => {
  const drawn = fc.tuple(VALUE_NUMBER, fc.constantFrom(...VALUE_PLACES));
  fc.assert(
    fc.property(drawn, ([{ text, isHeld }, place]) => {
      const result = read(PlainSchema, JSON.stringify(place).replace('"$"', text));
      if ("error" in result) {
        expect([text, isHeld]).toEqual([text, false]);
        expect(textOf(result.error)).toMatch(/cannot hold .* send it as a string$/);
      } else {
        expect([text, isHeld]).toEqual([text, true]);
        expect(taken(result.json, place)).toBe(Number(text));
      }
    }),
    { numRuns: 3000 },
  );
});

const WRAPPERS = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];

test.each(WRAPPERS)("a google.protobuf.Any that contains a %sValue must not have the value null", (name) => {
  const any = `{"@type":"type.googleapis.com/google.protobuf.${name}Value","value":null}`;
  for (const text of [any, `{"@type":"type.googleapis.com/google.protobuf.Any","value":${any}}`]) {
    const result = read(AnySchema, text);
    expect("error" in result && textOf(result.error)).toContain(`google.protobuf.${name}Value`);
  }
});
