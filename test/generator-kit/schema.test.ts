import { create, createFileRegistry, type DescMethod, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { MessageSchemas, messageSchema } from "../../tools/src/schema/message.ts";
import { annotationsOf } from "../../tools/src/tool/tool.ts";
import { titleOf, toolName } from "../../tools/src/tool/tool-name.ts";
import { compileRequest, HEAD } from "./compile.ts";

function registryOf(text: string) {
  const request = compileRequest({ "test/v1/test.proto": HEAD + text });
  return createFileRegistry(create(FileDescriptorSetSchema, { file: request.protoFile }));
}

/** All messages of the tests, compiled at once; a test looks at those that it names. */
const registry = registryOf(`
// All scalars.
message Scalars {
  double a = 1;
  float b = 2;
  int32 c = 3;
  uint32 d = 4;
  sint64 e = 5;
  fixed64 f = 6;
  bool g = 7;
  // Some text.
  string h = 8;
  bytes some_bytes = 9;
  Color color = 10;
}
// A color.
enum Color {
  COLOR_UNSPECIFIED = 0;
  // Like blood.
  COLOR_RED = 1;
  COLOR_GREEN = 2;
}
message Sized { map<uint64, string> long = 1; map<fixed32, string> fixed = 2; map<sint32, string> signed = 3; }
message Compound {
  repeated string names = 1;
  map<string, int64> by_name = 2;
  map<int32, Color> by_number = 3;
  map<bool, Leaf> by_flag = 4;
  repeated Leaf leaves = 5;
  Leaf leaf = 6;
  optional string maybe = 7;
}
message Leaf { string text = 1; }
message Tree {
  string name = 1;
  repeated Tree children = 2;
  Forest forest = 3;
}
message Forest { map<string, Tree> trees = 1; }
message WellKnown {
  google.protobuf.Timestamp time = 1;
  google.protobuf.Duration duration = 2;
  google.protobuf.FieldMask mask = 3;
  google.protobuf.Struct struct = 4;
  google.protobuf.Value value = 5;
  google.protobuf.ListValue list = 6;
  google.protobuf.Int64Value long = 7;
  google.protobuf.StringValue text = 8;
  google.protobuf.Any any = 9;
  google.protobuf.Empty empty = 10;
  google.protobuf.NullValue null = 11;
}
message Choice { oneof kind { string text = 1; Leaf leaf = 2; } }
message NeededChoice { oneof kind { option (buf.validate.oneof).required = true; string text = 1; Leaf leaf = 2; } }
message Mixed {
  string id = 1;
  oneof kind { string a = 2; string b = 3; string c = 4; }
  oneof other { option (buf.validate.oneof).required = true; string only = 5; }
}
message RuledChoice {
  option (buf.validate.message).oneof = { fields: ["first_name", "last_name"], required: true };
  string first_name = 1;
  string last_name = 2;
  string id = 3;
}
message Strings {
  string needed = 1 [(buf.validate.field).required = true];
  string sized = 2 [(buf.validate.field).string = { min_len: 2, max_len: 5 }];
  string maybe = 3 [(buf.validate.field) = { ignore: IGNORE_IF_ZERO_VALUE, string: { min_len: 2 } }];
  optional string present = 4 [(buf.validate.field).string.min_len = 2];
  string pattern = 5 [(buf.validate.field).string.pattern = "^[a-z]*$"];
  string several = 6 [(buf.validate.field).string = { pattern: "^a.*", suffix: "." }];
  string listed = 7 [(buf.validate.field).string = { in: ["", "x", "y"] }];
  string refused = 8 [(buf.validate.field).string = { not_in: ["x"] }];
  string mail = 9 [(buf.validate.field).string.email = true];
  string address = 10 [(buf.validate.field) = { ignore: IGNORE_IF_ZERO_VALUE, string: { uri: true } }];
  string re2 = 11 [(buf.validate.field).string.pattern = "(?i)^x?$"];
  string bytes = 12 [(buf.validate.field).string.max_bytes = 10];
  string ignored = 13 [(buf.validate.field) = { ignore: IGNORE_ALWAYS, required: true, string: { min_len: 3 } }];
  string cel = 14 [(buf.validate.field).cel = { id: "x", message: "no shouting", expression: "true" }];
  string fixed = 15 [(buf.validate.field).string.const = "v1"];
}
message Numbers {
  int32 range = 1 [(buf.validate.field).int32 = { gte: 0, lt: 10 }];
  int32 outside = 2 [(buf.validate.field).int32 = { gt: 10, lt: 0 }];
  uint32 positive = 3 [(buf.validate.field).uint32.gt = 0];
  double ratio = 4 [(buf.validate.field).double = { gt: 0, lte: 1 }];
  int64 long = 5 [(buf.validate.field).int64 = { gte: 0, lte: 9007199254740993 }];
  uint64 some = 6 [(buf.validate.field).uint64 = { in: [0, 7] }];
  float not = 7 [(buf.validate.field).float = { not_in: [1.5] }];
  bool yes = 8 [(buf.validate.field).bool.const = true];
  int32 nonzero = 9 [(buf.validate.field).required = true];
  google.protobuf.Int32Value wrapped = 10 [(buf.validate.field).int32.lte = 3];
  optional int32 one = 11 [(buf.validate.field).int32.const = 1];
}
message Collections {
  repeated string tags = 1 [(buf.validate.field).repeated = {
    min_items: 1, max_items: 3, unique: true, items: { string: { min_len: 1, max_len: 4 } }
  }];
  map<string, int32> counts = 2 [(buf.validate.field).map = {
    max_pairs: 2, keys: { string: { pattern: "^[a-z]+$" } }, values: { int32: { gte: 1 } }
  }];
  repeated Color colors = 3 [(buf.validate.field).repeated.items.enum = { not_in: [2] }];
  Color color = 4 [(buf.validate.field).enum = { in: [1] }];
  repeated int32 some = 5 [(buf.validate.field).required = true];
  map<string, string> more = 6 [(buf.validate.field).required = true];
}
service Short {
  rpc ListPostLikes(Leaf) returns (Leaf);
  rpc Get(Leaf) returns (Leaf) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc Set(Leaf) returns (Leaf) { option idempotency_level = IDEMPOTENT; }
  rpc AVeryLongNameOfAMethodThatDoesNotEvenFitIntoSixtyFourCharactersAlone(Leaf) returns (Leaf);
}
`);

function schemaOf(name: string, ...needed: string[]) {
  const desc = registry.getMessage(`test.v1.${name}`);
  if (desc === undefined) throw new Error(`no message ${name}`);
  const schema = messageSchema(desc, new MessageSchemas("input"), new Set(needed));
  return JSON.parse(JSON.stringify(schema));
}

function methodOf(name: string): DescMethod {
  const method = registry.getService("test.v1.Short")?.methods.find((candidate) => candidate.name === name);
  if (method === undefined) throw new Error(`no method ${name}`);
  return method;
}

function validatorOf(name: string): (value: JsonValue) => boolean {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: false });
  addFormats.default(ajv);
  return ajv.compile(schemaOf(name)) as (value: JsonValue) => boolean;
}

function outputOf(name: string) {
  const desc = registry.getMessage(`test.v1.${name}`);
  if (desc === undefined) throw new Error(`no message ${name}`);
  return JSON.parse(JSON.stringify(messageSchema(desc, new MessageSchemas("output"))));
}

const INT32 = { type: "integer", minimum: -2147483648, maximum: 2147483647 };

test("scalars and enums are as ProtoJSON writes them, with their comments", () => {
  expect(schemaOf("Scalars")).toEqual({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    description: "All scalars.",
    properties: {
      a: { type: "number" },
      b: { type: "number" },
      c: INT32,
      d: { type: "integer", minimum: 0, maximum: 4294967295 },
      e: { type: "string", pattern: "^-?[0-9]+$" },
      f: { type: "string", pattern: "^[0-9]+$" },
      g: { type: "boolean" },
      h: { type: "string", description: "Some text." },
      someBytes: { type: "string", contentEncoding: "base64" },
      color: {
        type: "string",
        enum: ["COLOR_RED", "COLOR_GREEN"],
        description: "- COLOR_RED: Like blood.",
      },
    },
    additionalProperties: false,
  });
});

test("lists are arrays, maps are objects, messages stand in $defs once", () => {
  const { properties, $defs } = schemaOf("Compound");
  const leaf = { $ref: "#/$defs/test.v1.Leaf" };
  const color = { type: "string", enum: ["COLOR_RED", "COLOR_GREEN"] };
  expect(properties).toEqual({
    names: { type: "array", items: { type: "string" } },
    byName: { type: "object", additionalProperties: { type: "string", pattern: "^-?[0-9]+$" } },
    byNumber: {
      type: "object",
      additionalProperties: color,
      propertyNames: { pattern: "^-?[0-9]+$" },
      description: "- COLOR_RED: Like blood.",
    },
    byFlag: { type: "object", additionalProperties: leaf, propertyNames: { enum: ["true", "false"] } },
    leaves: { type: "array", items: leaf },
    leaf,
    maybe: { type: "string" },
  });
  expect($defs).toEqual({
    "test.v1.Leaf": {
      type: "object",
      properties: { text: { type: "string" } },
      additionalProperties: false,
    },
  });
});

test("a message may hold itself, directly or through others", () => {
  const { properties, $defs } = schemaOf("Tree");
  expect(properties.children).toEqual({ type: "array", items: { $ref: "#/$defs/test.v1.Tree" } });
  expect(Object.keys($defs)).toEqual(["test.v1.Forest", "test.v1.Tree"]);
  expect(validatorOf("Tree")({ children: [{ forest: { trees: { a: { name: "x" } } } }] })).toBe(true);
  expect(validatorOf("Tree")({ children: [{ forest: { trees: { a: { name: 1 } } } }] })).toBe(false);
});

test("what a reason beside the message needs is required of the root alone", () => {
  const { required, $defs } = schemaOf("Tree", "name");
  expect(required).toEqual(["name"]);
  expect($defs["test.v1.Tree"].required).toBe(undefined);
});

test("well-known types are as ProtoJSON writes them", () => {
  const { properties, $defs } = schemaOf("WellKnown");
  expect($defs).toBe(undefined);
  expect(properties).toEqual({
    time: { type: "string", format: "date-time" },
    duration: { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
    mask: { type: "string", pattern: "^([a-z][a-zA-Z0-9]*([.,][a-z][a-zA-Z0-9]*)*)?$" },
    struct: { type: "object" },
    value: {},
    list: { type: "array" },
    long: { type: "string", pattern: "^-?[0-9]+$" },
    text: { type: "string" },
    any: { type: "object", properties: { "@type": { type: "string" } }, required: ["@type"] },
    empty: { type: "object", additionalProperties: false },
    null: { type: "null" },
  });
});

test("at most one field of a oneof may be set: a message that is a oneof", () => {
  const { maxProperties, minProperties, description } = schemaOf("Choice");
  expect({ maxProperties, minProperties }).toEqual({ maxProperties: 1, minProperties: undefined });
  expect(description).toBe("At most one of text, leaf is set.");
  expect(schemaOf("NeededChoice")).toMatchObject({ minProperties: 1, maxProperties: 1 });
  expect(schemaOf("NeededChoice").description).toBe("Exactly one of text, leaf is set.");
});

test("at most one field of a oneof may be set: a oneof beside other fields", () => {
  const { dependentSchemas, required } = schemaOf("Mixed");
  expect(required).toEqual(["only"]);
  expect(dependentSchemas).toEqual({
    a: { properties: { b: false, c: false } },
    b: { properties: { c: false } },
  });
});

test("at most one field of a oneof may be set: a oneof that protovalidate makes", () => {
  expect(schemaOf("RuledChoice")).toMatchObject({
    dependentSchemas: { firstName: { properties: { lastName: false } } },
    description: "Exactly one of firstName, lastName is set.",
  });
});

test("at most one field of a oneof may be set: no keyword at the root that clients of tools refuse", () => {
  for (const name of ["Choice", "NeededChoice", "Mixed", "RuledChoice"]) {
    for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum", "$ref"]) {
      expect(schemaOf(name)).not.toHaveProperty(keyword);
    }
  }
});

test("a response may be all that ProtoJSON prints", () => {
  const { properties, additionalProperties } = outputOf("Scalars");
  expect(additionalProperties).toBe(undefined);
  expect(properties.a).toEqual({
    anyOf: [{ type: "number" }, { type: "string", enum: ["NaN", "Infinity", "-Infinity"] }],
  });
  expect(properties.color).toEqual({
    anyOf: [{ type: "string", enum: ["COLOR_UNSPECIFIED", "COLOR_RED", "COLOR_GREEN"] }, { type: "integer" }],
    description: "- COLOR_RED: Like blood.",
  });
  expect(outputOf("WellKnown").properties.any).toEqual({
    type: "object",
    properties: { "@type": { type: "string" } },
  });
});

test("nobody holds a response to rules, so its schema has none", () => {
  const { properties, required } = outputOf("Strings");
  expect(required).toBe(undefined);
  for (const schema of Object.values(properties)) expect(schema).toEqual({ type: "string" });
  expect(outputOf("Numbers").properties.range).toEqual(INT32);
  expect(outputOf("Collections").properties.tags).toEqual({ type: "array", items: { type: "string" } });
  expect(outputOf("NeededChoice")).toMatchObject({
    maxProperties: 1,
    description: "At most one of text, leaf is set.",
  });
  expect(outputOf("RuledChoice").dependentSchemas).toBe(undefined);
});

test("rules of strings", () => {
  const { properties, required } = schemaOf("Strings");
  expect(required).toEqual(["needed", "sized", "several", "mail", "fixed"]);
  expect(properties).toEqual({
    needed: { type: "string", minLength: 1 },
    sized: { type: "string", minLength: 2, maxLength: 5 },
    maybe: { type: "string", minLength: 2 },
    present: { type: "string", minLength: 2 },
    pattern: { type: "string", pattern: "^[a-z]*$" },
    several: { type: "string", allOf: [{ pattern: "^a.*" }, { pattern: "\\.$" }] },
    listed: { type: "string", enum: ["", "x", "y"] },
    refused: { type: "string", not: { enum: ["x"] } },
    mail: { type: "string", format: "email" },
    address: { type: "string", format: "uri" },
    re2: { type: "string", description: "Matches (?i)^x?$ (RE2)." },
    bytes: { type: "string", description: "Has at most 10 bytes in UTF-8." },
    ignored: { type: "string" },
    cel: { type: "string", description: "No shouting." },
    fixed: { type: "string", const: "v1" },
  });
});

test("rules of numbers", () => {
  const { properties, required } = schemaOf("Numbers");
  expect(required).toEqual(["outside", "positive", "ratio", "yes", "nonzero"]);
  expect(properties).toEqual({
    range: { type: "integer", minimum: 0, maximum: 9 },
    outside: { type: "integer", anyOf: [{ maximum: -1 }, { minimum: 11 }] },
    positive: { type: "integer", minimum: 1, maximum: 4294967295 },
    ratio: { type: "number", exclusiveMinimum: 0, maximum: 1 },
    long: {
      type: "string",
      pattern: "^-?[0-9]+$",
      description: "At least 0 and at most 9007199254740993.",
    },
    some: { type: "string", pattern: "^[0-9]+$", enum: ["0", "7"] },
    not: { type: "number", not: { enum: [1.5] } },
    yes: { type: "boolean", const: true },
    nonzero: { ...INT32, not: { const: 0 } },
    wrapped: { type: "integer", minimum: -2147483648, maximum: 3 },
    one: { type: "integer", const: 1 },
  });
});

test("rules of lists, maps and enums", () => {
  const { properties, required } = schemaOf("Collections");
  expect(required).toEqual(["tags", "color", "some", "more"]);
  expect(properties).toEqual({
    tags: {
      type: "array",
      items: { type: "string", minLength: 1, maxLength: 4 },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
    counts: {
      type: "object",
      additionalProperties: { type: "integer", minimum: 1, maximum: 2147483647 },
      propertyNames: { pattern: "^[a-z]+$" },
      maxProperties: 2,
    },
    colors: {
      type: "array",
      items: { type: "string", enum: ["COLOR_RED"] },
      description: "- COLOR_RED: Like blood.",
    },
    color: { type: "string", enum: ["COLOR_RED"], description: "- COLOR_RED: Like blood." },
    some: { type: "array", items: INT32, minItems: 1 },
    more: { type: "object", additionalProperties: { type: "string" }, minProperties: 1 },
  });
});

test.each<[string, JsonValue]>([
  ["Scalars", { a: 1.5, c: -1, e: "-9007199254740993", someBytes: "AAE=", color: "COLOR_RED" }],
  ["Compound", { byNumber: { "-1": "COLOR_RED" }, byFlag: { true: { text: "" } }, byName: { x: "1" } }],
  ["WellKnown", { time: "2026-11-20T12:00:00Z", duration: "-1.5s", mask: "a.bC,d", long: "1", value: null }],
  ["WellKnown", { struct: { a: [1] }, list: [1, "x"], text: "x", empty: {}, null: null }],
  ["Choice", { leaf: { text: "x" } }],
  ["Mixed", { id: "1", c: "x", only: "y" }],
  ["NeededChoice", { text: "x" }],
  ["Numbers", { outside: 11, positive: 1, ratio: 1, yes: true, nonzero: -1, some: "7", wrapped: 3 }],
  ["Collections", { tags: ["a"], color: "COLOR_RED", some: [0], more: { a: "" } }],
])("a validator takes what ProtoJSON takes: %s %j", (name, value) => {
  const desc = registry.getMessage(`test.v1.${name}`);
  if (desc === undefined) throw new Error(`no message ${name}`);
  fromJson(desc, value, { registry });
  expect(validatorOf(name)(value)).toBe(true);
});

test.each<[string, JsonValue]>([
  ["Scalars", { e: 5 }],
  ["Scalars", { c: 2147483648 }],
  ["Scalars", { some_bytes: "" }],
  ["Scalars", { color: "COLOR_UNSPECIFIED" }],
  ["Compound", { byNumber: { x: "COLOR_RED" } }],
  ["WellKnown", { duration: "1" }],
  ["Choice", { text: "x", leaf: {} }],
  ["NeededChoice", {}],
  ["Mixed", { a: "x", c: "y", only: "z" }],
  ["Mixed", { a: "x" }],
  ["RuledChoice", { firstName: "a", lastName: "b" }],
  ["Numbers", { outside: 5, positive: 1, ratio: 1, yes: true, nonzero: 1 }],
  ["Collections", { tags: ["a", "a"], color: "COLOR_RED", some: [0], more: { a: "" } }],
])("a validator takes what ProtoJSON takes: and not %s %j", (name, value) => {
  expect(validatorOf(name)(value)).toBe(false);
});

test("the name of a tool is the full name of its method", () => {
  expect(toolName(methodOf("Get"))).toBe("test_v1_Short_Get");
});

test("a long name loses packages and ends in the hash of the full name", () => {
  const [name] = namesOf(["somebody.has.quite.a.long.name.for.a.package.v1beta1"], "ListThingsOfSomebody");
  expect(name).toMatch(/^[a-z_]*_package_v1beta1_S_ListThingsOfSomebody_[0-9a-f]{8}$/);
  expect(name?.length).toBeLessThanOrEqual(64);
  const longest = toolName(methodOf("AVeryLongNameOfAMethodThatDoesNotEvenFitIntoSixtyFourCharactersAlone"));
  expect(longest).toMatch(/^AVeryLongNameOfAMethodThatDoesNotEvenFitIntoSixtyFourCh_[0-9a-f]{8}$/);
  expect(longest).toHaveLength(64);
});

test("long names that lose what tells them apart differ in their hashes", () => {
  const long = "of.a.package.with.a.name.that.goes.on.and.on.and.on";
  const names = namesOf([`one.${long}`, `two.${long}`], "ListThingsOfSomebody");
  expect(new Set(names).size).toBe(2);
  expect(new Set(names.map((name) => name.slice(0, -8))).size).toBe(1);
});

test("methods of different packages have different names, also where underscores stand for dots", () => {
  const names = namesOf(["a.b", "a_b", "a.b_c.d", "a_b.c.d", "a.b.c_d"], "Get");
  expect(names).toEqual(["a_b_S_Get", "a-b_S_Get", "a_b-c_d_S_Get", "a-b_c_d_S_Get", "a_b_c-d_S_Get"]);
});

/** The names of tools for a method of a service `S` in several packages. */
function namesOf(packages: readonly string[], method: string): string[] {
  const source = (pkg: string) =>
    `syntax = "proto3"; package ${pkg}; message M {} service S { rpc ${method}(M) returns (M); }`;
  const request = compileRequest(Object.fromEntries(packages.map((pkg) => [`${pkg}/s.proto`, source(pkg)])));
  const files = createFileRegistry(create(FileDescriptorSetSchema, { file: request.protoFile }));
  return packages.map((pkg) => {
    const [desc] = files.getService(`${pkg}.S`)?.methods ?? [];
    return desc === undefined ? "missing" : toolName(desc);
  });
}

test.each([
  ["ListPostLikes", "List post likes"],
  ["GetURLInfo", "Get URL info"],
  ["Get", "Get"],
  ["list_v2Things", "List v 2 things"],
])("the title of %s is %j", (name, title) => {
  expect(titleOf(name)).toBe(title);
});

const [read, idempotent, careful] = [
  { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: true },
  { readOnlyHint: false, idempotentHint: true, destructiveHint: true, openWorldHint: true },
  { readOnlyHint: false, idempotentHint: false, destructiveHint: true, openWorldHint: true },
];
test.each([
  ["ListPostLikes", "GET", read],
  ["ListPostLikes", "HEAD", read],
  ["ListPostLikes", "PUT", idempotent],
  ["ListPostLikes", "DELETE", idempotent],
  ["ListPostLikes", "POST", careful],
  ["ListPostLikes", "PATCH", careful],
  ["Get", "POST", read],
  ["Set", "POST", idempotent],
])("hints come from idempotency_level, or else from the HTTP method: %s by %s", (name, verb, expected) => {
  expect(annotationsOf(methodOf(name), verb)).toEqual(expected);
});

test.each([
  ["GET", false, careful],
  ["PUT", false, careful],
  ["POST", true, idempotent],
  ["GET", true, read],
] as const)("hints follow the rule idempotent: %s with %s", (verb, rule, expected) => {
  expect(annotationsOf(methodOf("ListPostLikes"), verb, rule)).toEqual(expected);
});

test("fields of messages that a path needs are required where they are", () => {
  const schema = schemaOf("Compound", "leaf.id", "leaf.more.id", "names");
  expect(schema.required).toEqual(["names", "leaf"]);
  expect(schema.properties).toMatchObject({
    leaf: {
      $ref: "#/$defs/test.v1.Leaf",
      required: ["id", "more"],
      properties: { more: { required: ["id"] } },
    },
  });
});

test("keys of maps have a sign only where their type has one", () => {
  const { long, fixed, signed } = schemaOf("Sized").properties;
  const patterns = [long, fixed, signed].map(({ propertyNames }) => propertyNames.pattern);
  expect(patterns).toEqual(["^[0-9]+$", "^[0-9]+$", "^-?[0-9]+$"]);
});
