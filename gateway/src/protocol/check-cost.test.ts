import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type JsonValue,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  AnySchema,
  DescriptorProtoSchema,
  FieldDescriptorProtoSchema,
  FieldMaskSchema,
  FileDescriptorProtoSchema,
  Int64ValueSchema,
  FieldDescriptorProto_Label as Label,
  StructSchema,
  FieldDescriptorProto_Type as Type,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  Budget,
  MESSAGE_COST,
  spendJson,
  spendWire,
  TooCostly,
  VALUE_COST,
} from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkJsonCost, checkWireCost } from "./check-cost.ts";

const SCALARS = [
  Type.DOUBLE,
  Type.FLOAT,
  Type.INT64,
  Type.UINT64,
  Type.INT32,
  Type.FIXED64,
  Type.FIXED32,
  Type.BOOL,
  Type.STRING,
  Type.BYTES,
  Type.UINT32,
  Type.SFIXED32,
  Type.SFIXED64,
  Type.SINT32,
  Type.SINT64,
];
const MAP_KEYS = [Type.STRING, Type.INT64, Type.UINT32, Type.BOOL, Type.FIXED64];

interface Shape {
  readonly label: "one" | "list" | "map";
  /** A scalar type, or the number of a message in the file, possibly the message that contains the field. */
  readonly type: Type | number;
  readonly key: Type;
  readonly isGroup: boolean;
}

const shapes: fc.Arbitrary<readonly (readonly Shape[])[]> = fc.array(
  fc.array(
    fc.record({
      label: fc.constantFrom("one" as const, "list" as const, "map" as const),
      type: fc.oneof(fc.constantFrom(...SCALARS), fc.integer({ min: 100, max: 102 })),
      key: fc.constantFrom(...MAP_KEYS),
      isGroup: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 3, maxLength: 3 },
);

/** Builds a message type whose fields have these shapes, with the nested message types. */
function described(messages: readonly (readonly Shape[])[]): DescMessage {
  const file = create(FileDescriptorProtoSchema, {
    name: "random.proto",
    package: "random",
    syntax: "proto2",
    messageType: messages.map((fields, index) => ({
      name: `M${index}`,
      field: fields.map((shape, at) => fieldOf(shape, at + 1, `M${index}`)),
      nestedType: fields.flatMap((shape, at) => (shape.label === "map" ? [entryOf(shape, at + 1)] : [])),
    })),
  });
  const desc = createFileRegistry(file, () => undefined).getMessage("random.M0");
  if (desc === undefined) throw new Error("no message");
  return desc;
}

function typeOf({ type, isGroup, label }: Shape) {
  if (type < 100) return { type };
  return { type: isGroup && label !== "map" ? Type.GROUP : Type.MESSAGE, typeName: `.random.M${type - 100}` };
}

function fieldOf(shape: Shape, number: number, parent: string) {
  const label = shape.label === "one" ? Label.OPTIONAL : Label.REPEATED;
  const base = { name: `f${number}`, jsonName: `f${number}`, number, label };
  return create(FieldDescriptorProtoSchema, {
    ...base,
    ...(shape.label === "map"
      ? { type: Type.MESSAGE, typeName: `.random.${parent}.F${number}Entry` }
      : typeOf(shape)),
  });
}

function entryOf(shape: Shape, number: number) {
  const field = (name: string, at: number, type: object) =>
    create(FieldDescriptorProtoSchema, {
      name,
      jsonName: name,
      number: at,
      label: Label.OPTIONAL,
      ...type,
    });
  return create(DescriptorProtoSchema, {
    name: `F${number}Entry`,
    field: [field("key", 1, { type: shape.key }), field("value", 2, typeOf(shape))],
    options: { mapEntry: true },
  });
}

/** Encoded fields, many with nested messages, and sometimes arbitrary bytes between them. */
const wire: fc.Arbitrary<Uint8Array> = fc.letrec<{ fields: Uint8Array }>((tie) => ({
  fields: fc
    .array(
      fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.tuple(fc.integer({ min: 1, max: 8 }), fc.uint8Array({ maxLength: 9 })).map(field),
        fc.tuple(fc.integer({ min: 1, max: 8 }), tie("fields")).map(field),
        fc.tuple(fc.integer({ min: 1, max: 8 }), tie("fields")).map(group),
        fc.tuple(fc.integer({ min: 1, max: 8 }), fc.nat(300)).map(varint),
        fc.uint8Array({ maxLength: 3 }),
      ),
      { maxLength: 8 },
    )
    .map((parts) => new Uint8Array(Buffer.concat(parts))),
})).fields;

function field([number, bytes]: readonly [number, Uint8Array]): Uint8Array {
  return new BinaryWriter().tag(number, WireType.LengthDelimited).bytes(bytes).finish();
}

function group([number, bytes]: readonly [number, Uint8Array]): Uint8Array {
  const out = new BinaryWriter().tag(number, WireType.StartGroup).raw(bytes);
  return out.tag(number, WireType.EndGroup).finish();
}

function varint([number, value]: readonly [number, number]): Uint8Array {
  return new BinaryWriter().tag(number, WireType.Varint).uint32(value).finish();
}

/**
 * Returns the cost of the values in a decoded message, at the prices of the budget. Overwritten fields do not
 * count.
 */
function holdingsOf(message: ReflectMessage): number {
  let sum = (message.getUnknown()?.length ?? 0) * VALUE_COST;
  for (const each of message.fields) {
    if (!message.isSet(each)) continue;
    if (each.fieldKind === "list") {
      for (const item of message.get(each)) sum += costOf(item);
    } else if (each.fieldKind === "map") {
      for (const [, value] of message.get(each)) sum += MESSAGE_COST + costOf(value);
    } else {
      sum += costOf(message.get(each));
    }
  }
  return sum;
}

function costOf(value: unknown): number {
  const isMessage = typeof value === "object" && value !== null && "message" in value;
  return isMessage ? MESSAGE_COST + holdingsOf(value as ReflectMessage) : VALUE_COST;
}

function holdings(desc: DescMessage, message: MessageShape<DescMessage>): number {
  return holdingsOf(reflect(desc, message));
}

test("property: the cost counted for protobuf bytes is at least the cost of the decoded values", () => {
  fc.assert(
    fc.property(shapes, wire, (messages, bytes) => {
      const desc = described(messages);
      const budget = new Budget(Number.POSITIVE_INFINITY);
      spendWire(budget, desc, bytes, 100);
      let message: MessageShape<DescMessage>;
      try {
        message = fromBinary(desc, bytes);
      } catch {
        return;
      }
      expect(budget.spent).toBeGreaterThanOrEqual(holdings(desc, message));
    }),
    { numRuns: 2000, interruptAfterTimeLimit: 10_000 },
  );
});

/** Generates JSON for a message type: values that match its fields, and unknown keys. */
function jsonFor(desc: DescMessage, depth: number): fc.Arbitrary<JsonValue> {
  const fields = desc.fields.filter(({ message }) => depth > 0 || message === undefined);
  const entries = fields.map((each) => {
    const { message } = each;
    const one: fc.Arbitrary<JsonValue> =
      message === undefined ? fc.constantFrom<JsonValue>(1, "1", true, null) : jsonFor(message, depth - 1);
    const list = fc.array(one, { maxLength: 4 });
    const map = fc.dictionary(fc.constantFrom("1", "2", "true"), one, { maxKeys: 3 });
    const value = each.fieldKind === "list" ? list : each.fieldKind === "map" ? map : one;
    return [each.jsonName, value as fc.Arbitrary<JsonValue>] as const;
  });
  const unknown = { unknown: fc.jsonValue() as fc.Arbitrary<JsonValue> };
  return fc.record({ ...Object.fromEntries(entries), ...unknown }, { requiredKeys: [] });
}

test("property: the cost counted for JSON is at least the cost of the decoded values", () => {
  const cases = shapes
    .map(described)
    .chain((desc) => fc.record({ desc: fc.constant(desc), json: jsonFor(desc, 2) }));
  fc.assert(
    fc.property(cases, fc.boolean(), ({ desc, json }, isSpaced) => {
      const text = JSON.stringify(json, undefined, isSpaced ? 1 : 0);
      const budget = new Budget(Number.POSITIVE_INFINITY);
      spendJson(budget, desc, text);
      let message: MessageShape<DescMessage>;
      try {
        message = fromJsonString(desc, text, { ignoreUnknownFields: true });
      } catch {
        return;
      }
      expect(budget.spent).toBeGreaterThanOrEqual(holdings(desc, message));
    }),
    { numRuns: 1000, interruptAfterTimeLimit: 10_000 },
  );
});

test("property: a google.protobuf.Value costs as much as the messages that it contains", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (json) => {
      const text = JSON.stringify(json);
      const budget = new Budget(Number.POSITIVE_INFINITY);
      spendJson(budget, ValueSchema, text);
      const message = fromJsonString(ValueSchema, text, { recursionLimit: 1000 });
      expect(budget.spent).toBeGreaterThanOrEqual(holdings(ValueSchema, message));
    }),
    { numRuns: 1000, interruptAfterTimeLimit: 10_000 },
  );
});

const DESC = described([
  [
    { label: "list", type: 101, key: Type.STRING, isGroup: false },
    { label: "list", type: Type.SINT32, key: Type.STRING, isGroup: false },
    { label: "map", type: 101, key: Type.STRING, isGroup: false },
    { label: "list", type: 101, key: Type.STRING, isGroup: true },
    { label: "one", type: 102, key: Type.STRING, isGroup: false },
    { label: "list", type: Type.STRING, key: Type.STRING, isGroup: false },
  ],
  [{ label: "one", type: Type.INT64, key: Type.STRING, isGroup: false }],
  [{ label: "map", type: Type.INT32, key: Type.INT64, isGroup: false }],
]);
const LIMIT = 100_000;
const OPTIONS = { limit: LIMIT, depth: 100, types: undefined };
const SIZE = 1_000_000;

function failure(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof ConnectError) return `${Code[error.code]}: ${error.rawMessage}`;
    throw error;
  }
  return "none";
}

const tooCostly =
  "ResourceExhausted: the message has too many values: decoding it costs more than messageCost, 100000";

test.each<readonly [string, readonly number[]]>([
  ["messages", [0x0a, 0]],
  ["items that are not packed", [0x10, 0]],
  ["empty entries of a map", [0x1a, 0]],
  ["groups", [0x23, 0x24]],
  ["a repeated singular message", [0x2a, 0]],
  ["empty strings", [0x32, 0]],
  ["unknown fields", [0x78, 0]],
  ["unknown groups", [0x7b, 0x7c]],
  ["overlong varints of unknown fields", [0x78, ...new Array(12).fill(0x80), 0]],
])("protobuf with a million bytes of %s is rejected before decoding", (_, unit) => {
  const bytes = Buffer.alloc(SIZE - (SIZE % unit.length), Uint8Array.from(unit));
  const budget = new Budget(LIMIT);
  expect(() => spendWire(budget, DESC, bytes, 100)).toThrow(TooCostly);
  expect(failure(() => checkWireCost(DESC, bytes, OPTIONS))).toBe(tooCostly);
  // the check has stopped at the limit
  expect(budget.spent).toBeLessThanOrEqual(LIMIT + 2 * MESSAGE_COST);
});

test("protobuf with a million packed numbers is rejected before decoding", () => {
  const bytes = new BinaryWriter().tag(2, WireType.LengthDelimited).bytes(Buffer.alloc(SIZE)).finish();
  expect(failure(() => checkWireCost(DESC, bytes, OPTIONS))).toBe(tooCostly);
});

test("a nested message whose length exceeds the remaining bytes is counted up to the last byte", () => {
  const inner = Buffer.alloc(SIZE, Uint8Array.of(0x0a, 0));
  const bytes = Buffer.concat([Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0x7f), inner]);
  expect(failure(() => checkWireCost(DESC, bytes, OPTIONS))).toBe(tooCostly);
});

test("messages in a google.protobuf.Any are counted, and too deeply nested Any messages are rejected", () => {
  const types = createFileRegistry(DESC.file.proto, () => undefined);
  const any = (name: string, value: Uint8Array) =>
    new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .string(`type.googleapis.com/${name}`)
      .tag(2, WireType.LengthDelimited)
      .bytes(value)
      .finish();
  const bomb = any("random.M0", Buffer.alloc(SIZE, Uint8Array.of(0x0a, 0)));
  expect(failure(() => checkWireCost(AnySchema, bomb, { ...OPTIONS, types }))).toBe(tooCostly);
  expect(failure(() => checkWireCost(AnySchema, bomb, OPTIONS))).toBe("none");
  const known = { ...types, getMessage: () => AnySchema };
  let nested: Uint8Array = new Uint8Array();
  for (let depth = 0; depth < 2000; depth++) nested = any("google.protobuf.Any", nested);
  expect(failure(() => checkWireCost(AnySchema, nested, { ...OPTIONS, types: known }))).toBe(
    "InvalidArgument: the message has more than 16 google.protobuf.Any within one another",
  );
});

test.each<readonly [string, DescMessage, string, string, string]>([
  ["messages", DESC, '{"f1":[', "{},", "]}"],
  ["numbers", DESC, '{"f2":[', "1,", "]}"],
  ["unknown objects", DESC, '{"u":[', "{},", "]}"],
  ["open unknown arrays", DESC, '{"u":', "[", ""],
  ["open braces", DESC, "", '{"u":', ""],
  ["values", StructSchema, '{"a":[', "1,", "]}"],
  ["lists of values", StructSchema, '{"a":[', "[],", "]}"],
  ["words", StructSchema, '{"a":[', "null,", "]}"],
  ["paths of a field mask", FieldMaskSchema, '"', "a,", '"'],
  ["steps of one path of a field mask", FieldMaskSchema, '"', "aB", '"'],
  ["values of an Any", AnySchema, '{"@type":"a/b.C","v":[', "1,", "]}"],
  ["paths in an Any", AnySchema, '{"@type":"a/google.protobuf.FieldMask","value":"', "a,", '"}'],
])("JSON with a million characters of %s is rejected before parsing", (_, desc, start, unit, end) => {
  const text = start + unit.repeat(SIZE / unit.length) + end;
  expect(failure(() => checkJsonCost(desc, text, OPTIONS))).toBe(tooCostly);
});

const tooLong = (length: number) =>
  `InvalidArgument: a number of the message has ${length} characters; numbers have at most 1000 digits`;

test.each<readonly [string, DescMessage, (digits: string) => string]>([
  ["a number", StructSchema, (digits) => `{"a":${digits}}`],
  ["a number below an unknown key", DESC, (digits) => `{"u":${digits}}`],
  ["a 64-bit integer in quotes", DESC, (digits) => `{"f1":[{"f1":"${digits}"}]}`],
  ["a 64-bit key of a map", DESC, (digits) => `{"f5":{"f1":{"${digits}":1}}}`],
  ["a wrapper", Int64ValueSchema, (digits) => `"${digits}"`],
  [
    "a wrapper in an Any",
    AnySchema,
    (digits) => `{"@type":"a/google.protobuf.Int64Value","value":"${digits}"}`,
  ],
  ["an escaped key", DESC, (digits) => `{"\\u00661":[{"f1":"${digits}"}]}`],
])("%s with too many digits is rejected before parsing", (_, desc, textOf) => {
  expect(failure(() => checkJsonCost(desc, textOf("1".repeat(1001)), OPTIONS))).toBe(tooLong(1001));
  expect(failure(() => checkJsonCost(desc, textOf("1".repeat(1000)), OPTIONS))).toBe("none");
});

test("strings may be as long as the message, and may consist of digits", () => {
  const text = JSON.stringify({ f6: ["1".repeat(SIZE), '"\\,{[A'.repeat(10_000)] });
  expect(checkJsonCost(DESC, text, OPTIONS)).toBeLessThan(50);
});

test("a message that is too small to cost much is not scanned", () => {
  expect(checkWireCost(DESC, Buffer.alloc(1000), OPTIONS)).toBe(10_000);
  expect(checkJsonCost(DESC, "[".repeat(1000), OPTIONS)).toBe(10_000);
});
