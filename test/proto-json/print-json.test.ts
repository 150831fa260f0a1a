import { readdirSync } from "node:fs";
import path from "node:path";
import { create, type DescFile, type DescMessage, fromBinary, toBinary, toJson } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  FileDescriptorSetSchema,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_struct,
  ListValueSchema,
  StructSchema,
  UninterpretedOption_NamePartSchema,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { printJson, printJsonInParts } from "../../codec/src/print/print-json.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import { BlogSchema } from "../../gen/blog/v1/blog_resource_pb.ts";
import { PostSchema } from "../../gen/blog/v1/post_resource_pb.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";

const gen = path.resolve(import.meta.dirname, "../../gen");

/** Every message type of the described APIs; proto2 with closed enums and required fields; all kinds of scalars. */
const types: readonly DescMessage[] = [
  ...(await generatedFiles()),
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_struct,
  file_buf_validate_validate,
]
  .flatMap((file) => [...nestedTypes(file)].filter((type) => type.kind === "message"))
  .filter((type) => type !== UninterpretedOption_NamePartSchema);

/** Messages with required fields are made by hand: without them there are no bytes. */
const overrides = { "google.protobuf.UninterpretedOption.name": fc.constant([]) };

async function generatedFiles(): Promise<DescFile[]> {
  const names = readdirSync(gen, { recursive: true, encoding: "utf8" });
  const modules = names.filter((name) => name.endsWith("_pb.ts")).map((name) => import(path.join(gen, name)));
  return (await Promise.all(modules)).flatMap((module: object) => Object.values(module).filter(isFile));
}

function isFile(value: { readonly kind?: unknown }): value is DescFile {
  return value.kind === "file";
}

/** What becomes of bytes: the JSON value, or the text of the error. */
function outcome(print: () => unknown): unknown {
  try {
    return { json: print() };
  } catch (error) {
    return { error: String(error) };
  }
}

const ours = (type: DescMessage, bytes: Uint8Array) =>
  outcome(() => JSON.parse(Buffer.from(printJson(type, bytes)).toString()));
// through JSON: what a client gets has no -0
const theirs = (type: DescMessage, bytes: Uint8Array) =>
  outcome(() => JSON.parse(JSON.stringify(toJson(type, fromBinary(type, bytes)))));

const soon = { interruptAfterTimeLimit: 1000, numRuns: 40 };

test.each(types.map((type) => [type.typeName, type] as const))(
  "%s is printed as protobuf-es does",
  (_, type) => {
    fc.assert(
      fc.property(arbitraryMessage(type, overrides), (message) => {
        const bytes = toBinary(type, message);
        expect(ours(type, bytes)).toEqual(theirs(type, bytes));
      }),
      soon,
    );
  },
);

test.each(["", "0a0161", "0a01611001", "1001", "1001120101"])(
  "a message with required fields, of the bytes %j, ends as it does in protobuf-es",
  (hex) => {
    const bytes = Buffer.from(hex, "hex");
    const type = UninterpretedOption_NamePartSchema;
    expect(ours(type, bytes)).toEqual(theirs(type, bytes));
  },
);

const both = fc.constantFrom<DescMessage>(PostSchema, BlogSchema, ...types).chain((type) => {
  const bytes = arbitraryMessage(type, overrides).map((message) => toBinary(type, message));
  return fc.tuple(fc.constant(type), bytes, bytes);
});

test("messages that follow one another become one, as the format has it", () => {
  fc.assert(
    fc.property(both, ([type, one, two]) => {
      const bytes = Buffer.concat([one, two]);
      expect(ours(type, bytes)).toEqual(theirs(type, bytes));
    }),
    { interruptAfterTimeLimit: 3000, numRuns: 2000 },
  );
});

test("bytes that are none of ours end as they do in protobuf-es", () => {
  fc.assert(
    fc.property(both, fc.nat(), fc.nat(255), fc.nat(), ([type, one], place, byte, cut) => {
      const bytes = Buffer.from(one);
      if (bytes.length > 0) bytes[place % bytes.length] = byte;
      const part = cut % 2 === 0 ? bytes : bytes.subarray(0, cut % (bytes.length + 1));
      expect(ours(type, part)).toEqual(theirs(type, part));
    }),
    { interruptAfterTimeLimit: 3000, numRuns: 20_000 },
  );
});

test("a message is printed in parts of any size as it is at once", () => {
  fc.assert(
    fc.property(both, fc.nat(60), fc.nat(), fc.nat(255), ([type, one, two], size, place, byte) => {
      const bytes = Buffer.concat(place % 3 === 0 ? [one, two] : [one]);
      if (place % 5 === 0 && bytes.length > 0) bytes[place % bytes.length] = byte;
      const text = (print: () => Uint8Array) => outcome(() => Buffer.from(print()).toString());
      const parts = text(() => atOnce(printJsonInParts(type, bytes, undefined, size)));
      expect(parts).toEqual(text(() => printJson(type, bytes)));
    }),
    { interruptAfterTimeLimit: 5000, numRuns: 5_000 },
  );
});

test("no more than 128 K are printed between two pauses", () => {
  const numbers = { kind: { case: "numberValue", value: 1.5 } } as const;
  const values = Array.from({ length: 200_000 }, () => numbers);
  const value = { kind: { case: "listValue", value: { values } } } as const;
  const list = toBinary(ListValueSchema, create(ListValueSchema, { values: [value, ...values] }));
  const fields = Object.fromEntries(values.map((each, index) => [`k${index}`, each]));
  const struct = toBinary(StructSchema, create(StructSchema, { fields }));
  const names = Array.from({ length: 50_000 }, (_, index) => ({ name: `n${index}`, message_type: [] }));
  const files = toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: names }));
  const all = [
    [ListValueSchema, list],
    [StructSchema, struct],
    [FileDescriptorSetSchema, files],
  ] as const;
  for (const [type, bytes] of all) {
    let most = 0;
    for (const units of printJsonInParts(type, bytes)) most = Math.max(most, units);
    expect(most).toBeLessThanOrEqual(128 * 1024);
    expect(Buffer.from(atOnce(printJsonInParts(type, bytes))).equals(printJson(type, bytes))).toBe(true);
  }
});

test("fields stand in the order of their numbers, as protobuf-es prints them", () => {
  fc.assert(
    fc.property(arbitraryMessage(BlogSchema), (message) => {
      const bytes = toBinary(BlogSchema, message);
      const keys = Object.keys(toJson(BlogSchema, message) as object);
      expect(Object.keys(JSON.parse(Buffer.from(printJson(BlogSchema, bytes)).toString()))).toEqual(keys);
    }),
    soon,
  );
});
