import { readdirSync } from "node:fs";
import path from "node:path";
import {
  create,
  type DescFile,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
  toJsonString,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  BytesValueSchema,
  DoubleValueSchema,
  FileDescriptorSetSchema,
  FloatValueSchema,
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_struct,
  ListValueSchema,
  SourceCodeInfo_LocationSchema,
  SourceCodeInfoSchema,
  StringValueSchema,
  StructSchema,
  UninterpretedOption_NamePartSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type PrintOptions, printJson, printJsonInParts } from "../../codec/src/print/print-json.ts";
import { WasmPrinter } from "../../codec/src/print/wasm-printer.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import { BlogSchema } from "../../gen/blog/v1/blog_resource_pb.ts";
import { PostSchema } from "../../gen/blog/v1/post_resource_pb.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";

const gen = path.resolve(import.meta.dirname, "../../gen");

/**
 * All message types of the described APIs, proto2 types with closed enums and required fields, and types with
 * every kind of scalar.
 */
const types: readonly DescMessage[] = [
  ...(await generatedFiles()),
  file_google_protobuf_api,
  file_google_protobuf_descriptor,
  file_google_protobuf_struct,
  file_buf_validate_validate,
]
  .flatMap((file) => [...nestedTypes(file)].filter((type) => type.kind === "message"))
  .filter((type) => type !== UninterpretedOption_NamePartSchema);

/** A message cannot be encoded without its required fields, so this field is always empty. */
const overrides = { "google.protobuf.UninterpretedOption.name": fc.constant([]) };

async function generatedFiles(): Promise<DescFile[]> {
  const names = readdirSync(gen, { recursive: true, encoding: "utf8" });
  const modules = names.filter((name) => name.endsWith("_pb.ts")).map((name) => import(path.join(gen, name)));
  return (await Promise.all(modules)).flatMap((module: object) => Object.values(module).filter(isFile));
}

function isFile(value: { readonly kind?: unknown }): value is DescFile {
  return value.kind === "file";
}

/** Returns the JSON value, or the text of the error. */
function outcome(print: () => unknown): unknown {
  try {
    return { json: print() };
  } catch (error) {
    return { error: String(error) };
  }
}

const WITH: PrintOptions = { types: undefined, wasm: new WasmPrinter() };
const WITHOUT: PrintOptions = { types: undefined, wasm: undefined };
const WAYS = [
  ["by WebAssembly", WITH],
  ["without WebAssembly", WITHOUT],
] as const;

const ours = (type: DescMessage, bytes: Uint8Array) =>
  outcome(() => JSON.parse(Buffer.from(printJson(type, bytes, WITH)).toString()));
// Both sides pass through JSON.stringify, because JSON.stringify prints -0 as 0.
const theirs = (type: DescMessage, bytes: Uint8Array) =>
  outcome(() => JSON.parse(JSON.stringify(toJson(type, fromBinary(type, bytes)))));

const soon = { interruptAfterTimeLimit: 1000, numRuns: 40 };

test.each(types.map((type) => [type.typeName, type] as const))(
  "%s is printed as protobuf-es prints it",
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
  "printing the bytes %j of a message with required fields gives the same result as protobuf-es",
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

test("concatenated messages are merged, as the wire format specifies", () => {
  fc.assert(
    fc.property(both, ([type, one, two]) => {
      const bytes = Buffer.concat([one, two]);
      expect(ours(type, bytes)).toEqual(theirs(type, bytes));
    }),
    { interruptAfterTimeLimit: 3000, numRuns: 2000 },
  );
});

test("printing corrupted bytes gives the same result as protobuf-es", () => {
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

test.each(WAYS)(
  "printing in parts of any size gives the same text as printing in one step, %s",
  (_, options) => {
    fc.assert(
      fc.property(both, fc.nat(60), fc.nat(), fc.nat(255), ([type, one, two], size, place, byte) => {
        const bytes = Buffer.concat(place % 3 === 0 ? [one, two] : [one]);
        if (place % 5 === 0 && bytes.length > 0) bytes[place % bytes.length] = byte;
        const text = (print: () => Uint8Array) => outcome(() => Buffer.from(print()).toString());
        const parts = text(() => atOnce(printJsonInParts(type, bytes, options, size)));
        const whole = text(() => printJson(type, bytes, options));
        if (!sameButKeys(parts, whole)) expect(parts).toEqual(whole);
      }),
      { interruptAfterTimeLimit: 5000, numRuns: 5_000 },
    );
  },
);

/**
 * Reports whether two outcomes have the same JSON, except for the order of integer-like keys, which
 * JavaScript objects list first.
 */
function sameButKeys(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((outcome) => (outcome as { readonly json?: string }).json);
  if (a === undefined || b === undefined || !/"\d+":/.test(a)) return false;
  return a.length === b.length && JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
}

/** Yields messages with many values, and with one long value. */
function* largeMessages(): Generator<readonly [DescMessage, Uint8Array]> {
  const numbers = { kind: { case: "numberValue", value: 1.5 } } as const;
  const values = Array.from({ length: 200_000 }, () => numbers);
  const value = { kind: { case: "listValue", value: { values } } } as const;
  yield [ListValueSchema, toBinary(ListValueSchema, create(ListValueSchema, { values: [value, ...values] }))];
  const fields = Object.fromEntries(values.map((each, index) => [`k${index}`, each]));
  yield [StructSchema, toBinary(StructSchema, create(StructSchema, { fields }))];
  const file = Array.from({ length: 50_000 }, (_, index) => ({ name: `n${index}`, message_type: [] }));
  yield [
    FileDescriptorSetSchema,
    toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file })),
  ];
  const path = Array.from({ length: 300_000 }, (_, index) => index);
  const location = create(SourceCodeInfo_LocationSchema, { path, leadingComments: "é☃".repeat(100_000) });
  yield [SourceCodeInfo_LocationSchema, toBinary(SourceCodeInfo_LocationSchema, location)];
  const bytes = create(BytesValueSchema, { value: Buffer.alloc(1_000_000, "bytes") });
  yield [BytesValueSchema, toBinary(BytesValueSchema, bytes)];
}

const LARGE = [...largeMessages()];

test.each(WAYS)("at most 128 KiB are printed between two pauses, %s", (_, options) => {
  for (const [type, bytes] of LARGE) {
    const work = printJsonInParts(type, bytes, options);
    let step = work.next();
    for (; step.done !== true; step = work.next()) expect(step.value).toBeLessThanOrEqual(128 * 1024);
    const parts = Buffer.from(step.value);
    expect(parts.equals(printJson(type, bytes, options))).toBe(true);
    expect(JSON.stringify(JSON.parse(parts.toString())) === toJsonString(type, fromBinary(type, bytes))).toBe(
      true,
    );
  }
});

test.each(WAYS)("a message has the same text for every possible part size, %s", (_, options) => {
  const text = 'a"é☃😀\n';
  const location = { path: [1, 127, 128, 16_384, -1], leadingDetachedComments: [text, "", text.repeat(3)] };
  const info = create(SourceCodeInfoSchema, {
    location: [location, {}, { ...location, leadingComments: text }],
  });
  const struct: JsonObject = {
    a: [1.5, null, [], {}, [[[text]]]],
    [text]: { b: text.repeat(4), "": -0.5 },
    c: "",
  };
  const all = [
    [SourceCodeInfoSchema, toBinary(SourceCodeInfoSchema, info)],
    [StructSchema, toBinary(StructSchema, fromJson(StructSchema, struct))],
    [BytesValueSchema, toBinary(BytesValueSchema, create(BytesValueSchema, { value: Buffer.from(text) }))],
    [StringValueSchema, toBinary(StringValueSchema, create(StringValueSchema, { value: text }))],
  ] as const;
  for (const [type, bytes] of all) {
    const whole = Buffer.from(printJson(type, bytes, options)).toString();
    expect(JSON.parse(whole)).toEqual(toJson(type, fromBinary(type, bytes)));
    for (let size = 0; size <= bytes.length + 1; size++) {
      const parts = Buffer.from(atOnce(printJsonInParts(type, bytes, options, size))).toString();
      expect(parts, `${type.typeName} in parts of ${size}`).toBe(whole);
    }
  }
});

test.each(WAYS)("the nesting limit is the same when printing in parts, %s", (_, options) => {
  const nested = (depth: number) => {
    let value: Uint8Array = Buffer.of(0x08, 0);
    for (let i = 0; i < depth; i++) {
      const list = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(value).finish();
      value = new BinaryWriter().tag(6, WireType.LengthDelimited).bytes(list).finish();
    }
    return value;
  };
  for (let depth = 47; depth < 53; depth++) {
    const bytes = nested(depth);
    const expected = theirs(ValueSchema, bytes);
    expect(outcome(() => JSON.parse(String(Buffer.from(printJson(ValueSchema, bytes, options)))))).toEqual(
      expected,
    );
    for (let size = 0; size <= bytes.length; size += 7) {
      const parts = () =>
        JSON.parse(String(Buffer.from(atOnce(printJsonInParts(ValueSchema, bytes, options, size)))));
      expect(outcome(parts), `depth ${depth}, parts of ${size}`).toEqual(expected);
    }
  }
});

test("negative zero keeps its sign, with and without WebAssembly", () => {
  for (const [type, bytes] of [
    [DoubleValueSchema, toBinary(DoubleValueSchema, create(DoubleValueSchema, { value: -0 }))],
    [FloatValueSchema, toBinary(FloatValueSchema, create(FloatValueSchema, { value: -0 }))],
  ] as const) {
    for (const [, options] of WAYS) {
      expect(Buffer.from(printJson(type, bytes, options)).toString()).toBe("-0");
    }
  }
});

test("fields are printed in the order of their numbers, as in protobuf-es", () => {
  fc.assert(
    fc.property(arbitraryMessage(BlogSchema), (message) => {
      const bytes = toBinary(BlogSchema, message);
      const keys = Object.keys(toJson(BlogSchema, message) as object);
      expect(Object.keys(JSON.parse(Buffer.from(printJson(BlogSchema, bytes, WITH)).toString()))).toEqual(
        keys,
      );
    }),
    soon,
  );
});
