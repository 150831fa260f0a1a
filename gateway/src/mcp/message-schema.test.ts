import {
  create,
  createFileRegistry,
  type DescMessage,
  type Message,
  type MessageInitShape,
  setExtension,
  toJson,
} from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  MessageOptionsSchema,
  OneofOptionsSchema,
  type FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import {
  FieldRulesSchema,
  file_buf_validate_validate,
  Ignore,
  MessageRulesSchema,
  message as messageExtension,
  OneofRulesSchema,
  oneof as oneofExtension,
  field as rulesExtension,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { messageSchema } from "./message-schema.ts";

type Rules = MessageInitShape<typeof FieldRulesSchema>;

/** A field with rules, and its values. `isExact` means that the schema expresses all of the rules. */
interface Case {
  readonly type: Type;
  readonly rules: Rules;
  readonly isExact: boolean;
  readonly values: fc.Arbitrary<unknown>;
}

const { INT32, SINT32, UINT32, INT64, UINT64, DOUBLE, FLOAT, STRING, BYTES, BOOL } =
  FieldDescriptorProto_Type;

const small = fc.integer({ min: -3, max: 3 });
const one = <T>(value: T) => fc.constantFrom(undefined, value);
const bound = <L extends string, U extends string, V>(
  values: fc.Arbitrary<V>,
  lower: readonly L[],
  upper: readonly U[],
) =>
  fc.record({
    greaterThan: fc.option(fc.record({ case: fc.constantFrom(...lower), value: values }), { nil: undefined }),
    lessThan: fc.option(fc.record({ case: fc.constantFrom(...upper), value: values }), { nil: undefined }),
  });

function isOrdered({
  greaterThan,
  lessThan,
}: {
  greaterThan: { value: number | bigint } | undefined;
  lessThan: { value: number | bigint } | undefined;
}): boolean {
  return greaterThan === undefined || lessThan === undefined || greaterThan.value < lessThan.value;
}

const defined = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));

const numbers = (type: Type, name: string, values: fc.Arbitrary<number>): fc.Arbitrary<Case> =>
  fc
    .record({ range: bound(values, ["gt", "gte"], ["lt", "lte"]), rest: setsOf(values) })
    .map(({ range, rest }) => ({
      type,
      rules: { type: { case: name, value: { ...defined(range), ...rest } } } as Rules,
      isExact: isOrdered(range),
      values,
    }));

function setsOf<T>(values: fc.Arbitrary<T>) {
  return fc
    .record({
      const: fc.option(values, { nil: undefined, freq: 4 }),
      in: fc.option(fc.array(values, { minLength: 1, maxLength: 3 }), { nil: undefined }),
      notIn: fc.option(fc.array(values, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    })
    .map(defined);
}

const longs = (type: Type, name: string, min: bigint): fc.Arbitrary<Case> => {
  const values = fc.bigInt({ min, max: 3n });
  return fc
    .record({ range: bound(values, ["gt", "gte"], ["lt", "lte"]), rest: setsOf(values) })
    .map(({ range, rest }) => ({
      type,
      rules: { type: { case: name, value: { ...defined(range), ...rest } } } as Rules,
      isExact: range.greaterThan === undefined && range.lessThan === undefined,
      values,
    }));
};

const texts = fc.string({
  unit: fc.constantFrom("a", "b", "A", "é", "😀", "-", ".", "\n", "\u2028"),
  maxLength: 5,
});

const strings: fc.Arbitrary<Case> = fc
  .record({
    minLen: one(2n),
    maxLen: one(4n),
    len: fc.option(fc.constant(3n), { nil: undefined, freq: 5 }),
    minBytes: one(3n),
    maxBytes: one(6n),
    prefix: fc.option(texts, { nil: undefined, freq: 3 }),
    suffix: fc.option(texts, { nil: undefined, freq: 3 }),
    contains: fc.option(texts, { nil: undefined, freq: 3 }),
    notContains: fc.option(
      texts.filter((text) => text !== ""),
      { nil: undefined, freq: 3 },
    ),
    pattern: fc.constantFrom(
      undefined,
      undefined,
      "^[a-z]+$",
      "a|b",
      "^.+$",
      "^\\S*$",
      "(?i)a",
      "^\\w{1,3}$",
    ),
    sets: setsOf(texts),
  })
  .map(({ sets, ...rules }) => ({
    type: STRING,
    rules: { type: { case: "string", value: { ...defined(rules), ...sets } } } as Rules,
    isExact:
      rules.minBytes === undefined && rules.maxBytes === undefined && !/[.(]|\\S/.test(rules.pattern ?? ""),
    values: texts,
  }));

const bytes: fc.Arbitrary<Case> = fc
  .record({ minLen: one(2n), maxLen: one(4n), len: one(3n) })
  .map((rules) => ({
    type: BYTES,
    rules: { type: { case: "bytes", value: defined(rules) } } as Rules,
    isExact: false,
    values: fc.uint8Array({ maxLength: 6 }),
  }));

const booleans: fc.Arbitrary<Case> = fc
  .record({ const: fc.option(fc.boolean(), { nil: undefined }) })
  .map((rules) => ({
    type: BOOL,
    rules: { type: { case: "bool", value: defined(rules) } } as Rules,
    isExact: true,
    values: fc.boolean(),
  }));

const specials = fc.oneof(
  { arbitrary: small, weight: 4 },
  { arbitrary: fc.constantFrom(NaN, Infinity, -Infinity), weight: 1 },
);
const doubles = (type: Type, name: string): fc.Arbitrary<Case> =>
  fc.record({ each: numbers(type, name, small), finite: one(true) }).map(({ each, finite }) => ({
    ...each,
    rules: {
      type: {
        case: name,
        value: { ...(each.rules.type as { value: object }).value, ...defined({ finite }) },
      },
    } as Rules,
    values: specials as fc.Arbitrary<unknown>,
  }));

const CASES: fc.Arbitrary<Case> = fc.oneof(
  numbers(INT32, "int32", small),
  numbers(SINT32, "sint32", small),
  numbers(UINT32, "uint32", fc.nat({ max: 3 })),
  longs(INT64, "int64", -3n),
  longs(UINT64, "uint64", 0n),
  doubles(DOUBLE, "double"),
  doubles(FLOAT, "float"),
  strings,
  bytes,
  booleans,
);

interface Field {
  readonly each: Case;
  readonly presence: "implicit" | "explicit" | "repeated";
  readonly required: boolean;
  readonly ignore: Ignore;
  readonly list: { minItems?: bigint; maxItems?: bigint; unique?: boolean };
}

const FIELDS: fc.Arbitrary<Field> = fc.record({
  each: CASES,
  presence: fc.constantFrom("implicit", "explicit", "repeated"),
  required: fc.boolean(),
  ignore: fc.constantFrom(Ignore.UNSPECIFIED, Ignore.UNSPECIFIED, Ignore.IF_ZERO_VALUE, Ignore.ALWAYS),
  list: fc.record({ minItems: one(1n), maxItems: one(2n) }).map(defined),
});

/** Describes a message with one field that has rules. */
function describe({ each, presence, required, ignore, list }: Field): DescMessage {
  const isRepeated = presence === "repeated";
  const type: Rules["type"] = isRepeated
    ? { case: "repeated", value: { ...list, items: each.rules } as never }
    : (each.rules.type as never);
  const options = create(FieldOptionsSchema);
  setExtension(options, rulesExtension, create(FieldRulesSchema, { required, ignore, type } as Rules));
  const field = create(FieldDescriptorProtoSchema, {
    ...{ name: "some_field", jsonName: "someField", number: 1, type: each.type, options },
    label: isRepeated ? Label.REPEATED : Label.OPTIONAL,
    ...(presence === "explicit" && { proto3Optional: true, oneofIndex: 0 }),
  });
  const oneofDecl = presence === "explicit" ? [{ name: "_some_field" }] : [];
  return messageOf({ messageType: [{ name: "M", field: [field], oneofDecl }] });
}

function messageOf(file: MessageInitShape<typeof FileDescriptorProtoSchema>): DescMessage {
  const proto = create(FileDescriptorProtoSchema, {
    name: "m.proto",
    package: "t",
    syntax: "proto3",
    ...file,
  });
  const desc = createFileRegistry(proto, () => file_buf_validate_validate).getMessage("t.M");
  if (desc === undefined) throw new Error("no message");
  return desc;
}

const OPTIONS = { comments: new Map<string, string>(), hasRules: true };
const ajv = new AjvJsonSchemaValidator();

/** Compares the verdicts of protovalidate and of the schema. */
function verdicts(desc: DescMessage, message: Message) {
  const json = toJson(desc, message);
  const valid = createValidator().validate(desc, message);
  const accepted = ajv.getValidator<unknown>(messageSchema(desc, OPTIONS) as never)(json);
  return { kind: valid.kind, accepted: accepted.valid, json: JSON.stringify(json) };
}

test("a schema accepts the JSON of every message that satisfies the rules, and rejects violations of rules that it has", () => {
  const drawn = FIELDS.chain((field) => {
    const { values } = field.each;
    const value =
      field.presence === "repeated"
        ? fc.array(values, { maxLength: 3 })
        : fc.option(values, { nil: undefined });
    return fc.record({ field: fc.constant(field), value });
  });
  let valid = 0;
  let invalid = 0;
  fc.assert(
    fc.property(drawn, ({ field, value }) => {
      const desc = describe(field);
      const message = create(desc, value === undefined ? {} : ({ someField: value } as never));
      const { kind, accepted, json } = verdicts(desc, message);
      if (kind === "valid") {
        valid += 1;
        expect({ json, accepted }).toEqual({ json, accepted: true });
      } else if (kind === "invalid" && field.each.isExact) {
        invalid += 1;
        expect({ json, accepted }).toEqual({ json, accepted: false });
      }
    }),
    { numRuns: 1000 },
  );
  expect(Math.min(valid, invalid)).toBeGreaterThan(20);
});

const STRING_FIELDS = ["a", "b", "c"].map((name, index) => ({
  ...{ name, jsonName: name, number: index + 1, type: STRING, label: Label.OPTIONAL },
}));

test("a schema accepts at most one field of a group, and one field of a required group", () => {
  const chosen = fc.record({ a: fc.boolean(), b: fc.boolean(), c: fc.boolean() });
  fc.assert(
    fc.property(fc.boolean(), fc.boolean(), chosen, (required, isRule, present) => {
      const json = Object.fromEntries(
        Object.entries(present).flatMap(([name, set]) => (set ? [[name, "x"]] : [])),
      );
      const desc = groupOf(required, isRule);
      const accepted = ajv.getValidator<unknown>(messageSchema(desc, OPTIONS) as never)(json).valid;
      const count = Object.keys(json).length;
      expect(accepted).toBe(count === 1 || (count === 0 && !required));
    }),
  );
});

/** Describes a message with a group of three fields: a oneof, or a rule of the message. */
function groupOf(required: boolean, isRule: boolean): DescMessage {
  if (isRule) {
    const options = create(MessageOptionsSchema);
    const rule = create(MessageRulesSchema, { oneof: [{ fields: ["a", "b", "c"], required }] });
    setExtension(options, messageExtension, rule);
    return messageOf({ messageType: [{ name: "M", field: STRING_FIELDS, options }] });
  }
  const options = create(OneofOptionsSchema);
  setExtension(options, oneofExtension, create(OneofRulesSchema, { required }));
  const field = STRING_FIELDS.map((each) => ({ ...each, oneofIndex: 0 }));
  return messageOf({ messageType: [{ name: "M", field, oneofDecl: [{ name: "group", options }] }] });
}
