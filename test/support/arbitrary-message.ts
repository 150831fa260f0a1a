/** Generates messages of any type for property tests with fast-check. */
import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
} from "@bufbuild/protobuf";
import { ListValueSchema, ValueSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";

/** Arbitraries that replace the default for certain fields, by `<full name of message>.<field>`. */
export type Overrides = Readonly<Record<string, fc.Arbitrary<unknown>>>;
type IsRequired = (member: DescField | DescOneof) => boolean;
/** The depth below which messages are empty, even if they require themselves. */
const MIN_DEPTH = -4;

/**
 * Generates messages of a type, with valid well-known types.
 *
 * @param depth the maximum nesting of messages
 * @param isRequired reports whether each message has a field or oneof, also at the maximum depth
 */
export function arbitraryMessage<D extends DescMessage>(
  desc: D,
  overrides: Overrides = {},
  depth = 4,
  isRequired: IsRequired = () => false,
): fc.Arbitrary<MessageShape<D>> {
  return new Arbitraries(overrides, isRequired).message(desc, depth) as fc.Arbitrary<MessageShape<D>>;
}

/**
 * Generates JSON that a google.protobuf.Value represents exactly: no integers above 2^53, no -0, no
 * `__proto__`.
 */
export function arbitraryValue(): fc.Arbitrary<JsonValue> {
  return fc.jsonValue({ maxDepth: 3 }).filter(isPlain) as fc.Arbitrary<JsonValue>;
}

function isPlain(json: unknown): boolean {
  if (typeof json === "number") return !Object.is(json, -0) && (Number.isSafeInteger(json) || json % 1 !== 0);
  if (typeof json !== "object" || json === null) return true;
  return !Object.hasOwn(json, "__proto__") && Object.values(json).every(isPlain);
}

const text = fc.string({ unit: "grapheme", maxLength: 60 });
const int32 = fc.integer();
const uint32 = fc.nat(0xffff_ffff);
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const uint64 = fc.bigInt(0n, 2n ** 64n - 1n);
// JSON cannot represent -0.
const isNotMinusZero = (value: number) => !Object.is(value, -0);

const SCALARS: Readonly<Record<ScalarType, fc.Arbitrary<unknown>>> = {
  [ScalarType.DOUBLE]: fc.double().filter(isNotMinusZero),
  [ScalarType.FLOAT]: fc.float().filter(isNotMinusZero),
  [ScalarType.INT64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.INT32]: int32,
  [ScalarType.FIXED64]: uint64,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.BOOL]: fc.boolean(),
  [ScalarType.STRING]: text,
  [ScalarType.BYTES]: fc.uint8Array({ maxLength: 40 }),
  [ScalarType.UINT32]: uint32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.SINT32]: int32,
  [ScalarType.SINT64]: int64,
};

const timestamp = fc.record({
  seconds: fc.bigInt(-62_135_596_800n, 253_402_300_799n),
  nanos: fc.nat(999_999_999),
});

const duration = fc
  .record({ seconds: fc.bigInt(-315_575_999_999n, 315_575_999_999n), nanos: fc.nat(999_999_999) })
  .map(({ seconds, nanos }) => ({ seconds, nanos: seconds < 0n ? -nanos : nanos }));

const mask = fc.record({
  paths: fc.array(fc.stringMatching(/^[a-z]{1,5}(_[a-z]{1,5}){0,2}$/), { maxLength: 3 }),
});

class Arbitraries {
  private readonly overrides: Overrides;
  private readonly isRequired: IsRequired;

  constructor(overrides: Overrides, isRequired: IsRequired) {
    this.overrides = overrides;
    this.isRequired = isRequired;
  }

  message(desc: DescMessage, depth: number): fc.Arbitrary<Message> {
    if (depth <= MIN_DEPTH) return fc.constant(create(desc));
    const required = desc.members.filter(this.isRequired);
    const included = depth <= 0 ? required : desc.members;
    const members = included.map((member) => {
      const value = member.kind === "oneof" ? this.oneof(member, depth) : this.field(member, depth);
      return [member.localName, value] as const;
    });
    const requiredKeys = required.map(({ localName }) => localName);
    const init = fc.record(Object.fromEntries(members), { requiredKeys });
    return init.map((values) => create(desc, values as MessageInitShape<DescMessage>));
  }

  private oneof(oneof: DescOneof, depth: number): fc.Arbitrary<unknown> {
    const cases = oneof.fields.map((field) =>
      this.field(field, depth).map((value) => ({ case: field.localName, value })),
    );
    return fc.oneof(...cases);
  }

  private field(field: DescField, depth: number): fc.Arbitrary<unknown> {
    const override = this.overrides[`${field.parent.typeName}.${field.name}`];
    if (override !== undefined) return override;
    switch (field.fieldKind) {
      case "list":
        if (depth <= 0) return fc.constant([]);
        return fc.array(this.item(field, depth), { minLength: this.isRequired(field) ? 1 : 0, maxLength: 3 });
      case "map":
        return this.map(field, depth);
      default:
        return this.item(field, depth);
    }
  }

  private item(field: DescField, depth: number): fc.Arbitrary<unknown> {
    if ("message" in field && field.message !== undefined) {
      const isBare = field.fieldKind === "message" && field.oneof === undefined;
      return this.special(field.message, isBare) ?? this.message(field.message, depth - 1);
    }
    if ("enum" in field && field.enum !== undefined) {
      return fc.constantFrom(...field.enum.values.map((value) => value.number));
    }
    if ("scalar" in field && field.scalar !== undefined) return SCALARS[field.scalar];
    throw new Error(`${field} is of no known kind`);
  }

  private map(field: DescField & { fieldKind: "map" }, depth: number): fc.Arbitrary<unknown> {
    const key = SCALARS[field.mapKey].map(String).filter((name) => name !== "__proto__");
    return fc.dictionary(key, this.item(field, depth), { maxKeys: 3, noNullPrototype: true });
  }

  /**
   * Generates well-known types as protobuf-es represents them: a singular wrapper as its bare value, and a
   * Struct as plain JSON.
   */
  private special(desc: DescMessage, isBare: boolean): fc.Arbitrary<unknown> | undefined {
    switch (desc.typeName) {
      case "google.protobuf.Timestamp":
        return timestamp.map((value) => create(desc, value as Record<string, unknown>));
      case "google.protobuf.Duration":
        return duration.map((value) => create(desc, value as Record<string, unknown>));
      case "google.protobuf.FieldMask":
        return mask.map((value) => create(desc, value as Record<string, unknown>));
      case "google.protobuf.Struct":
        return fc.dictionary(
          text.filter((key) => key !== "__proto__"),
          arbitraryValue(),
          {
            maxKeys: 3,
            noNullPrototype: true,
          },
        ) as fc.Arbitrary<JsonObject>;
      case "google.protobuf.Value":
        return arbitraryValue().map((json) => fromJson(ValueSchema, json));
      case "google.protobuf.ListValue":
        return fc.array(arbitraryValue(), { maxLength: 3 }).map((json) => fromJson(ListValueSchema, json));
      default:
        return this.wrapper(desc, isBare);
    }
  }

  private wrapper(desc: DescMessage, isBare: boolean): fc.Arbitrary<unknown> | undefined {
    const [value] = desc.fields;
    const isWrapper = /^google\.protobuf\.\w+Value$/.test(desc.typeName) && desc.fields.length === 1;
    if (!isWrapper || value?.fieldKind !== "scalar") return undefined;
    const bare = SCALARS[value.scalar];
    return isBare ? bare : bare.map((inner) => create(desc, { value: inner } as Record<string, unknown>));
  }
}
