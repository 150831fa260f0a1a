import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { parseJson, parseJsonExactly, parseJsonVerbatim } from "../json/parse-json.ts";
import { EnumTable } from "../table/enum-table.ts";
import { difference, numberOf, SCALAR_KINDS, type Written, written } from "../testing/kinds.ts";
import { decodeListValue, decodeStruct, decodeValue } from "./dynamic.ts";
import { ProtoWriter } from "./proto-writer.ts";
import { JsonTooDeep } from "./shape-writer.ts";

const KEYS: ReadonlySet<string> = new Set(["string", "int32", "self", "selves"]);

/** A decoder for a message with four fields, in the form that a generator would write. */
function decode(json: JsonObject, out: ProtoWriter): void {
  out.string(numberOf("string"), json.string, "string");
  out.int32(numberOf("int32"), json.int32, "int32");
  out.message(numberOf("self"), json.self, "self", decode);
  out.messages(numberOf("selves"), json.selves, "selves", decode);
  out.unknownKeys(json, KEYS);
}

function root(json: JsonValue | undefined): Written {
  return written((out) => out.root(json, decode));
}

test("a message field reads an object; null and an absent key leave it unset", () => {
  expect(root({ self: { string: "a" } })).toEqual({
    json: { self: { string: "a" } },
    differences: [],
    inexact: false,
  });
  expect(root({ self: null }).json).toEqual({});
  expect(root({}).json).toEqual({});
  expect(root(undefined)).toEqual({ json: {}, differences: [], inexact: false });
  expect(root(null)).toEqual({ json: {}, differences: [], inexact: false });
});

test.each<[JsonValue, JsonValue, ReturnType<typeof difference>]>([
  [[], { self: {} }, difference("converted", "self", "object", "array")],
  [[{ int32: 1 }], { self: { int32: 1 } }, difference("converted", "self", "object", "array")],
  [[{ int32: 1 }, {}], { self: { int32: 1 } }, difference("lost", "self", "object", "array")],
  [[1], {}, difference("lost", "self", "object", "array")],
  [[[]], {}, difference("lost", "self", "object", "array")],
  [false, {}, difference("converted", "self", "object", "boolean false")],
  ["", {}, difference("converted", "self", "object", 'string ""')],
  [true, {}, difference("lost", "self", "object", "boolean true")],
  [5, {}, difference("lost", "self", "object", "number 5")],
  ["x", {}, difference("lost", "self", "object", 'string "x"')],
])("a message field converts or drops the value %j, and reports it", (value, json, expected) => {
  expect(root({ self: value })).toEqual({ json, differences: [expected], inexact: false });
});

test("reports name the root of a message", () => {
  expect(() => root("x")).toThrow("expected an object");
  expect(() => root([{ int32: 1 }])).toThrow("expected an object");
  expect(root([]).differences).toEqual([difference("converted", "(root)", "object", "array")]);
});

test("reports name the path of a nested value", () => {
  const json = { self: { selves: [{}, { self: { int32: "x", more: [1] } }] } };
  expect(root(json).differences).toEqual([
    difference("lost", "self.selves[1].self.int32", "int32", 'string "x"'),
    difference("additional", "self.selves[1].self.more", "no such key", "array"),
  ]);
});

test.each([0, 1, 125, 126, 127, 128, 129, 16_381, 16_382, 16_383, 16_384, 16_385, 2_097_160])(
  "a message field holds a string of %i characters, for any size reserved for its length",
  (length) => {
    const text = "x".repeat(length);
    const json = { self: { string: text, self: { string: "y" }, selves: [{}, { string: text }, {}] } };
    expect(root(json)).toEqual({ json, differences: [], inexact: false });
  },
);

test.each<[JsonValue, JsonValue, ReturnType<typeof difference>[]]>([
  [[], {}, []],
  [[{}, { int32: 1 }], { selves: [{}, { int32: 1 }] }, []],
  [{ int32: 1 }, { selves: [{ int32: 1 }] }, [difference("converted", "selves", "array", "object")]],
  [{}, {}, [difference("converted", "selves", "array", "object")]],
  [false, {}, [difference("converted", "selves", "array", "boolean false")]],
  ["", {}, [difference("converted", "selves", "array", 'string ""')]],
  [
    [null, {}, 5],
    { selves: [{}] },
    [
      difference("lost", "selves[0]", "object", "null"),
      difference("lost", "selves[2]", "object", "number 5"),
    ],
  ],
  [
    7,
    {},
    [
      difference("converted", "selves", "array", "number 7"),
      difference("lost", "selves[0]", "object", "number 7"),
    ],
  ],
])("a list of messages converts or drops the value %j, and reports it", (value, json, differences) => {
  expect(root({ selves: value })).toEqual({ json, differences, inexact: false });
});

test("each message of a list is written as a separate message, with its index in reports", () => {
  const out = new ProtoWriter();
  out.reset();
  out.string(1, "lost", "k");
  expect(
    out.item({ int32: 5 }, "items", 0, {
      from: "object",
      decode: (json, to) => to.int32(1, json.int32, "int32"),
    }),
  ).toEqual(Uint8Array.of(8, 5));
  expect(out.item(5, "items", 1, { from: "object", decode })).toBeUndefined();
  expect(out.item({ x: 1 }, "items", 2, { from: "object", decode })).toEqual(new Uint8Array());
  expect(out.differences).toEqual([
    difference("lost", "items[1]", "object", "number 5"),
    difference("additional", "items[2].x", "no such key", "number 1"),
  ]);
});

const list = (kind: (typeof SCALAR_KINDS)[number], value: JsonValue) =>
  written((out) => out.list(numberOf(`${kind}_list`), value, "k", kind));

test("a list of scalars reads each item", () => {
  expect(list("int32", [1, -1, 0])).toEqual({
    json: { int32_list: [1, -1, 0] },
    differences: [],
    inexact: false,
  });
  expect(list("string", []).json).toEqual({});
  expect(list("string", null)).toEqual({ json: {}, differences: [], inexact: false });
});

test("a list of scalars reads a single value as one item", () => {
  expect(list("string", "a")).toEqual({
    json: { string_list: ["a"] },
    differences: [difference("converted", "k", "array", 'string "a"')],
    inexact: false,
  });
  expect(list("string", false).json).toEqual({});
});

test("a list of scalars reports the items that it drops, including null", () => {
  expect(list("int32", [1, null, "x", 2])).toEqual({
    json: { int32_list: [1, 2] },
    differences: [
      difference("lost", "k[1]", "int32", "null"),
      difference("lost", "k[2]", "int32", 'string "x"'),
    ],
    inexact: false,
  });
});

test("a list of enums reads the items by name", () => {
  const table = new EnumTable("test.Mood", [
    [0, "NONE"],
    [1, "good"],
  ]);
  const result = written((out) => out.enums(numberOf("int32_list"), ["good", "odd", null, 1], "k", table));
  expect(result).toEqual({
    json: { int32_list: [1, 1] },
    differences: [
      difference("lost", "k[1]", "one of test.Mood", 'string "odd"'),
      difference("lost", "k[2]", "one of test.Mood", "null"),
    ],
    inexact: false,
  });
});

test("a list with a custom item writer reads any item, and reports null", () => {
  const result = written((out) =>
    out.each([1, null, 3], "k", (item, to) => to.int32(numberOf("int32_list"), item, "")),
  );
  expect(result).toEqual({
    json: { int32_list: [1, 3] },
    differences: [difference("lost", "k[1]", "an item", "null")],
    inexact: false,
  });
});

const wrapper = (value: JsonValue) => written((out) => out.wrapper(numberOf("wrapper"), value, "k", "int64"));

test("a wrapper reads the bare value, and distinguishes zero from absence", () => {
  expect(wrapper(0).json).toEqual({ wrapper: "0" });
  expect(wrapper("5").json).toEqual({ wrapper: "5" });
  expect(wrapper(null)).toEqual({ json: {}, differences: [], inexact: false });
  const empty = written((out) => out.wrapper(numberOf("text"), "", "k", "string"));
  expect(empty.json).toEqual({ text: "" });
  const long = "x".repeat(300);
  expect(written((out) => out.wrapper(numberOf("text"), long, "k", "string")).json).toEqual({ text: long });
});

test("a wrapper is absent, not zero, if its value is invalid", () => {
  expect(wrapper("x")).toEqual({
    json: {},
    differences: [difference("lost", "k", "int64", 'string "x"')],
    inexact: false,
  });
  expect(wrapper({}).json).toEqual({});
  expect(wrapper(2 ** 60)).toEqual({ json: {}, differences: [], inexact: true });
});

const strings = (value: JsonValue) =>
  written((out) =>
    out.map(numberOf("strings"), value, "k", "string", (item, key, to) => to.string(2, item, key)),
  );
const numbers = (value: JsonValue) =>
  written((out) =>
    out.map(numberOf("numbers"), value, "k", "int32", (item, key, to) => to.uint64(2, item, key)),
  );
const flags = (value: JsonValue) =>
  written((out) => out.map(numberOf("flags"), value, "k", "bool", (item, key, to) => to.bool(2, item, key)));

test("a map is read from an object, with keys of any type", () => {
  expect(strings({ a: "x", "": "", constructor: "y" })).toEqual({
    json: { strings: { a: "x", "": "", constructor: "y" } },
    differences: [],
    inexact: false,
  });
  expect(numbers({ "-5": 0, "7": "700000000000000001" })).toEqual({
    json: { numbers: { "-5": "0", "7": "700000000000000001" } },
    differences: [],
    inexact: false,
  });
  expect(flags({ true: true, false: false })).toEqual({
    json: { flags: { true: true, false: false } },
    differences: [],
    inexact: false,
  });
});

test("a map keeps values of every length", () => {
  const json = Object.fromEntries([0, 1, 120, 127, 128, 200, 17_000].map((n) => [`k${n}`, "x".repeat(n)]));
  expect(strings(json).json).toEqual({ strings: json });
});

test("a map reads an empty array as empty, and false as absent", () => {
  expect(strings([])).toEqual({
    json: {},
    differences: [difference("converted", "k", "object", "array")],
    inexact: false,
  });
  expect(strings(false).differences).toEqual([difference("converted", "k", "object", "boolean false")]);
  expect(strings(null)).toEqual({ json: {}, differences: [], inexact: false });
});

test("a map drops an entry with an invalid key", () => {
  expect(numbers({ a: 1, "1.5": 2, "99999999999": 3, "": 4, "6": 5 })).toEqual({
    json: { numbers: { "6": "5" } },
    differences: [
      difference("lost", "k.a", "key of type int32", 'string "a"'),
      difference("lost", 'k["1.5"]', "key of type int32", 'string "1.5"'),
      difference("lost", "k.99999999999", "int32", "number 99999999999"),
      difference("lost", 'k[""]', "key of type int32", 'string ""'),
    ],
    inexact: false,
  });
  expect(flags({ yes: true }).differences).toEqual([
    difference("lost", "k.yes", "key of type bool", 'string "yes"'),
  ]);
});

test("a map drops an entry whose value is invalid or null", () => {
  expect(numbers({ "1": "x", "2": null, "3": 3 })).toEqual({
    json: { numbers: { "3": "3" } },
    differences: [
      difference("lost", "k.1", "uint64", 'string "x"'),
      difference("lost", "k.2", "a value", "null"),
    ],
    inexact: false,
  });
});

test.each<[kind: (typeof SCALAR_KINDS)[number], item: JsonValue]>([
  ["string", false],
  ["int32", ""],
  ["uint64", ""],
  ["double", ""],
  ["bytes", 5],
  ["bool", "perhaps"],
])("a dropped item of a list or map of %s is lost, not only converted: %j", (kind, item) => {
  expect(list(kind, [item]).differences).toEqual([
    difference("lost", "k[0]", expect.any(String), expect.any(String)),
  ]);
  const { differences } = written((out) =>
    out.map(1, { a: item }, "k", "string", (value, key, to) => to[kind](2, value, key)),
  );
  expect(differences).toEqual([difference("lost", "k.a", expect.any(String), expect.any(String))]);
});

test("a list of booleans reads a single false as its only item", () => {
  expect(list("bool", false)).toEqual({
    json: { bool_list: [false] },
    differences: [difference("converted", "k", "array", "boolean false")],
    inexact: false,
  });
});

test("a list of times reports an item as lost if its value means no time", () => {
  const { differences } = written((out) =>
    out.each([0, 5], "k", (item, to) => to.time(numberOf("time"), item, "", "seconds", "0")),
  );
  expect(differences).toEqual([difference("lost", "k[0]", "an item", "number 0")]);
});

test("property: every list item and every map entry is either in the message or reported as lost", () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>,
    fc.constantFrom<JsonValue>("", false, null, 0, "0", "1.5", "true", "x", 1e300, [], {}, "AAAA"),
  );
  const lost = ({ differences }: Written) => differences.filter((each) => each.class === "lost").length;
  fc.assert(
    fc.property(fc.constantFrom(...SCALAR_KINDS), fc.array(value, { maxLength: 6 }), (kind, items) => {
      const read = list(kind, items);
      const [kept = []] = Object.values(read.json as Record<string, unknown[]>);
      expect(kept.length + lost(read)).toBe(items.length);
      let entries = 0;
      const entry = (out: ProtoWriter, item: JsonValue | undefined, key: string) => {
        const before = out.length;
        out[kind](2, item, key);
        if (out.length > before) entries++;
      };
      const object = Object.fromEntries(items.map((item, index) => [`k${index}`, item]));
      const map = written((out) =>
        out.map(900, object, "k", "string", (item, key, to) => entry(to, item, key)),
      );
      expect(entries + lost(map)).toBe(items.length);
    }),
    { numRuns: 500 },
  );
});

test("if two keys of an object represent the same map key, the first counts and the other is lost", () => {
  expect(numbers({ "1": 1, "1.0": 2, "-1": 3, "-1e0": 4 })).toEqual({
    json: { numbers: { "1": "1", "-1": "3" } },
    differences: [
      difference("lost", 'k["1.0"]', "a key that comes once", 'string "1.0"'),
      difference("lost", "k.-1e0", "a key that comes once", 'string "-1e0"'),
    ],
    inexact: false,
  });
  expect(numbers({ "1": "x", "1.0": 2 }).json).toEqual({ numbers: { "1": "2" } });
  const strings = written((out) =>
    out.map(
      numberOf("strings"),
      { "\ud800": "a", "\udfff": "b", "\ufffd": "c" },
      "k",
      "string",
      (value, key, to) => to.string(2, value, key),
    ),
  );
  expect(strings.json).toEqual({ strings: { "\ufffd": "a" } });
  expect(strings.differences.map((each) => each.class)).toEqual(["lost", "lost", "lost"]);
});

test("property: the entries in a map and the lost entries add up to the entries received", () => {
  const number = fc.integer({ min: -3, max: 3 });
  const spelling = fc
    .tuple(number, fc.constantFrom("", ".0", "e0", "."))
    .map(([key, tail]) => `${key}${tail}`);
  fc.assert(
    fc.property(fc.dictionary(spelling, fc.constantFrom<JsonValue>(1, null, "", "x")), (object) => {
      const { json, differences } = numbers(object);
      const kept = Object.keys((json as { numbers?: object }).numbers ?? {}).length;
      expect(kept + differences.filter((each) => each.class === "lost").length).toBe(
        Object.keys(object).length,
      );
    }),
  );
});

test("a ListValue reads any non-array value as a list of one item, and null as an empty list", () => {
  const values = (json: JsonValue) =>
    written((out) => out.nullable(numberOf("values"), json, "k", decodeListValue));
  expect(values("a")).toEqual({
    json: { values: ["a"] },
    differences: [difference("converted", "k", "array", 'string "a"')],
    inexact: false,
  });
  expect(values({ a: 1 }).differences).toEqual([difference("converted", "k", "array", "object")]);
  expect(values(null)).toEqual({ json: { values: [] }, differences: [], inexact: false });
});

test("a map reads __proto__ like any other key", () => {
  const out = new ProtoWriter();
  const json = JSON.parse('{"__proto__":"x"}') as JsonObject;
  out.map(1, json, "k", "string", (item, key, to) => to.string(2, item, key));
  expect(Buffer.from(out.finish()).includes("__proto__")).toBe(true);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});

const raws = numberOf("strings");
const collected = (json: JsonValue, exact = false) =>
  written((out) => out.root(json, (object, to) => to.unknown(raws, object, new Set(["known"]))), exact);

test("unknown keys are reported if the message does not collect them", () => {
  expect(root({ x: 1, y: null, string: "s" })).toEqual({
    json: { string: "s" },
    differences: [
      difference("additional", "x", "no such key", "number 1"),
      difference("additional", "y", "no such key", "null"),
    ],
    inexact: false,
  });
});

test("unknown keys are collected as raw JSON without a report", () => {
  const json = { known: 1, a: "x\n\u2028", b: [1, { c: null }], d: false, e: null, f: 0.1 };
  expect(collected(json)).toEqual({
    json: {
      strings: { a: JSON.stringify(json.a), b: '[1,{"c":null}]', d: "false", e: "null", f: "0.1" },
    },
    differences: [],
    inexact: false,
  });
});

test("unknown keys are collected exactly after a second parse, including integers beyond 2^53", () => {
  const text = '{"id":700000000000000001,"deep":[{"id":-700000000000000003}],"huge":1e400}';
  expect(collected(parseJson(text) ?? null).inexact).toBe(true);
  const second = collected(parseJsonExactly(text) ?? null, true);
  expect(second.differences).toEqual([]);
  expect(second.json).toEqual({
    strings: {
      id: "700000000000000001",
      deep: '[{"id":-700000000000000003}]',
      huge: `1${"0".repeat(400)}`,
    },
  });
});

test("unknown keys do not request an exact parse if no number was rounded", () => {
  expect(collected({ a: "1234567890123456789", b: 1e15, c: null, d: "e+" }).inexact).toBe(false);
});

test("unknown keys are collected as a google.protobuf.Struct", () => {
  const result = written((out) =>
    out.root({ known: 1, a: [1, "x"], big: 2n ** 60n + 1n }, (json, to) =>
      to.unknownStruct(numberOf("struct"), json, new Set(["known"]), decodeStruct),
    ),
  );
  expect(result.json).toEqual({ struct: { a: [1, "x"], big: "1152921504606846977" } });
  const none = written((out) =>
    out.root({ known: 1 }, (json, to) =>
      to.unknownStruct(numberOf("struct"), json, new Set(["known"]), decodeStruct),
    ),
  );
  expect(none.json).toEqual({});
});

test("unknown keys keep values of any depth", () => {
  let deep: JsonValue = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];
  const result = collected({ a: deep, b: 1 });
  const text = `${"[".repeat(100_000)}1${"]".repeat(100_000)}`;
  expect(result.json).toEqual({ strings: { a: text, b: "1" } });
  expect(result.differences).toEqual([]);
});

const HOLDER: ReadonlySet<string> = new Set(["type", "id"]);
const INNER: ReadonlySet<string> = new Set(["text", "sub"]);
const collector = numberOf("strings");

const inner = (json: JsonObject, out: ProtoWriter): void => {
  out.string(numberOf("string"), json.text, "text");
  out.message(numberOf("self"), json.sub, "sub", decode);
  out.unknownKeys(json, INNER);
};
const collecting = (json: JsonObject, out: ProtoWriter): void => {
  out.string(numberOf("string"), json.text, "text");
  out.unknown(collector, json, INNER);
};
const holder =
  (member: typeof inner, collects: boolean) =>
  (json: JsonObject, out: ProtoWriter): void => {
    out.flattened(numberOf("self"), json, member, HOLDER);
    if (collects) {
      out.unknown(collector, json, HOLDER);
    } else {
      out.unknownKeys(json, HOLDER);
    }
  };
const readHeld = (json: JsonObject, member: typeof inner, collects: boolean) =>
  written((out) => out.root(json, holder(member, collects)));

const flat = { type: "t", id: 1, text: "x", more: [1] };

test("a flattened and an outer message read the same object, and neither reports the other's keys as unknown", () => {
  expect(readHeld(flat, inner, false)).toEqual({
    json: { self: { string: "x" } },
    differences: [difference("additional", "more", "no such key", "array")],
    inexact: false,
  });
});

test("a flattened message leaves unknown keys to the outer message if the outer message collects them", () => {
  expect(readHeld(flat, inner, true)).toEqual({
    json: { self: { string: "x" }, strings: { more: "[1]" } },
    differences: [],
    inexact: false,
  });
});

test("a flattened message that collects unknown keys collects the keys that neither message reads", () => {
  for (const collects of [false, true]) {
    expect(readHeld(flat, collecting, collects)).toEqual({
      json: { self: { string: "x", strings: { more: "[1]" } } },
      differences: [],
      inexact: false,
    });
  }
});

test("a nested message in a flattened message reports its own unknown keys", () => {
  expect(readHeld({ type: "t", sub: { type: 1, int32: 2 } }, inner, false)).toEqual({
    json: { self: { self: { int32: 2 } } },
    differences: [difference("additional", "sub.type", "no such key", "number 1")],
    inexact: false,
  });
});

test("a flattened message can contain another flattened message, and neither reads the other's keys", () => {
  const MIDDLE: ReadonlySet<string> = new Set(["kind"]);
  const middle = (object: JsonObject, out: ProtoWriter): void => {
    out.string(numberOf("string"), object.kind, "kind");
    out.flattened(numberOf("self"), object, collecting, MIDDLE);
    out.unknownKeys(object, MIDDLE);
  };
  const deep = { type: "t", id: 1, kind: "k", text: "x", more: [1] };
  expect(readHeld(deep, middle, false)).toEqual({
    json: { self: { string: "k", self: { string: "x", strings: { more: "[1]" } } } },
    differences: [],
    inexact: false,
  });
  const plain = (object: JsonObject, out: ProtoWriter): void => {
    out.flattened(numberOf("self"), object, inner, MIDDLE);
    out.unknownKeys(object, MIDDLE);
  };
  expect(readHeld(deep, plain, false).differences).toEqual([
    difference("additional", "more", "no such key", "array"),
  ]);
});

test("the keys of a flattened message do not affect the next message of a list", () => {
  const items = [
    { type: "t", text: "x" },
    { type: "t", text: "y", more: 1 },
    { id: 2, text: "z" },
  ];
  const result = written((out) =>
    out.messages(numberOf("selves"), items, "items", (item, to) => {
      if (item.type === "t") to.flattened(numberOf("self"), item, inner, HOLDER);
      to.unknownKeys(item, HOLDER);
    }),
  );
  expect(result.differences).toEqual([
    difference("additional", "items[1].more", "no such key", "number 1"),
    difference("additional", "items[2].text", "no such key", 'string "z"'),
  ]);
});

test("a message that collects unknown keys also collects values unknown to an enum, including values in lists", () => {
  const table = new EnumTable("test.Mood", [
    [0, "NONE"],
    [1, "good"],
  ]);
  const read = (mood: JsonValue, moods: JsonValue) =>
    written((out) =>
      out.root({ mood, moods, more: 1 }, (json, to) => {
        to.collectedEnum(numberOf("int32"), json.mood, "mood", table);
        to.enums(numberOf("int32_list"), json.moods, "moods", table, "collected");
        to.unknown(numberOf("strings"), json, new Set(["mood", "moods"]));
      }),
    );
  expect(read("good", ["good"])).toMatchObject({ json: { strings: { more: "1" } }, differences: [] });
  const { json, differences } = read("odd", ["good", "odd"]);
  expect(json).toMatchObject({ strings: { more: "1", mood: '"odd"', moods: '["good","odd"]' } });
  expect(differences.map((each) => `${each.class} ${each.path}`)).toEqual([
    "additional mood",
    "additional moods[1]",
  ]);
});

test("an unknown discriminator is reported as lost; an absent discriminator is not a difference", () => {
  const read = (value: JsonValue | undefined) =>
    written((out) => out.unknownMember("type", "a known block", value)).differences;
  expect(read("new")).toEqual([difference("lost", "type", "a known block", 'string "new"')]);
  expect(read(undefined)).toEqual([]);
  expect(read(null)).toEqual([]);
});

const value = (json: JsonValue, exact = false) =>
  written((out) => out.nullable(numberOf("value"), json, "k", decodeValue), exact);

test.each<[JsonValue]>([
  [null],
  [true],
  [false],
  [0],
  [-1.5],
  [""],
  ["x"],
  [[]],
  [[null, [1], {}]],
  [{}],
  [{ a: { b: [{ c: null }] }, "": 1 }],
])("a Value keeps %j unchanged", (json) => {
  expect(value(json)).toEqual({ json: { value: json }, differences: [], inexact: false });
  const list = written((out) => out.wrapped(numberOf("values"), [json], "k", decodeListValue));
  expect(list.json).toEqual({ values: [json] });
});

test.each([
  ["1e300", 1e300],
  ["-1E16", -1e16],
  ["1.7976931348623157e+308", Number.MAX_VALUE],
  ["9007199254740993.0", 9007199254740992],
])("a Value keeps %s as a number even after an exact parse", (text, number) => {
  expect(value(parseJson(text) ?? null).inexact).toBe(true);
  expect(value(parseJsonVerbatim(text) ?? null, true)).toEqual({
    json: { value: number },
    differences: [],
    inexact: false,
  });
});

test("a Value keeps integers beyond 2^53 as strings if the JSON was parsed exactly", () => {
  const text = '{"a":[700000000000000001,9007199254740994],"b":1e400,"c":-700000000000000001}';
  expect(value(parseJson(text) ?? null).inexact).toBe(true);
  expect(value(parseJsonExactly(text) ?? null, true)).toEqual({
    json: {
      value: {
        a: ["700000000000000001", "9007199254740994"],
        b: `1${"0".repeat(400)}`,
        c: "-700000000000000001",
      },
    },
    differences: [
      difference("converted", "k.a[0]", "an integer up to 2^53, or a double", "number 700000000000000001"),
      difference("converted", "k.a[1]", "an integer up to 2^53, or a double", "number 9007199254740994"),
      difference("converted", "k.b", "an integer up to 2^53, or a double", `number 1${"0".repeat(39)}…`),
      difference("converted", "k.c", "an integer up to 2^53, or a double", "number -700000000000000001"),
    ],
    inexact: false,
  });
});

test("a Value with a number that is not finite or not exact can still be printed as JSON", () => {
  const result = value({ a: Number.POSITIVE_INFINITY, b: 2 ** 60 }, true);
  expect(result.json).toEqual({ value: { a: null, b: null } });
  expect(result.differences).toEqual([
    difference("lost", "k.a", "an exact integer", "number Infinity"),
    difference("lost", "k.b", "an exact integer", "number 1152921504606847000"),
  ]);
  expect(value(Number.POSITIVE_INFINITY).json).toEqual({ value: null });
});

test("null is a valid Value, but leaves a ListValue unset", () => {
  const list = (json: JsonValue) =>
    written((out) => out.wrapped(numberOf("values"), json, "k", decodeListValue));
  expect(list(null)).toEqual({ json: {}, differences: [], inexact: false });
  expect(list([]).json).toEqual({ values: [] });
  expect(list("x").json).toEqual({ values: ["x"] });
});

test("property: a Value keeps any JSON value unchanged", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (json) => {
      const hasProto = JSON.stringify(json).includes("__proto__");
      fc.pre(!hasProto);
      const result = value(json as JsonValue, true);
      if (result.differences.length === 0) expect(result.json).toEqual({ value: json });
    }),
    { numRuns: 1_000 },
  );
});

function nest(levels: number, key: string): JsonObject {
  let json: JsonObject = {};
  for (let level = 0; level < levels; level++) json = { [key]: json };
  return json;
}

test("messages can be nested 100 levels deep, including the root, as in protobuf-es", () => {
  expect(root(nest(99, "self")).differences).toEqual([]);
  expect(() => root(nest(100, "self"))).toThrow(JsonTooDeep);
  expect(() => root(nest(101, "selves"))).toThrow(JsonTooDeep);
});

test("a Value that the writer accepts is never too deep for protobuf-es", () => {
  for (let level = 1; level < 60; level++) {
    for (const json of [nest(level, "a"), { a: lists(level) }]) {
      const read = () => written((out) => out.nullable(numberOf("value"), json, "k", decodeValue));
      try {
        expect(read().json).toEqual({ value: json });
      } catch (error) {
        expect(error).toBeInstanceOf(JsonTooDeep);
      }
    }
  }
});

function lists(levels: number): JsonValue {
  let json: JsonValue = [];
  for (let level = 0; level < levels; level++) json = [json];
  return json;
}

test("hostile nesting exceeds the depth limit before it overflows the stack", () => {
  expect(() => root(nest(10_000, "self"))).toThrow(new JsonTooDeep(Array(100).fill("self").join("."), 100));
  expect(() => written((out) => out.nullable(1, nest(10_000, "a"), "k", decodeValue))).toThrow(JsonTooDeep);
  expect(() => written((out) => out.nullable(1, lists(10_000), "k", decodeValue))).toThrow(JsonTooDeep);
});

test("the depth limit can be set, and a writer that exceeded it can be reused", () => {
  const out = new ProtoWriter(2);
  out.reset();
  expect(() => out.root(nest(2, "self"), decode)).toThrow("more than 2 levels at self.self");
  out.reset();
  out.root({ string: "a" }, decode);
  expect(out.finish()).toEqual(Uint8Array.of((numberOf("string") << 3) | 2, 1, 97));
  expect(out.differences).toEqual([]);
});

test("a reused writer starts empty", () => {
  const out = new ProtoWriter();
  out.reset(true);
  out.root({ x: 1, int32: "z" }, decode);
  out.int64(1, 2 ** 60, "k");
  out.reset();
  expect({ bytes: out.finish().length, differences: out.differences, inexact: out.inexact }).toEqual({
    bytes: 0,
    differences: [],
    inexact: false,
  });
});

test("a reused writer does not keep the buffer of a huge response", () => {
  const out = new ProtoWriter();
  const room = () => (Reflect.get(out, "buffer") as Buffer).length;
  out.string(1, "x".repeat(5_000_000), "k");
  expect(room()).toBeGreaterThan(5_000_000);
  out.reset();
  expect(room()).toBe(16 * 1024);
});

test("later messages do not change the bytes that a reused writer returned", () => {
  const out = new ProtoWriter();
  out.string(1, "first", "k");
  const first = out.finish();
  out.reset();
  out.string(1, "second", "k");
  expect(Buffer.from(first).toString("latin1")).toBe("\n\u0005first");
});

const read = (text: string) => written((out) => out.string(numberOf("string"), text, "k"));

test.each([0, 1, 38, 39, 40, 41, 42, 43, 63, 64, 126, 127, 128, 129, 5_461, 5_462, 16_383, 16_384])(
  "a string of %i characters in any alphabet is written unchanged",
  (length) => {
    for (const unit of ["a", "é", "€", "😀"]) {
      const text = unit.repeat(Math.ceil(length / unit.length));
      for (const variant of [text, `a${text}`, `${text}a`]) {
        expect(read(variant)).toEqual({ json: { string: variant }, differences: [], inexact: false });
      }
    }
  },
);

test("a string of 40 MB is written completely", () => {
  const text = "é".repeat(20_000_000);
  const out = new ProtoWriter();
  out.string(1, text, "k");
  expect(out.length).toBe(40_000_000 + 5);
});

test("property: a well-formed string is written unchanged, and lone surrogates are replaced", () => {
  const text = fc.string({ unit: "binary", maxLength: 300 });
  const halves = fc.string({
    unit: fc.constantFrom("\ud83d", "\ude00", "a", "é", "\u0000"),
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.oneof(text, halves), (value) => {
      const result = read(value);
      expect(result.json).toEqual({ string: value.toWellFormed() });
      expect(result.differences).toHaveLength(value.isWellFormed() ? 0 : 1);
    }),
    { numRuns: 1_000 },
  );
});
