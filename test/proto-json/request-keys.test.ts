import {
  create,
  createFileRegistry,
  createRegistry,
  type DescMessage,
  fromJsonString,
  isMessage,
  type JsonObject,
} from "@bufbuild/protobuf";
import {
  type Any,
  AnySchema,
  anyPack,
  anyUnpack,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  file_google_protobuf_any,
  StructSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson } from "../../codec/src/json/parse-json.ts";
import { startGateway } from "../../gateway/src/gateway.ts";
import { restoreKeys } from "../../gateway/src/protocol/escaped-keys.ts";
import { readableJson, readJson } from "../../gateway/src/protocol/read-json.ts";
import { httpUpstream, textOfRequest } from "../../runtime/src/testing/servers.ts";
import { PlainSchema } from "../gen/rich/v1/plain_pb.ts";
import { PlainServiceRest } from "../gen/rich/v1/plain_rest.ts";

const types = createRegistry(PlainSchema, StructSchema);
const options = { registry: types, ignoreUnknownFields: true };

type Spelling = "shortest" | "unicode";

/** Characters of escape sequences, and characters that need an escape. */
const UNITS = ["\\", '"', "/", "b", "f", "n", "r", "t", "u", "0", "2", "\n", "\u001f", "é", "%", ":"];
const cases = fc.record({
  names: fc.uniqueArray(fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 4 }), { maxLength: 4 }),
  spelling: fc.constantFrom<Spelling>("shortest", "unicode"),
});

/** Parses JSON in the same way as connect, which reports malformed JSON itself. */
const readByConnect: typeof readJson = (desc, text) =>
  fromJsonString(desc, readableJson(desc, text, options), options);

let prefixes = 0;

/** Returns a key that is new to V8, so that V8 has no expectation for the next key. */
function freshKey(): string {
  prefixes += 1;
  return `p${prefixes}`;
}

/** Lets V8 parse an object with these two keys, so that V8 expects the second key after the first. */
function poison(first: string, second: string): void {
  JSON.parse(`{"${first}":1,${JSON.stringify(second)}:1}`);
}

function spelled(key: string, spelling: Spelling): string {
  if (spelling === "shortest") return JSON.stringify(key);
  return `"${Array.from(key, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
}

/** Returns an object with these keys, after V8 has been primed to misread the first of them. */
function objectWith(names: readonly string[], spelling: Spelling): { text: string; value: JsonObject } {
  const first = freshKey();
  const [name] = names;
  if (name !== undefined) poison(first, spelled(name, spelling).slice(1, 1 + name.length));
  const pairs = [`"${first}":1`, ...names.map((each) => `${spelled(each, spelling)} :1`)];
  return {
    text: `{${pairs.join(",")}}`,
    value: Object.fromEntries([first, ...names].map((key) => [key, 1])),
  };
}

test("JSON.parse misreads some keys with escapes, so requests are preprocessed", () => {
  const first = freshKey();
  poison(first, "\\");
  expect(Object.keys(JSON.parse(`{"${first}":1,"\\"":2}`) as object)).toEqual([first, "\\"]);
});

test("property: the keys of maps, structs and google.protobuf.Any are read exactly", () => {
  fc.assert(
    fc.property(cases, ({ names, spelling }) => {
      const { text, value } = objectWith(names, spelling);
      const json = `{"wellKnown":{"struct":${text},"value":${text},"list":[${text}]},"\\u006daps":{"values":${text}},
        "choice":{"struct":${text}},"child":{"lists":{"structs":[${text}]}},"unknown\\n":${text}}`;
      const one = create(ValueSchema, { kind: { case: "numberValue", value: 1 } });
      const values = Object.fromEntries(Object.keys(value).map((key) => [key, one]));
      const struct = create(StructSchema, { fields: values });
      const whole = create(PlainSchema, {
        wellKnown: {
          struct: value,
          value: { kind: { case: "structValue", value: struct } },
          list: { values: [{ kind: { case: "structValue", value: struct } }] },
        },
        maps: { values },
        choice: { choice: { case: "struct", value } },
        child: { lists: { structs: [value] } },
      });
      expect(readJson(PlainSchema, json, options)).toEqual(whole);
      const any = readJson(AnySchema, `{"@type":"x/rich.v1.Plain",${json.slice(1)}`, options);
      expect(isMessage(any, AnySchema) && anyUnpack(any, types)).toEqual(whole);
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['{"maps":{"strings":{"\\"":"1","\\u0022":"2"}}}', 'duplicate object key """'],
  ['{"maps":{"strings":{"a":"1","\\u0061":"2"}}}', 'duplicate object key "a"'],
  ['{"\\u006daps":{},"maps":{}}', 'duplicate object key "maps"'],
  ['{"maps":{"int64s":{"\\"":1.5}}}', "int64s"],
  ['{"maps":{"strings":{"\\"":1}}}', "strings"],
  ['{"maps":{"int64s":{"\\n":9007199254740993.5}}}', "maps.int64s[\n]: an integer cannot hold"],
  ['{"maps":{"strings":{"\\"":"1",}}}', "cannot decode message rich.v1.Plain from JSON"],
  ['{"maps":{"strings":{"\\x":"1"}}}', "cannot decode message rich.v1.Plain from JSON"],
])("an error about JSON with escaped keys has the original keys: %s", (text, error) => {
  for (const read of [readJson, readByConnect]) {
    expect(() => read(PlainSchema, text, options)).toThrow(error);
    expect(() => read(PlainSchema, text, options)).not.toThrow(/[0-9a-f]{32}/);
  }
});

/** Returns a message type whose fields have odd JSON names: strings, the type itself, a map and an Any. */
function namedMessage(names: readonly string[]): DescMessage {
  const { STRING, MESSAGE } = FieldDescriptorProto_Type;
  const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
  const fields = [
    ...names.map((jsonName, index) => ({ name: `own${index}`, jsonName, number: index + 10, type: STRING })),
    { name: "child", number: 1, type: MESSAGE, typeName: ".odd.Named" },
    { name: "any", number: 2, type: MESSAGE, typeName: ".google.protobuf.Any" },
    { name: "map", number: 3, type: MESSAGE, typeName: ".odd.Named.MapEntry", label: REPEATED },
  ].map((field) => ({ label: OPTIONAL, jsonName: field.name, ...field }));
  const entry = ["key", "value"].map((name, index) => ({
    name,
    number: index + 1,
    type: STRING,
    label: OPTIONAL,
  }));
  const file = create(FileDescriptorProtoSchema, {
    name: "odd.proto",
    package: "odd",
    syntax: "proto3",
    dependency: ["google/protobuf/any.proto"],
    messageType: [
      {
        name: "Named",
        field: fields,
        nestedType: [{ name: "MapEntry", field: entry, options: { mapEntry: true } }],
      },
    ],
  });
  const desc = createFileRegistry(file, () => file_google_protobuf_any).getMessage("odd.Named");
  if (desc === undefined) throw new Error("no message");
  return desc;
}

/**
 * Checks that these names are read as fields and as keys of a map, and that another key is not confused with
 * them.
 */
function expectNames(names: readonly string[], spelling: Spelling): void {
  const desc = namedMessage(names);
  const registry = createRegistry(desc, AnySchema);
  const other = '"'.repeat(5);
  const own = names.map((name) => `${spelled(name, spelling)}:"v"`).join(",");
  const json = `{${own},"map":{${own},${spelled(other, spelling)}:"w"},"child":{${own}},"any":{"@type":"x/odd.Named",${own}}}`;
  const values = Object.fromEntries(names.map((_, index) => [`own${index}`, "v"]));
  const one = create(desc, values);
  const whole = create(desc, {
    ...values,
    map: Object.fromEntries([...names.map((name) => [name, "v"]), [other, "w"]]),
    child: one,
    any: anyPack(desc, one),
  });
  expect(readJson(desc, json, { registry })).toEqual(whole);
  expect(readByConnect(desc, json)).toEqual(whole);
  const packed = readJson(AnySchema, `{"@type":"x/odd.Named",${json.slice(1)}`, { registry });
  expect(anyUnpack(packed as Any, registry)).toEqual(whole);

  function readByConnect(type: DescMessage, text: string): unknown {
    const message = fromJsonString(type, readableJson(type, text, { registry }), { registry });
    restoreKeys(type, message, registry);
    return message;
  }
}

test("property: fields whose names need an escape are read, even next to maps and inside an Any", () => {
  const units = UNITS.filter((unit) => unit !== "\\");
  const odd = fc.string({ unit: fc.constantFrom(...units), minLength: 1, maxLength: 4 });
  const lists = fc.uniqueArray(odd, { minLength: 1, maxLength: 4 });
  fc.assert(fc.property(lists, fc.constantFrom<Spelling>("shortest", "unicode"), expectNames), {
    numRuns: 100,
  });
  expectNames(["a\\b"], "shortest");
});

test("JSON without escapes in keys is not copied, and deep or long JSON is read without recursion", () => {
  const text = '{"scalars":{"stringValue":"\\"\\\\\\n:"} , "maps" : {"strings":{"a":"\\""}}}';
  expect(readableJson(PlainSchema, text, options)).toBe(text);
  const long = `{"unknown":{"${'\\"'.repeat(1_000_000)}":"${"\\\\".repeat(1_000_000)}"}}`;
  expect(readJson(PlainSchema, long, options)).toEqual(fromJsonString(PlainSchema, "{}"));
  expect(() => readJson(PlainSchema, `{"maps":${'{"\\"":'.repeat(50_000)}`, options)).toThrow(
    "Unexpected end of JSON input",
  );
});

test("property: keys survive a round trip to the upstream, on both paths and by every protocol", async () => {
  await using upstream = await httpUpstream(async (request, response) => {
    const body = await textOfRequest(request);
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  for (const fastPath of [true, false]) {
    const gateway = await startGateway({
      adapters: [PlainServiceRest],
      upstreams: { "rich.v1": { baseUrl: upstream.url, retry: false } },
      fastPath,
    });
    const address = `http://127.0.0.1:${gateway.port}/rich.v1.PlainService/EchoPlain`;
    await fc.assert(
      fc.asyncProperty(cases, fc.boolean(), async ({ names, spelling }, isEnveloped) => {
        const { text, value } = objectWith(names, spelling);
        const json = `{"wellKnown":{"struct":${text}},"maps":{"structs":{"s":${text}}}}`;
        const type = isEnveloped ? "application/grpc-web+json" : "application/json";
        const body = isEnveloped ? enveloped(json) : Buffer.from(json);
        const response = await fetch(address, { method: "POST", headers: { "content-type": type }, body });
        const bytes = Buffer.from(await response.arrayBuffer());
        const message = isEnveloped ? bytes.subarray(5, 5 + bytes.readUInt32BE(1)) : bytes;
        expect(parseJson(message.toString())).toEqual({
          wellKnown: { struct: value },
          maps: { structs: { s: value } },
        });
      }),
      { numRuns: 60 },
    );
    await gateway.close();
  }
});

function enveloped(text: string): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}
