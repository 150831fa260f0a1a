import {
  create,
  createFileRegistry,
  type DescMessage,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageSchemas, messageSchema } from "../../tools/src/schema/message.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { compileRequest, HEAD } from "./compile.ts";

const FIELDS: ReadonlyArray<readonly [type: string, rules: string, values: fc.Arbitrary<JsonValue>]> = [
  ["int32", "int32 = { gte: -2, lt: 3 }", fc.integer({ min: -4, max: 5 })],
  ["int32", "int32 = { gt: 2, lt: -1 }", fc.integer({ min: -4, max: 5 })],
  ["uint32", "uint32 = { gt: 0 }", fc.integer({ min: 0, max: 3 })],
  ["sint32", "sint32 = { not_in: [0, 1] }", fc.integer({ min: -2, max: 2 })],
  ["optional int32", "int32 = { in: [0, 3] }", fc.integer({ min: -1, max: 4 })],
  ["int32", "required = true", fc.integer({ min: -1, max: 1 })],
  ["double", "double = { gt: -1, lte: 0.5 }", fc.constantFrom(-1, -0.5, 0, 0.5, 1)],
  ["double", "double = { gte: 0.5 }", fc.constantFrom(0, 0.25, 0.5, 1)],
  ["float", "float = { gte: 1, lt: -1 }", fc.constantFrom(-2, -1, 0, 1, 2)],
  ["int64", "int64 = { in: [0, 5] }", fc.constantFrom("0", "5", "6")],
  ["uint64", "required = true", fc.constantFrom("0", "5")],
  ["bool", "bool = { const: true }", fc.boolean()],
  ["string", "string = { min_len: 1, max_len: 3 }", fc.string({ unit: "grapheme", maxLength: 5 })],
  ["string", "string = { len: 2 }", fc.string({ maxLength: 3 })],
  ["optional string", "string = { min_len: 2 }", fc.string({ maxLength: 3 })],
  ["string", 'string = { pattern: "^[ab]*$" }', fc.stringMatching(/^[abc]{0,3}$/)],
  ["string", 'string = { prefix: "a", suffix: "b" }', fc.stringMatching(/^[ab]{0,3}$/)],
  ["string", 'string = { contains: "." }', fc.stringMatching(/^[ab.]{0,3}$/)],
  ["string", 'string = { not_in: ["", "x"] }', fc.constantFrom("", "x", "y")],
  ["string", "required = true", fc.string({ maxLength: 1 })],
  [
    "string",
    "ignore = IGNORE_IF_ZERO_VALUE, (buf.validate.field).string.min_len = 2",
    fc.string({ maxLength: 3 }),
  ],
  ["bytes", "required = true", fc.constantFrom("", "AAE=")],
  [
    "repeated int32",
    "repeated = { min_items: 1, max_items: 2, unique: true }",
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
  ],
  [
    "repeated string",
    "repeated = { items: { string: { min_len: 1 } } }",
    fc.array(fc.string({ maxLength: 2 }), { maxLength: 3 }),
  ],
  [
    "map<string, int32>",
    'map = { min_pairs: 1, keys: { string: { pattern: "^a" } }, values: { int32: { gt: 0 } } }',
    fc.dictionary(fc.constantFrom("a", "ab", "b"), fc.integer({ min: 0, max: 2 })),
  ],
  ["google.protobuf.Int32Value", "int32 = { gt: 1 }", fc.integer({ min: 0, max: 3 })],
  ["google.protobuf.StringValue", "required = true", fc.string({ maxLength: 1 })],
  ["Color", "enum = { not_in: [2] }", fc.constantFrom("COLOR_RED", "COLOR_GREEN")],
  ["Color", "enum = { in: [1] }", fc.constantFrom("COLOR_RED", "COLOR_GREEN")],
];

const SOURCE = `${HEAD}
enum Color { COLOR_UNSPECIFIED = 0; COLOR_RED = 1; COLOR_GREEN = 2; }
${FIELDS.map(([type, rules], index) => `message M${index} { ${type} value = 1 [(buf.validate.field).${rules}]; }`).join("\n")}
message Choice {
  oneof kind { option (buf.validate.oneof).required = true; int32 a = 1; string b = 2; }
}
// What may come back: everything.
message Everything {
  double a = 1;
  float b = 2;
  int32 c = 3;
  fixed32 d = 4;
  sint64 e = 5;
  uint64 f = 6;
  bool g = 7;
  string h = 8;
  bytes i = 9;
  Color color = 10;
  optional Color maybe = 11;
  repeated double numbers = 12;
  map<int32, Color> colors = 13;
  map<bool, Everything> inner = 14;
  repeated Choice choices = 15;
  google.protobuf.Timestamp time = 16;
  google.protobuf.Duration duration = 17;
  google.protobuf.FieldMask mask = 18;
  google.protobuf.Struct struct = 19;
  google.protobuf.Value value = 20;
  google.protobuf.ListValue list = 21;
  google.protobuf.Int64Value long = 22;
  google.protobuf.DoubleValue double = 23;
  google.protobuf.Empty empty = 24;
  google.protobuf.NullValue null = 25;
  oneof kind { M0 ruled = 26; string text = 27; }
}
message Ruled {
  option (buf.validate.message).oneof = { fields: ["a", "b"] };
  optional int32 a = 1;
  optional string b = 2;
  int32 c = 3;
}
`;

const registry = createFileRegistry(
  create(FileDescriptorSetSchema, { file: compileRequest({ "test/v1/test.proto": SOURCE }).protoFile }),
);
const validator = createValidator({ registry });

function descOf(name: string): DescMessage {
  const desc = registry.getMessage(`test.v1.${name}`);
  if (desc === undefined) throw new Error(`no message ${name}`);
  return desc;
}

function acceptorOf(
  desc: DescMessage,
  direction: "input" | "output" = "input",
): (value: JsonValue) => boolean {
  const ajv = new Ajv2020({ strict: true });
  addFormats.default(ajv);
  const schema = JSON.parse(JSON.stringify(messageSchema(desc, new MessageSchemas(direction))));
  return ajv.compile(schema) as (value: JsonValue) => boolean;
}

/** Undefined where the value is no message at all. */
function messageOf(desc: DescMessage, json: JsonValue): Message | undefined {
  try {
    return fromJson(desc, json);
  } catch {
    return undefined;
  }
}

/** The schema takes a message, as ProtoJSON prints it, exactly where protovalidate does. */
function expectAgreement(desc: DescMessage, json: JsonValue, accepts: (value: JsonValue) => boolean): void {
  const message = messageOf(desc, json);
  if (message === undefined) {
    expect(accepts(json)).toBe(false);
    return;
  }
  const canonical = toJson(desc, message);
  const { kind } = validator.validate(desc, message);
  expect([canonical, accepts(canonical)]).toEqual([canonical, kind === "valid"]);
  // a zero value written out may be refused where leaving it out is not, but nothing invalid is taken
  if (accepts(json)) expect(kind).toBe("valid");
}

const within = { numRuns: 60, interruptAfterTimeLimit: 1000 };

test.each(FIELDS.map(([type, rules, values], index) => [`${type} with ${rules}`, index, values] as const))(
  "property: a schema and protovalidate agree on %s",
  (_name, index, values) => {
    const desc = descOf(`M${index}`);
    const accepts = acceptorOf(desc);
    expectAgreement(desc, {}, accepts);
    fc.assert(
      fc.property(values, (value) => expectAgreement(desc, { value }, accepts)),
      within,
    );
  },
);

test.each(["Choice", "Ruled"])("property: a schema and protovalidate agree on %s", (name) => {
  const desc = descOf(name);
  const accepts = acceptorOf(desc);
  const values = fc.record(
    { a: fc.integer({ min: 0, max: 1 }), b: fc.string({ maxLength: 1 }) },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(values, (value) => expectAgreement(desc, { ...value }, accepts)),
    within,
  );
});

test("property: the schema of a response takes every message that ProtoJSON prints", () => {
  const desc = descOf("Everything");
  const accepts = acceptorOf(desc, "output");
  fc.assert(
    fc.property(arbitraryMessage(desc), (message) => {
      const json = toJson(desc, message);
      expect([json, accepts(json)]).toEqual([json, true]);
    }),
    { numRuns: 300, interruptAfterTimeLimit: 10_000 },
  );
});

test.each<JsonValue>([
  { a: "NaN", numbers: ["Infinity", "-Infinity"], double: "NaN" },
  { maybe: "COLOR_UNSPECIFIED", color: 99, colors: { "1": -1 } },
  { ruled: { value: 5 }, choices: [{}, { b: "" }] },
])("the schema of a response takes %j", (json) => {
  const desc = descOf("Everything");
  const printed = toJson(desc, fromJson(desc, json));
  expect(printed).toEqual(json);
  expect(acceptorOf(desc, "output")(printed)).toBe(true);
});

test.each<JsonValue>([
  { a: "1" },
  { e: 1 },
  { color: "COLOR_BLUE" },
  { choices: [{ a: 1, b: "" }] },
  { g: 0 },
])("the schema of a response does not take %j, which ProtoJSON never prints", (json) => {
  expect(acceptorOf(descOf("Everything"), "output")(json)).toBe(false);
});
