import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeValue } from "../../codec/src/decode/dynamic.ts";
import { fieldReader } from "../../codec/src/decode/field-reader.ts";
import { FieldTable, type ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../codec/src/json/json.ts";
import { keyTree } from "../../codec/src/table/key-tree.ts";
import { type FieldEntry, type Kind, table } from "../../codec/src/table/message-table.ts";
import { ValueTable } from "../../codec/src/table/well-known.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { atLeast } from "../draws.ts";
import { decoded, methodReadBy, pieces, scanned } from "./both.ts";

type Path = readonly [string, ...string[]];
type KindName = keyof typeof KINDS;

/** A field and the paths that it is read from. */
interface FieldPaths {
  readonly kind: KindName;
  readonly paths: readonly Path[];
}

const LEAF: FieldTable = new FieldTable(() => [[(value, out) => out.string(1, value, "a"), "a"]]);

function decodeLeaf(json: JsonObject, out: ProtoWriter): void {
  out.fields(json, LEAF);
  out.unknownKeys(json, LEAF);
}
const Leaf = table("test.Leaf", () => [[1, "string", "a"]]);

/** Each kind of field, for the table and for the hand-written decoder. */
const KINDS = {
  string: ["string", (n, value, key, out) => out.string(n, value, key)],
  int32: [
    { loose: "int32" },
    (n, value, key, out) => {
      out.loosely(key).int32(n, value, key);
      out.strictly();
    },
  ],
  strings: [{ list: "string" }, (n, value, key, out) => out.list(n, value, key, "string")],
  message: [Leaf, (n, value, key, out) => out.message(n, value, key, decodeLeaf)],
  messages: [
    { list: Leaf },
    (n, value, key, out) => {
      if (isJsonObject(value) && Object.keys(value).length > 0 && !Object.hasOwn(value, "a")) {
        out.drop(key, "array", value);
      } else {
        out.messages(n, value, key, decodeLeaf);
      }
    },
  ],
  value: [ValueTable, (n, value, key, out) => out.nullable(n, value, key, decodeValue)],
} satisfies Record<
  string,
  readonly [Kind, (n: number, value: JsonValue | undefined, key: string, out: ProtoWriter) => void]
>;

/** Returns an adapter whose response has these fields, and which collects or reports other keys. */
function methodOf(fields: readonly FieldPaths[], collects: boolean, isOneof: boolean): UnaryAdapter {
  const rows = fields.map(({ kind, paths }, index) => {
    const key = paths.map((path) => path.join(".")).join(" or ");
    const read = fieldReader(paths.map((path) => ({ path: path.join(".") })));
    const write = (_: JsonValue | undefined, out: ProtoWriter, _key: string, json: JsonObject) =>
      KINDS[kind][1](index + 1, read(json, out.misstep), key, out);
    return [write, ...new Set(paths.map(([first]) => first))] as const;
  });
  const members = fields.map(
    ({ paths }, index) => [index + 1, ...paths.map((path) => path.join("."))] as const,
  );
  const through = [...keyTree(members.flatMap(([, ...all]) => all))].filter(([, below]) => below !== "all");
  const layout = new FieldTable(
    () => (isOneof ? [{ onlyFirst: members, of: rows }] : rows),
    new Map(through),
  );
  const decode = (json: JsonObject, out: ProtoWriter) => {
    out.fields(json, layout);
    if (collects) {
      out.unknown(99, json, layout);
    } else {
      out.unknownKeys(json, layout);
    }
  };
  const entries = fields.map(({ kind, paths }, index): FieldEntry => {
    return [index + 1, KINDS[kind][0], ...paths.map((path) => ({ path: path.join(".") }))];
  });
  const message = table("test.Message", () => [
    ...(isOneof ? [{ oneOf: entries }] : entries),
    ...(collects ? [{ unknown: 99 }] : []),
  ]);
  return methodReadBy(message, decode);
}

const KEY = fc.constantFrom("a", "b", "c", "d");
const PATH = fc.array(KEY, { minLength: 1, maxLength: 3 }) as fc.Arbitrary<Path & string[]>;
const FIELD: fc.Arbitrary<FieldPaths> = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as KindName[])),
  paths: fc.uniqueArray(PATH, { minLength: 1, maxLength: 2, selector: (path) => path.join(".") }),
});
const LEAVES: Readonly<Record<KindName, fc.Arbitrary<JsonValue>>> = {
  string: fc.string(),
  int32: fc.nat(),
  strings: fc.array(fc.string(), { maxLength: 2 }),
  message: fc.constantFrom<JsonValue>({}, { a: "x" }, { a: "x", new: 1 }),
  messages: fc.constantFrom<JsonValue>([], [{ a: "x" }, { new: [1] }]),
  value: fc.constantFrom<JsonValue>(null, 1, "x", [true], { b: {} }),
};
const ODD: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>(null, {}, [], "x", 5, [{ a: { a: 1 } }], {
  zz: 1,
});

/**
 * Generates a body with fields at their declared paths, keys in any order, and unexpected values in between.
 */
const CASE = fc
  .tuple(fc.array(FIELD, { minLength: 1, maxLength: 5 }), fc.boolean(), fc.integer({ min: 0, max: 2 }))
  .chain(([fields, collects, oneof]) => {
    const put = fields.map(({ kind, paths }) =>
      fc.tuple(
        fc.constantFrom(...paths),
        fc.oneof({ arbitrary: LEAVES[kind], weight: 20 }, { arbitrary: ODD, weight: 1 }),
        fc.integer({ min: 0, max: 9 }),
      ),
    );
    return fc.record({
      fields: fc.constant(fields),
      collects: fc.constant(collects),
      // A oneof cannot contain a list.
      isOneof: fc.constant(oneof === 0 && !fields.some(({ kind }) => kind.endsWith("s"))),
      values: fc.tuple(...put),
      more: fc.oneof(
        { arbitrary: fc.constant<Record<string, JsonValue>>({}), weight: 3 },
        fc.dictionary(fc.constantFrom("a", "b", "zz"), ODD, { maxKeys: 1, noNullPrototype: true }),
      ),
      isReversed: fc.boolean(),
    });
  });

/** Puts a value at a path, unless another value is in the way. */
function put(object: Record<string, JsonValue>, [key, ...rest]: readonly string[], value: JsonValue): void {
  if (key === undefined) return;
  if (rest.length === 0) {
    object[key] ??= value;
    return;
  }
  const below = object[key] ?? {};
  if (typeof below !== "object" || Array.isArray(below)) return;
  object[key] = { ...(below as JsonObject) };
  put(object[key] as Record<string, JsonValue>, rest, value);
}

function reversed(value: JsonValue): JsonValue {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value as JsonObject).map(
    ([key, inner]) => [key, reversed(inner ?? null)] as const,
  );
  return Object.fromEntries(entries.reverse());
}

test("property: for fields with any paths, the scanner gives the decoder's result or falls back to the decoder", () => {
  let asked = 0;
  let read = 0;
  let reported = 0;
  let several = 0;
  fc.assert(
    fc.property(CASE, ({ fields, collects, isOneof, values, more, isReversed }) => {
      const adapter = methodOf(fields, collects, isOneof);
      const object: Record<string, JsonValue> = {};
      for (const [path, value, odds] of values) if (odds > 1) put(object, path, value);
      for (const [key, value] of Object.entries(more)) object[key] ??= value;
      const body = Buffer.from(JSON.stringify(isReversed ? reversed(object) : object));
      asked++;
      const found = scanned(adapter, body);
      const says = `${JSON.stringify(fields)} ${body}`;
      const work = pieces(adapter, body, 24);
      let step = work.next();
      while (step.done !== true) step = work.next();
      if (step.value !== undefined) expect(step.value, says).toEqual(decoded(adapter, body));
      if (found === undefined) return;
      read++;
      if (found.differences.list.length > 0) reported++;
      if (fields.length > 2) several++;
      expect(found, says).toEqual(decoded(adapter, body));
    }),
    { numRuns: 3000 },
  );
  // Otherwise the property would test little.
  expect(read / asked).toBeGreaterThan(0.4);
  expect(reported).toBeGreaterThanOrEqual(atLeast(50));
  expect(several).toBeGreaterThanOrEqual(atLeast(300));
});

test.each([
  ['{"id":"1","attributes":{"title":"x","new":[1],"body":"y"},"links":{"self":{"href":"z"}}}'],
  ['{"links":{"other":null,"self":{"href":"z","type":"t"}},"attributes":{"body":"y","title":null},"id":"1"}'],
  ['{"attributes":null,"links":{"self":null}}'],
  ['{"attributes":{},"links":{"self":{}}}'],
])("the scanner reads ordinary responses with nested fields: %s", (text) => {
  const fields: FieldPaths[] = [
    { kind: "string", paths: [["attributes", "title"]] },
    { kind: "string", paths: [["id"]] },
    { kind: "string", paths: [["links", "self", "href"]] },
    { kind: "string", paths: [["attributes", "body"]] },
  ];
  const body = Buffer.from(text);
  for (const collects of [true, false]) {
    const adapter = methodOf(fields, collects, false);
    expect(scanned(adapter, body)).toEqual(decoded(adapter, body));
  }
});

test.each([
  ["a repeated key in the nested object", '{"attributes":{"title":"x","title":"y"}}'],
  ["a key with an escape in the nested object", '{"attributes":{"\\u0074itle":"x"}}'],
])("the scanner reads %s", (_, text) => {
  const adapter = methodOf([{ kind: "string", paths: [["attributes", "title"]] }], false, false);
  expect(scanned(adapter, Buffer.from(text))).toEqual(decoded(adapter, Buffer.from(text)));
});

test.each([
  ["a list instead of the nested object", '{"attributes":[{"title":"x"}]}'],
  ["a string instead of the nested object", '{"attributes":"none"}'],
  ["a repeated nested object", '{"attributes":{"title":"x"},"attributes":{}}'],
])("%s is left to the decoder", (_, text) => {
  const adapter = methodOf([{ kind: "string", paths: [["attributes", "title"]] }], false, false);
  expect(scanned(adapter, Buffer.from(text))).toBeUndefined();
});
