/** Tests that the console keeps no value of a secret field, in any form of ProtoJSON. */
import { create, type JsonObject, type JsonValue, toBinary } from "@bufbuild/protobuf";
import {
  AnySchema,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_any,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutSecrets } from "../../console/src/history.ts";
import { Schema } from "../../console/src/schema.ts";

const SECRET = "a-secret";
const NODE = ".test.Node";

/** Returns a schema with a message that contains itself, and has a secret field. */
function nodeSchema(): Schema {
  const entry = {
    name: "NodesMapEntry",
    options: { mapEntry: true },
    field: [field("key", 1, Type.STRING), field("value", 2, Type.MESSAGE, NODE)],
  };
  const fields = [
    field("secret_word", 1, Type.STRING, "", Label.OPTIONAL, { debugRedact: true }),
    field("plain_word", 2, Type.STRING),
    field("child_node", 3, Type.MESSAGE, NODE),
    field("node_list", 4, Type.MESSAGE, NODE, Label.REPEATED),
    field("nodes_map", 5, Type.MESSAGE, `${NODE}.NodesMapEntry`, Label.REPEATED),
    field("any_value", 6, Type.MESSAGE, `.${AnySchema.typeName}`),
  ];
  const file = create(FileDescriptorProtoSchema, {
    name: "test/node.proto",
    package: "test",
    syntax: "proto3",
    dependency: ["google/protobuf/any.proto"],
    messageType: [{ name: "Node", field: fields, nestedType: [entry] }],
  });
  const files = create(FileDescriptorSetSchema, { file: [file_google_protobuf_any.proto, file] });
  const about = { version: "0", services: [], examples: {}, hasExplain: false };
  return new Schema(about, toBinary(FileDescriptorSetSchema, files), {});
}

function field(
  name: string,
  number: number,
  type: Type,
  typeName = "",
  label = Label.OPTIONAL,
  options = {},
) {
  const jsonName = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return create(FieldDescriptorProtoSchema, { name, number, type, typeName, label, jsonName, options });
}

/** Each field, in either or both of its spellings. */
function spelled(snake: string, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  const camel = snake.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return fc.subarray([snake, camel]).chain((names) => {
    return fc.record(Object.fromEntries(names.map((name) => [name, value])));
  });
}

const { node } = fc.letrec<{ node: JsonObject; any: JsonObject }>((tie) => {
  const child = tie("node") as fc.Arbitrary<JsonValue>;
  const list = fc.array(child, { maxLength: 2 }) as fc.Arbitrary<JsonValue>;
  const map = fc.dictionary(fc.string({ maxLength: 3 }), child, { maxKeys: 2 }) as fc.Arbitrary<JsonValue>;
  const deep = [
    spelled("child_node", fc.oneof({ weight: 4, arbitrary: child }, list, fc.constant(SECRET))),
    spelled("node_list", fc.oneof({ weight: 4, arbitrary: list }, child)),
    spelled("nodes_map", fc.oneof({ weight: 4, arbitrary: map }, list)),
    spelled("any_value", tie("any") as fc.Arbitrary<JsonValue>),
  ];
  const flat = [
    spelled("secret_word", fc.constant(SECRET)),
    spelled("plain_word", fc.constant("plain")),
    fc.constantFrom({}, { unknownWord: SECRET }),
  ];
  const merged = (parts: readonly fc.Arbitrary<JsonObject>[]) =>
    fc.tuple(...parts).map((objects): JsonObject => Object.assign({}, ...objects));
  return {
    node: fc.oneof({ maxDepth: 4 }, merged(flat), merged([...flat, ...deep])),
    any: fc.oneof(
      { maxDepth: 3 },
      tie("node").map((value) => ({ "@type": "type.googleapis.com/test.Node", ...value })),
      tie("node").map((value) => ({ "@type": "type.googleapis.com/test.Unknown", ...value })),
      tie("any").map((value) => ({ "@type": "type.googleapis.com/google.protobuf.Any", value })),
    ),
  };
});

test("no value of a secret field is kept, in any spelling, at any depth, and in every Any", () => {
  const schema = nodeSchema();
  const desc = schema.registry.getMessage("test.Node");
  if (desc === undefined) throw new Error("the message is unknown");
  fc.assert(
    fc.property(node, (json) => {
      const kept = withoutSecrets(schema, desc, json);
      expect(JSON.stringify(kept)).not.toContain(SECRET);
      // nothing is left to remove, and what is kept was there
      expect(withoutSecrets(schema, desc, kept)).toEqual(kept);
    }),
    { numRuns: 300 },
  );
});

test("everything else is kept, as it was spelled", () => {
  const schema = nodeSchema();
  const desc = schema.registry.getMessage("test.Node");
  if (desc === undefined) throw new Error("the message is unknown");
  const json = {
    plain_word: "a",
    childNode: { plainWord: "b" },
    node_list: [{ plainWord: "c" }],
    nodesMap: { key: { plain_word: "d" } },
    anyValue: { "@type": "type.googleapis.com/test.Node", plainWord: "e" },
  };
  expect(withoutSecrets(schema, desc, json)).toEqual(json);
});
