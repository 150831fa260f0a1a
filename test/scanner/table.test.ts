import { expect, test } from "vitest";
import { decodeListValue, decodeStruct, decodeValue } from "../../codec/src/decode/dynamic.ts";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import { hasEmptyParts, splitCommas, splitNumbers } from "../../codec/src/decode/read.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../codec/src/json/json.ts";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import type { ScalarKind } from "../../codec/src/table/kinds.ts";
import { type Kind, table } from "../../codec/src/table/message-table.ts";
import { ListValueTable, StructTable, ValueTable } from "../../codec/src/table/well-known.ts";
import { completeRules } from "../../runtime/src/adapter/default-rules.ts";
import { decoded, scanned } from "./both.ts";
import { method, type Write } from "./field.ts";
import { BLANKS, BROKEN, commaText, Dice, NUMBERS, ODD, STRINGS } from "./json-text.ts";

const COLOR = new EnumTable("Color", [
  [0, "NONE"],
  [1, "red", "RED"],
  [2, "blue", "42"],
  [-1, "minus"],
]);

function decodeInner(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.text, "text");
  out.unknown(9, json, new Set(["text"]));
}
const Inner = table("test.Inner", () => [[1, "string", "text"], { unknown: 9 }]);

/** Returns the decoder of JSON in a string. */
function asText(write: Write): Write {
  return (value, out) => {
    if (value === undefined || value === null) return;
    if (typeof value !== "string") out.coerce("key", "JSON as text", value);
    const json = typeof value === "string" ? out.jsonIn(value, "key") : value;
    if (json !== undefined) write(json, out);
  };
}

/** Returns the decoder of a list that may be a string. */
function inText(write: Write): Write {
  return (value, out) => {
    if (hasEmptyParts(value)) out.coerce("key", "a list without empty items", value);
    write(value, out);
  };
}

/** Returns the decoder of a list of messages, which accepts an object with a known key. */
function ofInner(write: Write): Write {
  return (value, out) => {
    if (isJsonObject(value) && Object.keys(value).length > 0 && !Object.hasOwn(value, "text")) {
      out.drop("key", "array", value);
    } else {
      write(value, out);
    }
  };
}

const SCALARS: readonly ScalarKind[] = [
  "string", "textBytes", "bytes", "bool", "double", "float", "int32", "sint32", "uint32", "fixed32", "sfixed32", "int64",
  "sint64", "uint64", "fixed64", "sfixed64",
]; // biome-ignore format: a table

/** Each kind of field, for the table and for the hand-written decoder. */
const KINDS: ReadonlyArray<readonly [name: string, kind: Kind, write: Write]> = [
  ...SCALARS.flatMap((kind): Array<readonly [string, Kind, Write]> => {
    return [
      [kind, kind, (value, out) => out[kind](7, value, "key")],
      [`list of ${kind}`, { list: kind }, (value, out) => out.list(7, value, "key", kind)],
      [`wrapper of ${kind}`, { wrapper: kind }, (value, out) => out.wrapper(7, value, "key", kind)],
      [
        `map of ${kind}`,
        { map: kind },
        (value, out) =>
          out.map(7, value, "key", "string", (item, key, entry) => entry[kind](2, item as JsonValue, key)),
      ],
    ];
  }),
  ...SCALARS.filter((kind) => kind !== "bytes" && kind !== "textBytes").map(
    (kind): readonly [string, Kind, Write] => {
      const split = kind === "string" ? splitCommas : splitNumbers;
      return [
        `text of ${kind}`,
        { list: kind, commas: true },
        inText((value, out) => out.list(7, split(value), "key", kind)),
      ];
    },
  ),
  [
    "text of enum",
    { list: COLOR, commas: true },
    inText((value, out) => out.enums(7, splitCommas(value), "key", COLOR)),
  ],
  [
    "loose text of int32",
    { loose: { list: "int32", commas: true } },
    (value, out) =>
      inText((text) => out.list(7, splitNumbers(text), "key", "int32"))(value, out.loosely("key")),
  ],
  [
    "unwrapped text",
    { unwrap: [1, { list: "string", commas: true }] },
    (value, out) =>
      out.wrapped(7, value, "key", (items, inner) => {
        if (hasEmptyParts(items)) inner.coerce("", "a list without empty items", items);
        inner.list(1, splitCommas(items), "", "string");
      }),
  ],
  ["enum", COLOR, (value, out) => out.enum(7, value, "key", COLOR)],
  ["list of enum", { list: COLOR }, (value, out) => out.enums(7, value, "key", COLOR)],
  ...(["seconds", "millis", "micros", "nanos", "iso8601", "http_date"] as const).map(
    (time): readonly [string, Kind, Write] => [
      time,
      { time },
      (value, out) => out.time(7, value, "key", time),
    ],
  ),
  ["time or 0", { time: "seconds", none: "0" }, (value, out) => out.time(7, value, "key", "seconds", "0")],
  ["date or x", { time: "iso8601", none: "x" }, (value, out) => out.time(7, value, "key", "iso8601", "x")],
  ["message", Inner, (value, out) => out.message(7, value, "key", decodeInner)],
  [
    "loose message",
    { loose: Inner },
    (value, out) => out.loosely("key").message(7, value, "key", decodeInner),
  ],
  ["messages", { list: Inner }, ofInner((value, out) => out.messages(7, value, "key", decodeInner))],
  [
    "loose messages",
    { loose: { list: Inner } },
    ofInner((value, out) => out.loosely("key").messages(7, value, "key", decodeInner)),
  ],
  ["loose int32", { loose: "int32" }, (value, out) => out.loosely("key").int32(7, value, "key")],
  ["JSON as text: int64", { jsonText: "int64" }, asText((value, out) => out.int64(7, value, "key"))],
  [
    "JSON as text: messages",
    { jsonText: { list: Inner } },
    asText(ofInner((value, out) => out.messages(7, value, "key", decodeInner))),
  ],
  [
    "JSON as text: value",
    { jsonText: ValueTable },
    asText((value, out) => out.nullable(7, value, "key", decodeValue)),
  ],
  ["struct", StructTable, (value, out) => out.message(7, value, "key", decodeStruct)],
  ["value", ValueTable, (value, out) => out.nullable(7, value, "key", decodeValue)],
  ["list value", ListValueTable, (value, out) => out.wrapped(7, value, "key", decodeListValue)],
  [
    "unwrapped list",
    { unwrap: [1, { list: "string" }] },
    (value, out) => out.wrapped(7, value, "key", (items, inner) => inner.list(1, items, "", "string")),
  ],
];

const LONG = [
  `"${"0123456789".repeat(1000)}"`,
  `"${'\\"'.repeat(300)}"`,
  `${"[".repeat(99)}${"]".repeat(99)}`,
];
const DEEP = [`${"[".repeat(600)}${"]".repeat(600)}`, `${'{"a":'.repeat(120)}1${"}".repeat(120)}`];
const TEXTS = [
  '"x"',
  '"red"',
  '"RED"',
  '"blue"',
  '"minus"',
  "2",
  '{"text":"a","b":1}',
  '[{"text":"a"},{}]',
  '["x","y"]',
];
const TOKENS = [...STRINGS, ...NUMBERS, ...ODD, ...BROKEN, ...LONG, ...DEEP, ...TEXTS];

const PLACES: readonly ((token: string) => string)[] = [
  (token) => `{"key":${token}}`,
  (token) => ` { "zz" : 1 , "other" : ${token} } `,
  (token) => `{"other":1,"key":${token}}`,
  (token) => `{"key":${token},"key":null}`,
  (token) => `{"key":[${token}]}`,
  (token) => `{"key":{"k":${token}}}`,
  (token) => `{"zz":${token},"key":null,"other":null}`,
  (token) => `{"zz":[{"a":${token}}]}`,
];

test.each(KINDS)(
  "for a %s, the scanner gives the decoder's result or falls back to the decoder",
  (_, kind, write) => {
    const adapter = method(kind, write);
    for (const token of TOKENS) {
      for (const place of PLACES) {
        const body = Buffer.from(place(token));
        const found = scanned(adapter, body);
        if (found !== undefined) expect(found, body.toString()).toEqual(decoded(adapter, body));
      }
    }
  },
);

const SPLIT = KINDS.filter(([name]) => name.includes("text of") || name === "unwrapped text");

test.each(SPLIT)(
  "for any string as a %s, the scanner gives the decoder's result or falls back to the decoder",
  (_, kind, write) => {
    const adapter = method(kind, write);
    const inner = typeof kind === "object" && "loose" in kind ? kind.loose : kind;
    const list = typeof inner === "object" && "list" in inner ? inner.list : "string";
    const dice = new Dice(1);
    const texts = [
      ...BLANKS.map((blank) => `"${blank}1${blank},${blank}"`),
      '","',
      '",,1, ,"',
      '"a,b',
      '"1,2"x',
    ];
    let read = 0;
    for (const text of [...texts, ...Array.from({ length: 1000 }, () => commaText(list, dice))]) {
      const body = Buffer.from(`{"key":${text},"other":[1]}`);
      const found = scanned(adapter, body);
      if (found === undefined) continue;
      read++;
      expect(found, body.toString()).toEqual(decoded(adapter, body));
    }
    expect(read).toBeGreaterThan(250);
  },
);

test.each([",", "a,,b", " ,a", "a, "])("a list string with an empty item is reported: %j", (text) => {
  const adapter = method({ list: "string", commas: true }, (value, out) => {
    out.coerce("key", "a list without empty items", value);
    out.list(7, splitCommas(value), "key", "string");
  });
  const body = Buffer.from(JSON.stringify({ key: text }));
  expect(scanned(adapter, body)).toEqual(decoded(adapter, body));
  expect(decoded(adapter, body).differences.list).toMatchObject([{ class: "converted", path: "key" }]);
});

test("a list string with too many items for the scanner's memory is left to the decoder", () => {
  const adapter = method({ list: "string", commas: true }, (value, out) =>
    out.list(7, splitCommas(value), "key", "string"),
  );
  for (const count of [100, 1000, 3000, 30_000, 130_000]) {
    const body = Buffer.from(`{"key":"${"a,".repeat(count)}a"}`);
    const found = scanned(adapter, body);
    if (found !== undefined) expect(found.message).toBe(decoded(adapter, body).message);
    expect(found !== undefined, `${count}`).toBe(true);
  }
});

test("bytes of an earlier, longer string do not become part of a number in the next string", () => {
  const adapter = method({ list: "int32", commas: true }, (value, out) =>
    out.list(7, splitNumbers(value), "key", "int32"),
  );
  const body = Buffer.from('{"other":"1234567,7654321","key":"12"}');
  expect(scanned(adapter, Buffer.from('{"key":"1234567,7654321"}'))).toBeDefined();
  expect(scanned(adapter, Buffer.from('{"key":"12"}'))).toEqual(
    decoded(adapter, Buffer.from('{"key":"12"}')),
  );
  expect(scanned(adapter, body)).toEqual(decoded(adapter, body));
});

const DATES = [
  "2025-11-01",
  "2024-02-29",
  "2023-02-29",
  "0001-01-01",
  "9999-12-31",
  "2025-13-01",
  "25-11-01",
];
const SEPARATORS = ["T", " ", "t", "", "_", "  ", "\\u0054", "\u0014"];
const CLOCKS = [
  "11:00:00",
  "23:59:59.5",
  "00:00:00.123456789",
  "11:00",
  "24:00:00",
  "11:00:00,5",
  "11:00:60",
];
const ZONES = [
  "Z", "", "z", "+01:00", "-0530", " +0000", " GMT", "UTC", " ", "  Z", "gmt", "UT", "+01", "+24:00", "+23:59", "-0:30", "+01:0", "+01:60",
  "+01000", "\\u005a", "Zx", "+0100:", "\ufeff", "\t", "GMT+1",
]; // biome-ignore format: a table

test("for times in any notation, the scanner gives the decoder's result or falls back to the decoder", () => {
  const adapter = method({ time: "iso8601" }, (value, out) => out.time(7, value, "key", "iso8601"));
  let read = 0;
  for (const date of DATES) {
    for (const separator of SEPARATORS) {
      for (const [index, zone] of CLOCKS.flatMap((clock) => ZONES.map((each) => clock + each)).entries()) {
        const body = Buffer.from(`{"key":"${index % 9 === 8 ? " " : ""}${date}${separator}${zone}"}`);
        const found = scanned(adapter, body);
        if (found === undefined) continue;
        read++;
        expect(found, body.toString()).toEqual(decoded(adapter, body));
      }
    }
  }
  expect(read).toBeGreaterThan(250);
});

/** Values that the scanner must read itself. A scanner that left these to the decoder would be useless. */
const USUAL: ReadonlyArray<readonly [kind: string, ...tokens: string[]]> = [
  ["string", ...STRINGS],
  ["bool", "true", "false"],
  ["int32", "0", "-1", "2147483647", "-2147483648"],
  ["sint32", "-1", "2147483647"],
  ["uint32", "4294967295"],
  ["fixed32", "4294967295"],
  ["int64", "9223372036854775807", '"-9223372036854775808"', "735000000000051460"],
  ["sint64", "-9223372036854775808"],
  ["uint64", "18446744073709551615", '"18446744073709551615"'],
  ["fixed64", "18446744073709551615"],
  ["int32", "12.0", "-2147483648.00", "0.0"],
  ["uint32", "4294967295.0"],
  ["int64", "12.0", '"12.0"', "9223372036854775807.0", "-9223372036854775808.00"],
  ["uint64", "18446744073709551615.0"],
  [
    "bytes",
    '""',
    '"AAEC"',
    '"AAECAw=="',
    '"AAECAw"',
    '"-_-_"',
    '"+\\/+\\/"',
    '"AAEC\\r\\nAwQF\\n"',
    '"AA\\u003d\\u003d"',
  ],
  ["list of bytes", "[]", '["AAEC",""]'],
  ["map of bytes", '{"a":"AAEC","b":""}'],
  ["wrapper of bytes", '"AAEC"', '""'],
  ["double", "1.5", "0.1", "1e4", "0.30000000000000004", "123456789.123456789"],
  ["float", "1.5", "-0.25"],
  ["enum", '"red"', '"RED"', '"42"', "42"],
  ["seconds", "1761994800", '"1761994800"', "-62135596800"],
  ["millis", "1761994800123", "-1"],
  [
    "iso8601",
    '"2025-11-01T11:00:00Z"',
    '"2025-11-01T11:00:00.123456789+02:30"',
    '"0001-01-01T00:00:00Z"',
    '"2025-11-01 11:00:00Z"',
    '"2025-11-01T11:00:00.000+0000"',
    '"2025-11-01 11:00:00 GMT"',
  ],
  ["time or 0", "0", '"0"'],
  ["message", '{"text":"a","b":[1.10,{"c":"\\/"}]}'],
  ["loose message", "[]", '[{"text":"a"}]'],
  ["loose messages", "{}", '{"text":"a"}'],
  ["struct", '{"a":[1,null,{"b":"c"}]}'],
  ["value", "null", "1.5", '"x"', "[true,false]"],
  ["value", "1e300", "1e21", "1E16", "1.7976931348623157e+308", "9007199254740993.0"],
  ["list value", '[1,"a"]'],
  ["unwrapped list", '["a","b"]'],
  ["map of string", '{"a":"b","c":"d"}'],
  ["wrapper of int32", "5"],
  [
    "text of string",
    '""',
    '"a"',
    '"a,b"',
    '" a , b "',
    '"caf\\u00e9,\\/x"',
    '"ばら,\u3000桜\u3000"',
    '["a","b"]',
    "[]",
  ],
  ["text of int32", '"1,-2, 3"', "[1,2]"],
  ["text of int64", '"735000000000051460,1"', '["1",2]'],
  ["text of bool", '"true, false"'],
  ["text of double", '"52.5,13.4"', "[52.5]"],
  ["text of enum", '"red, blue,42"', '["red"]'],
  ["loose text of int32", '"1,2"', "{}"],
  ["unwrapped text", '"a,b"', '""'],
];

test.each(USUAL)("the scanner reads an ordinary %s", (name, ...tokens) => {
  const [, kind, write] = KINDS.find(([each]) => each === name) ?? [];
  if (kind === undefined || write === undefined) throw new Error(`no kind ${name}`);
  const adapter = method(kind, write);
  for (const token of tokens) {
    const body = Buffer.from(`{"other":${token}}`);
    expect(scanned(adapter, body), body.toString()).toEqual(decoded(adapter, body));
  }
});

test("the scanner validates values next to the payload without keeping them", () => {
  const plain = method("string", (value, out) => out.string(7, value, "key"));
  const envelope = { payload: ["data"], status: "meta.status" };
  const adapter = { ...plain, rules: completeRules({ upstream: "api", envelope }) };
  let read = 0;
  for (const token of TOKENS) {
    for (const text of [
      `{"beside":${token},"data":{"key":"x"}}`,
      `{"data":{"key":"x"},"beside":{"a":[${token}]}}`,
      `{"meta":${token},"data":{"key":"x"}}`,
      `{"meta":{"status":${token}},"data":{"key":"x"}}`,
      `{"meta":{"status":200},"data":${token}}`,
      `{"meta":{"status":200},"data":{"key":"x"}}${token}`,
      `${token}{"data":{"key":"x"}}`,
    ]) {
      const body = Buffer.from(text);
      const found = scanned(adapter, body);
      if (found === undefined) continue;
      read++;
      expect(found, text).toEqual(decoded(adapter, body));
    }
  }
  expect(read).toBeGreaterThan(TOKENS.length);
});

test.each([
  [["data", "other"], "object"],
  [["data", ""], "object"],
  [["data.inner", "data"], "object"],
  [["data", "data.inner"], undefined],
  [["", "data"], "object"],
] as const)(
  "the scanner and the decoder use the same one of the payload paths %j",
  (payload, payloadType) => {
    const plain = method("string", (value, out) => out.string(7, value, "key"));
    const envelope = { payload };
    const adapter = {
      ...plain,
      rules: completeRules({ upstream: "api", envelope, ...(payloadType && { payloadType }) }),
    };
    let read = 0;
    for (const token of [
      ...TOKENS,
      '{"key":"x"}',
      '{"inner":{"key":"y"},"key":"x"}',
      '{"inner":{"key":"y"}}',
    ]) {
      for (const text of [
        `{"data":${token},"other":{"key":"o"}}`,
        `{"other":${token},"data":{"key":"x"}}`,
        `{"data":{"inner":${token},"key":"z"}}`,
        `{"other":${token}}`,
        token,
      ]) {
        const body = Buffer.from(text);
        const found = scanned(adapter, body);
        if (found === undefined) continue;
        read++;
        expect(found, text).toEqual(decoded(adapter, body));
      }
    }
    expect(read).toBeGreaterThan(0);
  },
);

test("the scanner and the decoder enforce the cost limit at the same cost", () => {
  const adapter = method({ list: Inner }, (value, out) => out.messages(7, value, "key", decodeInner));
  const body = Buffer.from(`{"key":[${"{},".repeat(2000)}{}]}`);
  const limit = 8 + 1 + 3 + 2001 * 8;
  expect(scanned(adapter, body, limit)).toEqual(decoded(adapter, body, limit));
  expect(scanned(adapter, body, limit - 1)).toBeUndefined();
  expect(decoded(adapter, body, limit - 1).message).toContain("maxResponseCost");
});

test("the scanner leaves text that is not UTF-8 to the decoder", () => {
  const adapter = method("string", (value, out) => out.string(7, value, "key"));
  expect(scanned(adapter, Buffer.from('{"key":"\xe9"}', "latin1"))).toBeUndefined();
});
