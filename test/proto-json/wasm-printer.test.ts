import { readdirSync } from "node:fs";
import path from "node:path";
import {
  create,
  createRegistry,
  type DescFile,
  type DescMessage,
  fromBinary,
  fromJson,
  type MessageShape,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  DoubleValueSchema,
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  ListValueSchema,
  StringValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { printJson, printJsonInParts } from "../../codec/src/print/print-json.ts";
import { byProtobufEs } from "../../codec/src/print/protobuf-es.ts";
import { WasmPrinter } from "../../codec/src/print/wasm-printer.ts";
import { atOnce } from "../../codec/src/time/work.ts";
import { Dice } from "../scanner/json-text.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";
import { wireBytes } from "./wire-bytes.ts";

const root = path.resolve(import.meta.dirname, "../..");
const wasm = new WasmPrinter();

/** Messages of the described APIs and of test files, with all kinds of fields, and well-known types. */
const TYPES: readonly DescMessage[] = [
  ...(await generatedFiles("gen")),
  ...(await generatedFiles("test/gen")),
  file_google_protobuf_descriptor,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
].flatMap((file) => [...nestedTypes(file)].filter((type) => type.kind === "message"));

const REGISTRY = createRegistry(...TYPES);

async function generatedFiles(folder: string): Promise<DescFile[]> {
  const names = readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" });
  const modules = names
    .filter((name) => name.endsWith("_pb.ts"))
    .map((name) => import(path.join(root, folder, name)));
  return (await Promise.all(modules)).flatMap((module: object) => Object.values(module).filter(isFile));
}

function isFile(value: { readonly kind?: unknown }): value is DescFile {
  return value.kind === "file";
}

/** Returns the printed text or the error. */
function outcome(print: () => Uint8Array): string {
  try {
    return Buffer.from(print()).toString();
  } catch (error) {
    return String(error);
  }
}

/** Returns normalized JSON, or the text itself if it is not JSON. */
function normal(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

/** Returns the text that protobuf-es prints, or the error. JSON.stringify prints -0 as 0. */
function expectedOf(type: DescMessage, bytes: Uint8Array): string {
  return outcome(() => Buffer.from(toJsonString(type, fromBinary(type, bytes), { registry: REGISTRY })));
}

/**
 * Reports whether WebAssembly printed the message, and compares the text with the text from protobuf-es. Only
 * the sign of -0 and the order of integer-like keys, which JavaScript objects list first, may differ.
 */
function compare(type: DescMessage, bytes: Uint8Array): boolean {
  const printed = wasm.print(type, bytes, REGISTRY);
  if (printed === undefined) return false;
  const text = Buffer.from(printed).toString();
  const expected = expectedOf(type, bytes);
  const mayDiffer = /"\d+":|-0\b(?!\.)/.test(text);
  if (text !== expected && !(mayDiffer && normal(text) === normal(expected))) {
    expect(text, `${type.typeName} ${Buffer.from(bytes).toString("hex")}`).toBe(expected);
  }
  return true;
}

const soon = { interruptAfterTimeLimit: 20_000, numRuns: 4000 };

test("WebAssembly prints an ordinary message of any type like protobuf-es", () => {
  let printed = 0;
  let asked = 0;
  const message = fc.constantFrom(...TYPES).chain((type) => {
    const overrides = { "google.protobuf.UninterpretedOption.name": fc.constant([]) };
    return fc.tuple(fc.constant(type), arbitraryMessage(type, overrides));
  });
  fc.assert(
    fc.property(message, ([type, value]) => {
      const bytes = bytesOf(type, value);
      if (bytes === undefined) return;
      asked++;
      if (compare(type, bytes)) printed++;
    }),
    soon,
  );
  expect(printed / asked).toBeGreaterThan(0.9);
});

/** Returns undefined for a message without its required fields, which cannot be encoded. */
function bytesOf(type: DescMessage, message: MessageShape<DescMessage>): Uint8Array | undefined {
  try {
    return toBinary(type, message);
  } catch {
    return undefined;
  }
}

test("property: WebAssembly prints all numbers, times and strings without a fallback to protobuf-es", () => {
  const decimal = fc.tuple(fc.integer(), fc.nat(12)).map(([digits, places]) => digits / 10 ** places);
  const value = fc.oneof(fc.double(), fc.float(), decimal);
  const seconds = fc.bigInt(-62_135_596_800n, 253_402_300_799n);
  const nanos = fc.oneof(
    fc.nat(999_999_999),
    fc.nat(999).map((each) => each * 1_000_000),
  );
  const unit = fc.constantFrom("a", '"', "\\", "\n", "\u0001", "é", "中", "😀", "0123456789abcdef");
  const text = fc.string({ unit, maxLength: 40 });
  fc.assert(
    fc.property(value, seconds, nanos, text, (value, seconds, nanos, text) => {
      const all = [
        [DoubleValueSchema, toBinary(DoubleValueSchema, create(DoubleValueSchema, { value }))],
        [TimestampSchema, toBinary(TimestampSchema, create(TimestampSchema, { seconds, nanos }))],
        [StringValueSchema, toBinary(StringValueSchema, create(StringValueSchema, { value: text }))],
      ] as const;
      for (const [type, bytes] of all) expect(compare(type, bytes)).toBe(true);
    }),
    { ...soon, numRuns: 10_000 },
  );
});

test("an escape or invalid UTF-8 is printed as in protobuf-es, at every offset of a 32-byte block", () => {
  const notes = ['"', "\\", "\n", "\u0001", "é", "😀", "\u2028"].map((note) => Buffer.from(note));
  const broken = [Buffer.of(0xff), Buffer.of(0xc3), Buffer.of(0xed, 0xa0, 0x80)];
  for (const note of [...notes, ...broken]) {
    for (let place = 0; place < 70; place++) {
      const fill = Buffer.alloc(place, "x");
      const text = Buffer.concat([fill, note, fill.subarray(place % 41), note]);
      const bytes = Buffer.concat([
        Buffer.of(0x0a, ...(text.length < 128 ? [] : [(text.length & 127) | 128])),
        Buffer.of(text.length < 128 ? text.length : text.length >> 7),
        text,
      ]);
      const printed = wasm.print(StringValueSchema, bytes, undefined);
      expect(printed && Buffer.from(printed).toString()).toBe(
        broken.includes(note) ? undefined : JSON.stringify(text.toString()),
      );
    }
  }
});

test("property: for fields in any order and unknown fields, WebAssembly prints the text of protobuf-es or falls back to it", () => {
  let printed = 0;
  let asked = 0;
  fc.assert(
    fc.property(fc.constantFrom(...TYPES), fc.nat(), (type, seed) => {
      const bytes = wireBytes(type, new Dice(seed));
      asked++;
      if (compare(type, bytes)) printed++;
    }),
    soon,
  );
  expect(printed / asked).toBeGreaterThan(0.5);
});

test.each([
  ["by WebAssembly", wasm],
  ["without WebAssembly", undefined],
])(
  "property: printing any bytes gives the result of protobuf-es, in one step and in parts, %s",
  (_, wasm) => {
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fc.nat(), fc.nat(60), (type, seed, size) => {
        const bytes = wireBytes(type, new Dice(seed));
        const options = { types: REGISTRY, wasm };
        const expected = normal(expectedOf(type, bytes));
        expect(normal(outcome(() => printJson(type, bytes, options)))).toBe(expected);
        expect(normal(outcome(() => atOnce(printJsonInParts(type, bytes, options, size))))).toBe(expected);
      }),
      soon,
    );
  },
);

test("property: for corrupted bytes, WebAssembly prints the text of protobuf-es or falls back to it", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...TYPES),
      fc.nat(),
      fc.nat(),
      fc.nat(255),
      fc.nat(),
      (type, seed, place, byte, cut) => {
        const bytes = Buffer.from(wireBytes(type, new Dice(seed)));
        if (bytes.length > 0) bytes[place % bytes.length] = byte;
        compare(type, cut % 2 === 0 ? bytes : bytes.subarray(0, cut % (bytes.length + 1)));
      },
    ),
    { ...soon, numRuns: 10_000 },
  );
});

test("a message with too many values for one event-loop turn is printed in parts", () => {
  const values = Array.from(
    { length: 1000 },
    (_, index) => ({ kind: { case: "numberValue", value: index } }) as const,
  );
  const bytes = toBinary(ListValueSchema, create(ListValueSchema, { values }));
  expect(wasm.print(ListValueSchema, bytes, undefined, 1, 999)).toBeUndefined();
  expect(wasm.print(ListValueSchema, bytes, undefined, 1, 1000)).toBeDefined();
  const many = toBinary(ListValueSchema, create(ListValueSchema, { values: Array(300).fill(values).flat() }));
  const parts = printJsonInParts(ListValueSchema, many, { types: undefined, wasm }, many.length);
  expect(JSON.parse(Buffer.from(atOnce(parts)).toString())).toHaveLength(300_000);
});

test("a message longer than the limit for one step is printed in parts, with little memory", () => {
  const wasm = new WasmPrinter();
  const bytes = (length: number) =>
    toBinary(StringValueSchema, create(StringValueSchema, { value: "\u0001".repeat(length) }));
  expect(wasm.print(StringValueSchema, bytes(1_000_000), undefined)).toBeUndefined();
  expect(compare(StringValueSchema, bytes(100_000))).toBe(true);
  const json = printJson(StringValueSchema, bytes(5_000_000), { types: undefined, wasm });
  expect(json).toHaveLength(30_000_002);
});

test("WebAssembly prints a map with more keys than it can compare in one step, unless a key is duplicated", () => {
  const print = vi.spyOn(wasm, "print");
  const fields = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key ${index}`, index]));
  const bytes = toBinary(StructSchema, fromJson(StructSchema, fields));
  const options = { types: undefined, wasm };
  expect(JSON.parse(Buffer.from(printJson(StructSchema, bytes, options)).toString())).toEqual(fields);
  const parts = print.mock.results.filter(({ value }) => value !== undefined);
  expect(parts.length).toBeGreaterThan(3);
  const twice = Buffer.concat([bytes, toBinary(StructSchema, fromJson(StructSchema, { "key 1": "last" }))]);
  const json = JSON.parse(Buffer.from(printJson(StructSchema, twice, options)).toString());
  expect(json).toEqual({ ...fields, "key 1": "last" });
});

/** Returns the bytes of a google.protobuf.Value of nested lists, with a leaf in the innermost list. */
function nestedValue(lists: number, leaf: Uint8Array): Uint8Array {
  let bytes = leaf;
  for (let count = 0; count < lists; count++) {
    // Wraps the value in a ListValue, and the ListValue in a Value.
    bytes = new BinaryWriter().uint32(50).bytes(new BinaryWriter().uint32(10).bytes(bytes).finish()).finish();
  }
  return bytes;
}

const LEAVES: ReadonlyArray<readonly [name: string, leaf: Uint8Array]> = [
  ["a text", new BinaryWriter().uint32(26).string("deep").finish()],
  ["a number", new BinaryWriter().uint32(17).double(1.5).finish()],
  ["a boolean", new BinaryWriter().uint32(32).bool(true).finish()],
  ["an empty list", new BinaryWriter().uint32(50).bytes(new Uint8Array()).finish()],
  ["an empty object", new BinaryWriter().uint32(42).bytes(new Uint8Array()).finish()],
];

test.each(LEAVES)(
  "too deeply nested messages with %s are rejected as in protobuf-es, including when printed in parts",
  (_, leaf) => {
    for (const lists of [1, 47, 48, 49, 50, 51, 52, 100, 300]) {
      const bytes = nestedValue(lists, leaf);
      const expected = printedOrError(() => Buffer.from(byProtobufEs(ValueSchema, bytes)));
      for (const each of [wasm, undefined]) {
        const options = { types: undefined, wasm: each };
        for (const size of [16, 100, 32 * 1024]) {
          const inParts = printedOrError(() => atOnce(printJsonInParts(ValueSchema, bytes, options, size)));
          expect([lists, size, inParts]).toEqual([lists, size, expected]);
        }
        expect([lists, printedOrError(() => printJson(ValueSchema, bytes, options))]).toEqual([
          lists,
          expected,
        ]);
      }
    }
  },
);

function printedOrError(print: () => Uint8Array): string {
  try {
    return Buffer.from(print()).toString();
  } catch (error) {
    return String(error);
  }
}
