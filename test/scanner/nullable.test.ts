/** Compares the two decoders for values that may be null: items of lists, values of maps, and fields. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decode } from "../../codec/src/decode-bytes.ts";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import type { ScalarKind } from "../../codec/src/table/kinds.ts";
import { type Kind, table } from "../../codec/src/table/message-table.ts";
import { ValueTable } from "../../codec/src/table/well-known.ts";
import { decoded, methodReadBy, scanned } from "./both.ts";

const OAK = new EnumTable("Tree", [
  [0, "NONE"],
  [1, "oak"],
]);
const Inner = table("test.Inner", () => [
  [1, "string", "text"],
  [2, { list: { unwrap: [1, "int32"], orNull: true } }, "numbers"],
]);

/** A kind of value, and JSON that fits. */
interface Sample {
  readonly kind: Kind;
  readonly json: fc.Arbitrary<unknown>;
}

function sample(kind: Kind, json: fc.Arbitrary<unknown>): Sample {
  return { kind, json };
}

const INTEGERS: readonly ScalarKind[] = [
  "int32",
  "sint32",
  "uint32",
  "fixed32",
  "sfixed32",
  "int64",
  "fixed64",
];
const SCALARS: readonly Sample[] = [
  sample("string", fc.string()),
  sample("bytes", fc.base64String()),
  sample("bool", fc.boolean()),
  sample("double", fc.integer()),
  sample(OAK, fc.constant("oak")),
  sample({ time: "seconds", none: "0" }, fc.nat()),
  sample(Inner, fc.record({ text: fc.string(), numbers: fc.array(fc.option(fc.nat({ max: 99 }))) })),
  ...INTEGERS.map((kind) => sample(kind, fc.nat())),
];

const value: fc.Arbitrary<Sample> = fc
  .constantFrom(...SCALARS)
  .chain((inner) =>
    fc.constantFrom(
      inner,
      sample({ unwrap: [1, { list: inner.kind }] }, fc.array(inner.json, { maxLength: 3 })),
      sample(
        { unwrap: [1, { list: { unwrap: [1, inner.kind], orNull: true } }] },
        fc.array(fc.option(inner.json), { maxLength: 3 }),
      ),
    ),
  );

/** Returns fields whose values may be null, with JSON. */
function fieldsOf({ kind, json }: Sample): readonly Sample[] {
  const nullable: Kind = { unwrap: [1, kind], orNull: true };
  // the scanner leaves keys with escapes to the decoder
  const key = fc.stringMatching(/^[a-z]{1,4}$/);
  return [
    sample(nullable, fc.option(json)),
    sample({ list: nullable }, fc.array(fc.option(json))),
    sample({ map: nullable }, fc.dictionary(key, fc.option(json))),
    sample(ValueTable, fc.oneof(fc.constant(null), fc.string())),
  ];
}

const field = value.chain((inner) => fc.constantFrom(...fieldsOf(inner)));

/** A field, and an object with the two keys that the field is read from. */
const body = field.chain(({ kind, json }) =>
  fc.record({
    kind: fc.constant(kind),
    key: fc.option(json, { nil: undefined }),
    other: fc.option(json, { nil: undefined }),
    isOtherFirst: fc.boolean(),
  }),
);

test("property: both decoders read null as a value wherever the table says so", () => {
  let nulls = 0;
  fc.assert(
    fc.property(body, ({ kind, key, other, isOtherFirst }) => {
      const adapter = methodReadBy(table("test.Field", () => [[7, kind, "key", "other"]]));
      const text = JSON.stringify(isOtherFirst ? { other, key } : { key, other });
      const read = scanned(adapter, Buffer.from(text));
      expect(read, text).toEqual(decoded(adapter, Buffer.from(text)));
      expect(read?.differences.list, text).toEqual([]);
      if (text.includes("null")) nulls++;
    }),
    { numRuns: 3000 },
  );
  expect(nulls).toBeGreaterThan(100);
});

test("property: for values that do not fit, the scanner gives the decoder's result or falls back to the decoder", () => {
  let read = 0;
  fc.assert(
    fc.property(body, fc.nat(), fc.jsonValue({ maxDepth: 1 }), ({ kind, key, other }, at, wrong) => {
      const adapter = methodReadBy(table("test.Field", () => [[7, kind, "key", "other"]]));
      const places = [...JSON.stringify({ key, other }).matchAll(/null|"[^"\\]*"(?!:)|\b\d+\b|\[\]/g)];
      const place = places[at % Math.max(1, places.length)];
      const text = JSON.stringify({ key, other });
      const changed =
        place === undefined
          ? text
          : text.slice(0, place.index) + JSON.stringify(wrong) + text.slice(place.index + place[0].length);
      const found = scanned(adapter, Buffer.from(changed));
      if (found === undefined) return;
      read++;
      expect(found, changed).toEqual(decoded(adapter, Buffer.from(changed)));
    }),
    { numRuns: 3000 },
  );
  expect(read).toBeGreaterThan(100);
});

test("null in a tuple is the value of a google.protobuf.Value, and leaves other fields unset", () => {
  const pair = table("test.Pair", () => [
    {
      tuple: [
        [1, ValueTable],
        [2, "string"],
        [3, "int32"],
      ],
    },
  ]);
  const holder = table("test.Holder", () => [[1, pair, "pair"]]);
  const { bytes, differences } = decode(holder, Buffer.from('{"pair":[null,null,7]}'));
  expect(Buffer.from(bytes).toString("hex")).toBe("0a060a0208001807");
  expect(differences.list).toEqual([]);
});
