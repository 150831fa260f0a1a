import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject } from "../../codec/src/json/json.ts";
import { type MessageTable, table } from "../../codec/src/table/message-table.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, scanned } from "./both.ts";

// Messages that do not collect unknown keys.

const LEAF_KEYS = new Set(["text"]);
function decodeLeaf(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.text, "text");
  out.unknownKeys(json, LEAF_KEYS);
}
const Leaf = table("test.Leaf", () => [[1, "string", "text"]]);

const NODE_KEYS = new Set(["leaf", "leaves", "old_leaves", "node", "named", "loose"]);
function decodeNode(json: JsonObject, out: ProtoWriter): void {
  out.message(1, json.leaf, "leaf", decodeLeaf);
  out.messages(2, json.leaves ?? json.old_leaves, "leaves", decodeLeaf);
  out.message(3, json.node, "node", decodeNode);
  out.map(4, json.named, "named", "string", (value, key, entry) => entry.message(2, value, key, decodeLeaf));
  out.loosely("loose").messages(5, json.loose, "loose", decodeLeaf);
  out.unknownKeys(json, NODE_KEYS);
}
const Node: MessageTable = table("test.Node", () => [
  [1, Leaf, "leaf"],
  [2, { list: Leaf }, "leaves", "old_leaves"],
  [3, Node, "node"],
  [4, { map: Leaf }, "named"],
  [5, { loose: { list: Leaf } }, "loose"],
]);

const ADAPTER = methodReadBy(Node, decodeNode);

function pathsOf(body: string): readonly string[] | undefined {
  return scanned(ADAPTER, Buffer.from(body))?.differences.list.map(({ path, got }) => `${path}: ${got}`);
}

test("unknown keys are reported with their paths, in the order of the fields", () => {
  const body = `{"new":"x\\n","loose":{"text":"t","d":[1]},"node":{"leaf":{"c":{}}},"leaves":[{"text":"a"},{"text":"b","b":null}],
    "leaf":{"a":true,"é":-1.5}}`;
  expect(pathsOf(body)).toEqual([
    "leaf.a: boolean true",
    "leaf.é: number -1.5",
    "leaves[1].b: null",
    "node.leaf.c: object",
    "loose[0].d: array",
    'new: string "x\\n"',
  ]);
  expect(scanned(ADAPTER, Buffer.from(body))).toEqual(decoded(ADAPTER, Buffer.from(body)));
});

test("an unknown key in the value of a map is reported", () => {
  const body = Buffer.from('{"named":{"x":{"new":1}}}');
  expect(pathsOf(body.toString())).toEqual(["named.x.new: number 1"]);
  expect(scanned(ADAPTER, body)).toEqual(decoded(ADAPTER, body));
});

test.each([
  ["a number in another notation", '{"new":1.50}'],
  ["a number that JSON.parse rounds", '{"new":735000000000051460}'],
  ["a repeated key", '{"new":1,"new":2}'],
  ["a key that is an index", '{"1":1}'],
  ["a key in a list that another key of the field overrides", '{"old_leaves":[{"new":1}],"leaves":[]}'],
])("%s is left to the decoder", (_, body) => {
  expect(pathsOf(body)).toBeUndefined();
});

test("all unknown keys are counted, and the first hundred are described exactly as by the decoder", () => {
  const leaves = Array.from({ length: 80 }, (_, index) => `{"k${index}":${index},"text":"x","z":0}`);
  const body = Buffer.from(`{"leaves":[${leaves}],"leaf":{"first":1}}`);
  const found = scanned(ADAPTER, body);
  expect(found).toEqual(decoded(ADAPTER, body));
  expect(found?.differences.counts.additional).toBe(161);
  expect(found?.differences.list[0]?.path).toBe("leaf.first");
});

test("a body with too many unknown keys for the scanner's memory is left to the decoder", () => {
  const leaves = Array.from({ length: 5000 }, () => '{"new":1}');
  expect(pathsOf(`{"leaves":[${leaves}]}`)).toBeUndefined();
});

test("property: for any unknown keys, the scanner reports the decoder's differences or falls back to the decoder", () => {
  const { node } = fc.letrec<{ node: object; leaf: object; extra: object }>((tie) => ({
    extra: fc.dictionary(
      fc.constantFrom("a", "b", "new", "é", "text"),
      fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant([{}])),
      { maxKeys: 2, noNullPrototype: true },
    ),
    leaf: fc.tuple(tie("extra"), fc.boolean()).map(([extra, isFirst]) => {
      return isFirst ? { text: "t", ...extra } : { ...extra, text: "t" };
    }),
    node: fc
      .tuple(
        fc.record(
          {
            leaf: tie("leaf"),
            leaves: fc.array(tie("leaf"), { maxLength: 3 }),
            old_leaves: fc.array(tie("leaf"), { maxLength: 2 }),
            node: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.constant(null), tie("node")),
            loose: fc.oneof(tie("leaf"), fc.array(tie("leaf"), { maxLength: 2 })),
            ...{ x: tie("extra"), y: fc.integer() },
          },
          { requiredKeys: [] },
        ),
        fc.nat(),
      )
      .map(([record, seed]) => {
        const entries = Object.entries(record);
        const at = entries.length === 0 ? 0 : seed % entries.length;
        return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)]);
      }),
  }));
  let reported = 0;
  fc.assert(
    fc.property(node, (value) => {
      const body = Buffer.from(JSON.stringify(value));
      const found = scanned(ADAPTER, body);
      if (found === undefined) return;
      if (found.differences.list.length > 1) reported++;
      expect(found, body.toString()).toEqual(decoded(ADAPTER, body));
    }),
    { numRuns: 2000 },
  );
  expect(reported).toBeGreaterThanOrEqual(atLeast(200));
});
