/** Generates messages from few values, which requests are likely to confuse. */
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  anyPack,
  DurationSchema,
  FieldMaskSchema,
  Int32ValueSchema,
  ListValueSchema,
  StringValueSchema,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

const TEXTS = [
  "",
  "a",
  "b",
  " a",
  "a ",
  "a,b",
  ",",
  "0",
  "1",
  "true",
  "True",
  "1e0",
  "01",
  "0x1",
  " 1",
  "null",
  "%2C",
  "%22",
  '"',
  "\n",
  "%0A",
  "\r\n",
];
const MORE_TEXTS = [
  "[",
  "]",
  "&",
  "=",
  "+",
  " ",
  "é",
  "\ufffd",
  "\0",
  "/",
  "a/b",
  ".",
  "..",
  "a.",
  "a-",
  "{}",
  "[]",
  "__proto__",
  "x",
];
const text = fc.constantFrom(
  ...TEXTS,
  ...MORE_TEXTS,
  "type",
  "s",
  "leaf",
  "list",
  "row",
  "text/plain",
  "application/json",
);
const int32 = fc.constantFrom(0, 1, -1, 3, 2 ** 31 - 1);
const uint32 = fc.constantFrom(0, 1, 3, 2 ** 32 - 1);
const int64 = fc.constantFrom(0n, 1n, -1n, 2n ** 53n, 2n ** 53n + 1n);
const uint64 = fc.constantFrom(0n, 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n);
const double = fc.constantFrom(
  0,
  -0,
  1,
  0.1,
  0.1 + Number.EPSILON / 8,
  1e21,
  5e-324,
  NaN,
  Infinity,
  -Infinity,
);
const bytes = fc
  .constantFrom(
    "",
    "00",
    "ff",
    "fe",
    "2c",
    "61",
    "612c61",
    "efbfbd",
    "fbff",
    "20",
    "6120",
    "c3a9",
    "31",
    "2e",
  )
  .map((hex) => new Uint8Array(Buffer.from(hex, "hex")));

const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.DOUBLE]: double,
  [ScalarType.FLOAT]: double,
  [ScalarType.INT64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.INT32]: int32,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.STRING]: text,
  [ScalarType.BYTES]: bytes,
  [ScalarType.UINT32]: uint32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.SINT32]: int32,
  [ScalarType.SINT64]: int64,
};

const seconds = fc.constantFrom(0n, 1n, -1n, 60n, 86_400n, 1_767_225_600n, 253_402_300_799n);
const nanos = fc.constantFrom(0, 1, 1_000_000, 500_000_000, 123_456_789, 999_999_999, 1_000_000_000, -1);
const timestamp = fc.record({ seconds, nanos }).map((init) => create(TimestampSchema, init));
const duration = fc
  .record({
    seconds: fc.constantFrom(0n, 1n, -1n, 90n, 123_456_789_012n, 315_576_000_001n),
    nanos: fc.constantFrom(0, 1, 500_000_000, -500_000_000, 1_500_000_000, 123_456_789),
  })
  .map((init) => create(DurationSchema, init));
const mask = fc
  .array(fc.constantFrom("", "a", "b", "a,b", "foo_bar", "fooBar", "a.b", "*", "foo_", "s"), { maxLength: 2 })
  .map((paths) => create(FieldMaskSchema, { paths }));

const keys = fc.constantFrom("", "a", "b", "0", "1", "[", "a]", "a[b]", "__proto__", "s", "é", "%22", '"');
const { json } = fc.letrec<{ json: JsonValue; list: JsonValue[]; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(fc.constantFrom(null, true, false, 0, 1, 0.1), text),
    tie("list"),
    tie("object"),
  ),
  list: fc.array(tie("json"), { maxLength: 2 }),
  object: fc.dictionary(keys, tie("json"), { maxKeys: 2, noNullPrototype: true }),
}));
const struct = fc.dictionary(keys, json, { maxKeys: 2, noNullPrototype: true });
const any = fc.oneof(
  int32.map((value) => anyPack(Int32ValueSchema, create(Int32ValueSchema, { value }))),
  text.map((value) => anyPack(StringValueSchema, create(StringValueSchema, { value }))),
);

/** The maximum nesting depth of messages. */
const DEPTH = 3;

/** Generates messages of a type. */
export function edgeMessage(desc: DescMessage, depth: number = DEPTH): fc.Arbitrary<Message> {
  if (depth <= 0) return fc.constant(create(desc));
  const members = desc.members.map((member) => {
    const value =
      member.kind === "oneof"
        ? fc.oneof(
            ...member.fields.map((field) =>
              arbitraryOf(field, depth).map((each) => ({ case: field.localName, value: each })),
            ),
          )
        : arbitraryOf(member, depth);
    return [member.localName, value] as const;
  });
  return fc
    .record(Object.fromEntries(members), { requiredKeys: [] })
    .map((values) => create(desc, values as MessageInitShape<DescMessage>));
}

function arbitraryOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  // A key that a declared field writes belongs to that field.
  if (field.name === "others") return looseEntries;
  switch (field.fieldKind) {
    case "list":
      return fc.array(itemOf(field, depth), { maxLength: 2 });
    case "map":
      return fc.dictionary(keys, itemOf(field, depth), { maxKeys: 2, noNullPrototype: true });
    default:
      return itemOf(field, depth);
  }
}

const looseEntries = fc.dictionary(
  keys.filter((key) => key !== "s"),
  json.map((value) => JSON.stringify(value)),
  { maxKeys: 2, noNullPrototype: true },
);

function itemOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if ("enum" in field && field.enum !== undefined) {
    if (field.enum.typeName === "google.protobuf.NullValue") return fc.constant(0);
    return fc.constantFrom(0, 1, 2, 3, 4, 5, 6);
  }
  if ("message" in field && field.message !== undefined) {
    const isBare = field.fieldKind === "message" && field.oneof === undefined;
    return wellKnown(field.message, isBare) ?? edgeMessage(field.message, depth - 1);
  }
  if ("scalar" in field && field.scalar !== undefined) return SCALARS[field.scalar];
  throw new Error(`${field} is of no known kind`);
}

const KNOWN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  Timestamp: timestamp,
  Duration: duration,
  FieldMask: mask,
  Struct: struct,
  Value: json.map((value) => fromJson(ValueSchema, value)),
  ListValue: fc.array(json, { maxLength: 2 }).map((value) => fromJson(ListValueSchema, value)),
  Any: any,
};

/** protobuf-es represents a singular wrapper as its bare value. */
function wellKnown(desc: DescMessage, isBare: boolean): fc.Arbitrary<unknown> | undefined {
  if (!desc.typeName.startsWith("google.protobuf.")) return undefined;
  const known = KNOWN[desc.name];
  const [value] = desc.fields;
  if (known !== undefined || value?.fieldKind !== "scalar") return known;
  const bare = SCALARS[value.scalar];
  return isBare ? bare : bare.map((inner) => create(desc, { value: inner } as Record<string, unknown>));
}
