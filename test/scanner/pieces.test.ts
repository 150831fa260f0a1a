import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import type { JsonObject } from "../../codec/src/json/json.ts";
import { type MessageTable, table } from "../../codec/src/table/message-table.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, type Outcome, pieces, scanned } from "./both.ts";

const LEAF_KEYS = new Set(["text", "id", "tags"]);
function decodeLeaf(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.text, "text");
  out.int64(2, json.id, "id");
  out.list(3, json.tags, "tags", "string");
  out.unknownKeys(json, LEAF_KEYS);
}
const Leaf = table("test.Leaf", () => [
  [1, "string", "text"],
  [2, "int64", "id"],
  [3, { list: "string" }, "tags"],
]);

const NODE_KEYS = new Set(["title", "leaves", "numbers", "node", "old", "older", "total", "twice"]);
function decodeNode(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.title, "title");
  out.messages(2, json.leaves, "leaves", decodeLeaf);
  out.list(300, json.numbers, "numbers", "sfixed32");
  out.message(4, json.node, "node", decodeNode);
  out.messages(5, json.old ?? json.older, "old", decodeLeaf);
  out.int32(6, json.total, "total");
  out.messages(7, json.twice, "twice", decodeLeaf);
  out.messages(8, json.twice, "twice", decodeLeaf);
  out.unknownKeys(json, NODE_KEYS);
}
const Node: MessageTable = table("test.Node", () => [
  [1, "string", "title"],
  [2, { list: Leaf }, "leaves"],
  [300, { list: "sfixed32" }, "numbers"],
  [4, Node, "node"],
  [5, { list: Leaf }, "old", "older"],
  [6, "int32", "total"],
  [7, { list: Leaf }, "twice"],
  [8, { list: Leaf }, "twice"],
]);

const KEPT_KEYS = new Set(["leaves"]);
function decodeKept(json: JsonObject, out: ProtoWriter): void {
  out.messages(2, json.leaves, "leaves", decodeKeptLeaf);
  out.unknown(3, json, KEPT_KEYS);
}
function decodeKeptLeaf(json: JsonObject, out: ProtoWriter): void {
  out.string(1, json.text, "text");
  out.unknown(9, json, new Set(["text"]));
}
const Kept = table("test.Kept", () => [[2, { list: KeptLeaf }, "leaves"], { unknown: 3 }]);
const KeptLeaf = table("test.KeptLeaf", () => [[1, "string", "text"], { unknown: 9 }]);

const NODE = methodReadBy(Node, decodeNode);
const KEPT = methodReadBy(Kept, decodeKept);
const LIST: UnaryAdapter = { ...NODE, body: [2, { list: Leaf }] };

/** Returns the result for a body, and the number of pieces in which it was read. */
function read(adapter: UnaryAdapter, body: Uint8Array, size: number, maxCost?: number) {
  const work = pieces(adapter, body, size, maxCost);
  for (let count = 1; ; count++) {
    const step = work.next();
    if (step.done === true) return { outcome: step.value, count };
  }
}

function leaves(count: number, more = ""): string {
  return Array.from({ length: count }, (_, i) => `{"text":"${"é".repeat(i % 40)}","id":${i}${more}}`).join();
}

test.each([
  ["a list", NODE, `{"leaves":[${leaves(200)}]}`],
  [
    "a list between other fields",
    NODE,
    `{"title":"x","node":{"leaves":[{}]},"leaves":[${leaves(200)}],"total":7}`,
  ],
  [
    "a list whose field comes first in the message",
    NODE,
    `{"total":7,"numbers":[${"1,".repeat(900)}2],"title":"x"}`,
  ],
  [
    "a list in a message",
    NODE,
    `{"title":"x","node":{"title":"y","leaves":[${leaves(200)}],"total":1},"total":7}`,
  ],
  ["a list three messages deep", NODE, `{"node":{"node":{"node":{"leaves":[${leaves(200)}]},"title":"y"}}}`],
  ["a list of numbers with white space", NODE, `{ "numbers" : [ ${"12 , ".repeat(900)} 2 ] }`],
  ["a list that is the payload", LIST, `[${leaves(200)}]`],
  ["a list of messages that collect keys", KEPT, `{"leaves":[${leaves(200, ',"x":[1]')}],"y":{}}`],
  ["a list of messages with unknown keys", NODE, `{"new":1,"leaves":[${leaves(90, ',"x":[1]')}],"y":"z"}`],
  ["a list with a value of another type", NODE, `{"leaves":[${leaves(150)},{"id":"many"}]}`],
  ["a list of values of other types", NODE, `{"leaves":[${leaves(200, ',"id":"7"')}]}`],
  ["a list after another list", NODE, `{"numbers":[1,2],"leaves":[${leaves(200)}]}`],
])("%s is read in pieces, with the same result as by the decoder", (_, adapter, text) => {
  const body = Buffer.from(text);
  for (const size of [260, 500, 1500]) {
    const { outcome, count } = read(adapter, body, size);
    expect(count).toBeGreaterThan(body.length / (2 * size));
    expect(outcome).toEqual(decoded(adapter, body));
  }
});

test.each([
  ["an item that is longer than a piece", `{"leaves":[{"text":"${"x".repeat(2000)}"},${leaves(100)}]}`],
  ["a long string before the list", `{"title":"${"x".repeat(2000)}","leaves":[${leaves(100)}]}`],
  ["a long string after the list", `{"leaves":[${leaves(100)}],"title":"${"x".repeat(2000)}"}`],
  ["two long lists", `{"leaves":[${leaves(100)}],"numbers":[${"12,".repeat(900)}2]}`],
  ["a list under its alias", `{"older":[${leaves(100)}]}`],
  [
    "a list under its alias, next to a list under its own key",
    `{"older":[${leaves(100)}],"old":[{"text":"a"}]}`,
  ],
  ["a list that two fields read", `{"twice":[${leaves(100)}]}`],
  ["a message around the list with a duplicate key", `{"node":{"leaves":[${leaves(200)}],"new":1,"new":2}}`],
  ["no list", `{"title":"${"x".repeat(4000)}"}`],
  ["JSON that ends early", `{"leaves":[${leaves(100)}`],
  ["a list with a trailing comma", `{"leaves":[${leaves(100)},]}`],
  ["a list that the wrong bracket closes", `{"leaves":[${leaves(50)}],"x":[${leaves(50)}]`],
  ["bytes that are not UTF-8", `{"leaves":[${leaves(50)},{"text":"\xe9"},{}]}`],
])("%s is left to the decoder", (name, text) => {
  const body = Buffer.from(text, name.includes("UTF-8") ? "latin1" : "utf8");
  expect(read(NODE, body, 500).outcome).toBeUndefined();
});

test.each([
  ["a character that is not JSON", "x"],
  ["another value", "{}"],
  ["bytes that are not UTF-8", "\xe9"],
  ["space", " "],
])("a body with %s after its end is rejected, even if a piece ends directly after the JSON", (_, behind) => {
  for (const list of ["", "{}", leaves(10), leaves(100)]) {
    const text = Buffer.from(`{"leaves":[${list}],"total":7}`);
    const ended = Buffer.from(behind.repeat(2000), "latin1");
    for (const space of [0, 1, 30, 1000]) {
      const body = Buffer.concat([text, Buffer.from(" ".repeat(space)), ended]);
      const sizes = [250, 260, 500, text.length, text.length + space, text.length + space + 1];
      for (const size of sizes) {
        const { outcome } = read(NODE, body, size);
        if (outcome !== undefined) expect(outcome, `in pieces of ${size}`).toEqual(decoded(NODE, body));
      }
    }
  }
});

test("all unknown keys are counted, and the first hundred are described exactly as by the decoder", () => {
  const body = Buffer.from(
    `{"a":1,"numbers":[7],"leaves":[${leaves(400, ',"x":"y","z":0')}],"node":{"b":2}}`,
  );
  const { outcome, count } = read(NODE, body, 1000);
  expect(count).toBeGreaterThanOrEqual(atLeast(10));
  expect(outcome).toEqual(decoded(NODE, body));
  expect(outcome?.differences.counts.additional).toBe(802);
});

test("the cost of a body, including unknown keys, is the sum over all pieces", () => {
  const items = Array.from({ length: 900 }, (_, i) => `{"k${i}":1.50,"l${i}":"7","text":"a"}`);
  const body = Buffer.from(`{"leaves":[${items}],"x":12345678901234567890}`);
  const cost = costOf(body);
  expect(read(KEPT, body, 1000, cost).outcome).toEqual(scanned(KEPT, body));
  expect(read(KEPT, body, 1000, cost - 1).outcome).toBeUndefined();
});

/** Returns the lowest cost limit with which a body is read in one piece. */
function costOf(body: Uint8Array): number {
  let [low, high] = [0, body.length * 8];
  while (low < high) {
    const limit = Math.floor((low + high) / 2);
    if (scanned(KEPT, body, limit) === undefined) {
      low = limit + 1;
    } else {
      high = limit;
    }
  }
  return low;
}

test("a body of several megabytes is read in pieces", () => {
  const body = Buffer.from(`{"leaves":[${leaves(40_000)}],"total":7}`);
  expect(body.length).toBeGreaterThan(2 ** 21);
  const found = scanned(NODE, body);
  expect(found === undefined).toBe(false);
  expect(found?.message === decoded(NODE, body).message).toBe(true);
});

const text = fc.string({
  unit: fc.constantFrom("a", "é", '"', "]", "[", "}", "{", ",", "\\", "😀"),
  maxLength: 12,
});
const leaf = fc.record(
  {
    text,
    id: fc.integer(),
    tags: fc.array(text, { maxLength: 3 }),
    x: fc.oneof(text, fc.array(fc.integer(), { maxLength: 2 })),
  },
  { requiredKeys: [] },
);
const { node } = fc.letrec<{ node: object }>((tie) => ({
  node: fc
    .tuple(
      fc.record(
        {
          title: text,
          leaves: fc.array(leaf, { maxLength: 40, size: "max" }),
          numbers: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), {
            maxLength: 40,
            size: "max",
          }),
          node: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.constant(null), tie("node")),
          older: fc.array(leaf, { maxLength: 4 }),
          total: fc.integer(),
          y: text,
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
const SIZES = fc.constantFrom(60, 120, 250, 900);

test("property: for pieces of any size, the scanner gives the decoder's result or falls back to the decoder", () => {
  let several = 0;
  fc.assert(
    fc.property(node, SIZES, fc.nat(), fc.nat(2), (value, size, seed, kind) => {
      const body = Buffer.from(JSON.stringify(value));
      // Changes one byte in some of the bodies.
      if (kind === 0) body[seed % body.length] = Buffer.from('"[]{},:\\x0')[seed % 10] ?? 0;
      const { outcome, count } = read(NODE, body, size);
      if (outcome === undefined) return;
      if (count > 2) several++;
      expect(outcome, body.toString()).toEqual(decoded(NODE, body));
    }),
    { numRuns: 3000 },
  );
  expect(several).toBeGreaterThanOrEqual(atLeast(200));
});

test("property: concurrent reads of bodies do not affect each other, even if some are cancelled", () => {
  const steps = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 9 })), {
    minLength: 20,
    maxLength: 60,
  });
  let finished = 0;
  fc.assert(
    fc.property(fc.array(node, { minLength: 2, maxLength: 5 }), SIZES, steps, (values, size, order) => {
      const bodies = values.map((value) => Buffer.from(JSON.stringify(value)));
      const running = new Map(bodies.map((body) => [pieces(NODE, body, size), body]));
      const check = (outcome: Outcome | undefined, body: Uint8Array) => {
        finished++;
        expect(outcome).toEqual(atOnce(pieces(NODE, body, size)));
      };
      for (const [which, action] of order) {
        const [work, body] = [...running][which % running.size] ?? [];
        if (work === undefined || body === undefined) break;
        if (action === 0) {
          work.return(undefined);
          running.delete(work);
          continue;
        }
        const step = work.next();
        if (step.done !== true) continue;
        running.delete(work);
        check(step.value, body);
      }
      for (const [work, body] of running) check(atOnce(work), body);
    }),
    { numRuns: 500 },
  );
  expect(finished).toBeGreaterThanOrEqual(atLeast(500));
});
