import fc from "fast-check";
import { expect, test } from "vitest";
import { decode } from "../decode-bytes.ts";
import { type Kind, type MessageTable, table } from "../table/message-table.ts";
import { ListValueTable, StructTable, ValueTable } from "../table/well-known.ts";

function read(kind: Kind, json: string) {
  const { bytes, differences } = decode(
    table("test.v1.Text", () => [[1, kind, "x"]]),
    Buffer.from(`{"x":${json}}`),
  );
  // reports show a number either with its exact digits or with the digits of the double, so `got` is not
  // compared
  const list = differences.list.map(({ got: _, ...place }) => place);
  return { bytes: Buffer.from(bytes).toString("hex"), differences: { ...differences, list } };
}

const Inner: MessageTable = table("test.v1.Inner", () => [
  [1, "string", "a"],
  [2, "int64", "n"],
  [3, { list: Inner }, "items"],
  [4, { jsonText: Inner }, "text"],
  [5, ValueTable, "value"],
]);
const Open = table("test.v1.Open", () => [[1, "double", "a"], { unknown: 9 }]);

const KINDS: readonly Kind[] = [
  "string",
  "int64",
  "bool",
  "double",
  { list: "int64" },
  { list: Inner },
  { map: Inner },
  { unwrap: [1, { list: "string" }] },
  { time: "iso8601" },
  Inner,
  Open,
  StructTable,
  ListValueTable,
  ValueTable,
];

const NUMBERS = ["0", "-0", "1.50", "1e3", "9007199254740993", "-9223372036854775808", "1e400", "12.0"];
const leaf = fc.oneof(
  fc.constantFrom(...NUMBERS, "null", "true", '""', '"2026-01-02T03:04:05Z"'),
  fc.string({ unit: "grapheme", maxLength: 6 }).map((text) => JSON.stringify(text)),
);
const { json } = fc.letrec<{ json: string }>((tie) => {
  const key = fc.constantFrom("a", "n", "items", "text", "value", "zz");
  const object = fc
    .uniqueArray(fc.tuple(key, tie("json")), { maxLength: 4, selector: ([name]) => name })
    .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`);
  return {
    json: fc.oneof(
      { depthSize: "small" },
      leaf,
      object,
      fc.array(tie("json"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      tie("json").map((text) => JSON.stringify(text)),
    ),
  };
});

test("property: JSON in a string is read like the same JSON outside a string", () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), json, (kind, text) => {
      // null is absence, not a value, for a field with the rule
      fc.pre(text !== "null");
      expect(read({ jsonText: kind }, JSON.stringify(text))).toEqual(read(kind, text));
    }),
    { numRuns: 2000 },
  );
});

test("property: JSON outside a string is converted, and is otherwise read in the same way", () => {
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), json, (kind, text) => {
      fc.pre(text !== "null" && !text.startsWith('"'));
      const { bytes, differences } = read({ jsonText: kind }, text);
      const plain = read(kind, text);
      expect(bytes).toBe(plain.bytes);
      expect(differences.list[0]).toMatchObject({ path: "x", expected: "JSON as text", class: "converted" });
      expect(differences.counts.lost).toBe(plain.differences.counts.lost);
      expect(read({ loose: { jsonText: kind } }, text).bytes).toBe(bytes);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["null", []],
  ['""', ["converted"]],
  ['" "', ["converted"]],
  ['"{"', ["lost"]],
  ['"a"', ["lost"]],
  ['"{} {}"', ["lost"]],
  [JSON.stringify("[{}]".repeat(2)), ["lost"]],
  [JSON.stringify(`[${"[],".repeat(100_000)}[]]`), ["lost"]],
])("a field with JSON as text stays unset for the text %s, and reports %j", (text, classes) => {
  const { bytes, differences } = read({ jsonText: Inner }, text);
  expect(bytes).toBe("");
  expect(differences.list.map(({ class: as }) => as)).toEqual(classes);
});

test("a google.protobuf.Value can hold the JSON text null, but other messages stay unset", () => {
  expect(read({ jsonText: ValueTable }, '"null"').bytes).not.toBe("");
  expect(read({ jsonText: Inner }, '"null"')).toMatchObject({ bytes: "", differences: { list: [] } });
});
