import { expect, test } from "vitest";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject } from "../../codec/src/json/json.ts";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import { type Entry, table } from "../../codec/src/table/message-table.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { decoded, methodReadBy, pieces, scanned } from "./both.ts";

/**
 * All offsets in two blocks, and a few more: the scanner reads strings in blocks of 32 bytes, and digits in
 * blocks of eight.
 */
const PLACES = Array.from({ length: 70 }, (_, place) => place);
const NOTES = [
  "é",
  "\\n",
  '\\"',
  "\\\\",
  "\\u0041",
  "\\ud83d\\ude00",
  "\\ud83d",
  "\\u00z",
  "\\x",
  "\n",
  "\u0000",
  "\\ ",
];
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const FILL = "The quick brown fox jumps over the lazy dog; sphinx of black quartz, judge my vow!";

function method(
  entries: readonly Entry[],
  write: (json: JsonObject, out: ProtoWriter) => void,
): UnaryAdapter {
  return methodReadBy(
    table("test.Message", () => entries),
    write,
  );
}

/** Returns the texts that the scanner reads, and checks that the decoder reads them in the same way. */
function readAlike(adapter: UnaryAdapter, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => {
    const body = Buffer.from(text);
    const found = scanned(adapter, body);
    if (found !== undefined) expect(found, text).toEqual(decoded(adapter, body));
    return found !== undefined;
  });
}

const texts = method([[1, "string", "text"], [2, { map: "string" }, "map"], { unknown: 9 }], (json, out) => {
  out.string(1, json.text, "text");
  out.map(2, json.map, "map", "string", (item, key, entry) => entry.string(2, item as string, key));
  out.unknown(9, json, new Set(["text", "map"]));
});

test.each(NOTES)(
  "the scanner reads %j like the decoder at every offset of strings, unknown values and keys",
  (note) => {
    const bodies = PLACES.flatMap((place) => {
      const text = `${FILL.slice(0, place)}${note}${FILL.slice(place, place + (place % 41))}`;
      return [
        `{"text":"${text}"}`,
        `{"text":"${text}${note}${text}"}`,
        `{"kept":"${text}${note}","text":"x"}`,
        `{"text":null,"kept":{"${text}":"${note}"}}`,
        `{"map":{"${text}":"a","b":"${text}"}}`,
        `{"${text}":1,"text":"x"}`,
      ];
    });
    const read = readAlike(texts, bodies);
    const isText = readAlike(texts, [`{"text":"${note}"}`]).length > 0;
    // The scanner reads every text, except invalid strings, and keys with characters that JSON always
    // escapes.
    const isKey = note === "é" || note === "\\u0041" || note === "\\ud83d\\ude00";
    // The decoder reads a lone surrogate, but the scanner reads no key with a lone surrogate.
    expect(read.length).toBe(isText ? (isKey ? 6 : note === "\\ud83d" ? 3 : 4) * PLACES.length : 0);
  },
);

test("the scanner finds keys of every length, and rejects keys that differ in one character or in length", () => {
  const keys = PLACES.slice(1).map((length) => FILL.slice(0, length));
  const write = (json: JsonObject, out: ProtoWriter) => {
    for (const [index, key] of keys.entries()) out.int32(index + 1, json[key], key);
    out.unknown(99, json, new Set(keys));
  };
  const entries: readonly Entry[] = [
    ...keys.map((key, index) => [index + 1, "int32", key] as const),
    { unknown: 99 },
  ];
  const adapter = method(entries, write);
  const bodies = keys.flatMap((key, length) => {
    const near = [...key].map(
      (character, at) => key.slice(0, at) + (character === "x" ? "y" : "x") + key.slice(at + 1),
    );
    return [`{"${key}":${length}}`, ...near.map((other) => `{"${other}":1,"${key}" : ${length}}`)];
  });
  bodies.push(`{${[...keys].reverse().map((key, index) => `"${key}":${index}`)}}`);
  expect(readAlike(adapter, bodies)).toEqual(bodies);
});

test("the scanner leaves keys with characters that JSON always escapes to the decoder", () => {
  const names = ['a"b', "a\\b", "a\\nb", "a\nb", "a\u0000", "a"];
  const table = new EnumTable(
    "Word",
    names.map((name, number) => [number, name]),
  );
  const entries: readonly Entry[] = [
    ...names.map((name, index) => [index + 1, "int32", name] as const),
    [9, table, "word"],
  ];
  const adapter = method(entries, (json, out) => {
    for (const [index, name] of names.entries()) out.int32(index + 1, json[name], name);
    out.enum(9, json.word, "word", table);
    out.unknownKeys(json, new Set([...names, "word"]));
  });
  const spelled = names.flatMap((name) => [JSON.stringify(name), `"${name}"`]);
  const read = readAlike(adapter, [
    ...spelled.map((name) => `{${name}:1}`),
    ...spelled.map((name) => `{"word":${name}}`),
  ]);
  const words = spelled.map((name) => `{"word":${name}}`).filter(isJson);
  expect(new Set(read)).toEqual(new Set(['{"a":1}', ...words]));
});

test("the scanner reads integers of every length like the decoder, whichever text follows them", () => {
  const digits = [
    "1234567890123456789012",
    "9999999999999999999999",
    "1844674407370955161599",
    "0000000000000000000000",
  ];
  const numbers = digits.flatMap((each) => PLACES.slice(1, 23).map((length) => each.slice(0, length)));
  const ends = ["", " ", "\n", ".0", ".5", "e1", "E0", "x", ":", "/"];
  for (const kind of ["int32", "uint32", "int64", "uint64", "sint64", "fixed64"] as const) {
    const adapter = method(
      [
        [1, kind, "n"],
        [2, { time: "millis" }, "t"],
      ],
      (json, out) => {
        out[kind](1, json.n, "n");
        out.time(2, json.t, "t", "millis");
        out.unknownKeys(json, new Set(["n", "t"]));
      },
    );
    const bodies = numbers.flatMap((number) =>
      ends.flatMap((end) => [
        `{"n":${number}${end}}`,
        `{"n":-${number}${end},"t":${number}}`,
        `{"n":"${number}${end}"}`,
      ]),
    );
    const read = readAlike(adapter, [...bodies, '{"n":7}', '{"n":-7,"t":7}']);
    expect(read).toContain('{"n":7}');
    expect(read.length).toBeGreaterThan(40);
  }
});

test.each(["}", "[", "x", " ,", '{"text":"y"}'])(
  "content after the JSON is detected even if a piece ends directly after the JSON: %s",
  (rest) => {
    for (const size of PLACES.slice(20)) {
      const frame = '{"text":""}';
      const body = Buffer.from(`{"text":"${"x".repeat(size - frame.length)}"}${rest}`);
      expect(atOnce(pieces(texts, body, size))).toBeUndefined();
    }
  },
);
