import { createFileRegistry, createRegistry, type DescMessage, fromJson, toJson } from "@bufbuild/protobuf";
import { AnySchema, DurationSchema, FieldMaskSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-json.ts";

const KEY_TYPES = {
  INT32: [-(2n ** 31n), 2n ** 31n - 1n],
  SINT32: [-(2n ** 31n), 2n ** 31n - 1n],
  SFIXED32: [-(2n ** 31n), 2n ** 31n - 1n],
  UINT32: [0n, 2n ** 32n - 1n],
  FIXED32: [0n, 2n ** 32n - 1n],
  INT64: [-(2n ** 63n), 2n ** 63n - 1n],
  SINT64: [-(2n ** 63n), 2n ** 63n - 1n],
  SFIXED64: [-(2n ** 63n), 2n ** 63n - 1n],
  UINT64: [0n, 2n ** 64n - 1n],
  FIXED64: [0n, 2n ** 64n - 1n],
} as const satisfies Record<string, readonly [bigint, bigint]>;

/**
 * Returns a message type with a map for each type of key, `int32Keys` and so on, and a field of the same
 * message type.
 */
function messageWithMaps(): DescMessage {
  const kinds = Object.keys(KEY_TYPES);
  const entryName = (kind: string) => `${kind.charAt(0)}${kind.slice(1).toLowerCase()}KeysEntry`;
  const scalar = (name: string, number: number, type: string) => ({
    name,
    number,
    label: "LABEL_OPTIONAL",
    type: `TYPE_${type}`,
  });
  const maps = kinds.map((kind, index) => ({
    name: `${kind.toLowerCase()}_keys`,
    jsonName: `${kind.toLowerCase()}Keys`,
    number: index + 1,
    label: "LABEL_REPEATED",
    type: "TYPE_MESSAGE",
    typeName: `.test.Maps.${entryName(kind)}`,
  }));
  const entries = kinds.map((kind) => ({
    name: entryName(kind),
    options: { mapEntry: true },
    field: [scalar("key", 1, kind), scalar("value", 2, "STRING")],
  }));
  const inner = { jsonName: "inner", ...scalar("inner", 100, "MESSAGE"), typeName: ".test.Maps" };
  const message = { name: "Maps", field: [...maps, inner], nestedType: entries };
  const file = { name: "test.proto", package: "test", syntax: "proto3", messageType: [message] };
  const found = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [file] })).getMessage(
    "test.Maps",
  );
  if (found === undefined) throw new Error("no message");
  return found;
}

const MAPS = messageWithMaps();
const TYPES = createRegistry(DurationSchema, FieldMaskSchema, MAPS);

function read(desc: DescMessage, json: unknown): unknown {
  const message = readJson(desc, JSON.stringify(json), { registry: TYPES });
  return toJson(desc, message, { registry: TYPES });
}

/** Returns the error message for invalid JSON; undefined for valid JSON. */
function problem(desc: DescMessage, json: unknown): string | undefined {
  try {
    read(desc, json);
    return undefined;
  } catch (error) {
    expect([error instanceof ConnectError, ConnectError.from(error).code]).toEqual([
      true,
      Code.InvalidArgument,
    ]);
    return ConnectError.from(error).rawMessage;
  }
}

const kindOfKey = fc.constantFrom(...(Object.keys(KEY_TYPES) as (keyof typeof KEY_TYPES)[]));
const keyOf = (kind: keyof typeof KEY_TYPES) => {
  const [min, max] = KEY_TYPES[kind];
  return fc.oneof(fc.bigInt({ min, max }), fc.constantFrom(min, max, 0n));
};
const goodKey = kindOfKey.chain((kind) => fc.tuple(fc.constant(kind), keyOf(kind)));

/** Spellings of an integer that JavaScript or JSON numbers allow, and that are invalid for keys. */
const SPELLINGS: readonly ((key: bigint) => string)[] = [
  (key) => ` ${key}`,
  (key) => `${key} `,
  (key) => `\t${key}`,
  (key) => `${key}\n`,
  (key) => `+${key}`,
  (key) => `${key < 0n ? "-" : ""}0${key < 0n ? -key : key}`,
  (key) => `${key}.0`,
  (key) => `${key}.`,
  (key) => `${key}e0`,
  (key) => `${key}n`,
  (key) => `${key < 0n ? "-" : ""}0x${(key < 0n ? -key : key).toString(16)}`,
  (key) => `0b${(key < 0n ? -key : key).toString(2)}`,
  (key) => `0o${(key < 0n ? -key : key).toString(8)}`,
  (key) => `${key}_0`,
  (key) => `${key},0`,
  () => "",
  () => " ",
  () => "-",
  () => "-0",
  () => "NaN",
  () => "Infinity",
  () => "true",
  (key) => String(key).replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
];

test("property: every integer in decimal digits is a valid key of each type", () => {
  fc.assert(
    fc.property(goodKey, ([kind, key]) => {
      const field = `${kind.toLowerCase()}Keys`;
      const json = { inner: { [field]: { [String(key)]: "a" } } };
      expect(read(MAPS, json)).toEqual(json);
    }),
  );
});

test("property: every other spelling of a key is rejected with the key's path, including in nested messages and in Any", () => {
  const spelled = fc.tuple(goodKey, fc.constantFrom(...SPELLINGS), fc.constantFrom("root", "inner", "any"));
  fc.assert(
    fc.property(spelled, ([[kind, key], spelling, place]) => {
      const maps = { [`${kind.toLowerCase()}Keys`]: { [spelling(key)]: "a" } };
      const any = { "@type": "type.googleapis.com/test.Maps", ...maps };
      const text =
        place === "any" ? problem(AnySchema, any) : problem(MAPS, place === "inner" ? { inner: maps } : maps);
      const path = `${place === "inner" ? "inner." : ""}${kind.toLowerCase()}Keys`;
      expect(text).toMatch(new RegExp(`^${path}: a key of this map is an integer .*; got "`));
    }),
  );
});

const digits = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });

test("property: a duration with more than 9 fraction digits, or characters after its unit, is rejected", () => {
  const good = fc.tuple(fc.integer({ min: -315_576_000_000, max: 315_576_000_000 }), digits(1, 9));
  fc.assert(
    fc.property(good, ([seconds, fraction]) => {
      expect(problem(DurationSchema, `${seconds}.${fraction}s`)).toBeUndefined();
    }),
  );
  const long = fc
    .tuple(fc.nat(1000), digits(10, 400))
    .map(([seconds, fraction]) => `${seconds}.${fraction}s`);
  const trailing = fc
    .tuple(fc.nat(1000), fc.string({ minLength: 1, maxLength: 10 }))
    .map(([seconds, rest]) => `${seconds}s${rest}`);
  fc.assert(
    fc.property(
      fc.oneof(long, trailing, fc.constantFrom("", "s", "1", "1.s", ".5s", "+1s", " 1s", "1e2s")),
      (text) => {
        expect(problem(DurationSchema, text)).toMatch(
          /^the message: a duration is seconds with at most 9 digits behind the point, e.g. "1.5s"; got "/,
        );
      },
    ),
  );
});

test("property: a field mask with an empty path is rejected", () => {
  const path = fc
    .string({ unit: fc.constantFrom(..."abcXY."), minLength: 1, maxLength: 5 })
    .filter((text) => /^[a-z]/.test(text));
  fc.assert(
    fc.property(fc.array(fc.oneof(path, fc.constant("")), { maxLength: 5 }), (paths) => {
      const text = paths.join(",");
      const isGood = text === "" || !paths.includes("");
      const found = problem(FieldMaskSchema, text);
      if (isGood) {
        expect(found).toBeUndefined();
      } else {
        expect(found).toBe(
          `the message: a field mask is paths in lowerCamel with commas between them, e.g. "a,bC.d", none of them empty; got "${text}"`,
        );
      }
    }),
  );
});

test("checking a deeply nested message does not overflow the stack", () => {
  const text = `${'{"inner":'.repeat(50_000)}{}${"}".repeat(50_000)}`;
  expect(() => readJson(MAPS, text, { recursionLimit: 100 })).toThrow("maximum recursion depth");
});

/** A request with a file, as an import writes it for a multipart body. */
function upload(): DescMessage {
  const field = (name: string, number: number, type: string, more: object = {}) => ({
    name,
    jsonName: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    number,
    label: "LABEL_OPTIONAL",
    type: `TYPE_${type}`,
    ...more,
  });
  const part = { typeName: ".test.FilePart" };
  const repeated = { label: "LABEL_REPEATED" };
  const fields = [
    field("file", 1, "MESSAGE", part),
    field("more_files", 2, "MESSAGE", { ...part, ...repeated }),
    field("named_files", 3, "MESSAGE", { typeName: ".test.Upload.NamedFilesEntry", ...repeated }),
  ];
  const entry = {
    name: "NamedFilesEntry",
    options: { mapEntry: true },
    field: [field("key", 1, "STRING"), field("value", 2, "MESSAGE", part)],
  };
  const content = [
    field("content", 1, "BYTES"),
    field("filename", 2, "STRING"),
    field("content_type", 3, "STRING"),
  ];
  const messageType = [
    { name: "Upload", field: fields, nestedType: [entry] },
    { name: "FilePart", field: content },
  ];
  const file = { name: "upload.proto", package: "test", syntax: "proto3", messageType };
  const registry = createFileRegistry(fromJson(FileDescriptorSetSchema, { file: [file] }));
  const found = registry.getMessage("test.Upload");
  if (found === undefined) throw new Error("no message");
  return found;
}

const UPLOAD = upload();
const PART = "a JSON object with the fields of test.FilePart (content, filename, contentType)";

/** Places of a value of another kind, with their paths and the expected kinds. */
const PLACES: readonly (readonly [string, (value: unknown) => unknown, string])[] = [
  ["file", (value) => ({ file: value }), PART],
  ["moreFiles", (value) => ({ moreFiles: value }), "a JSON array"],
  ["moreFiles[1]", (value) => ({ moreFiles: [{}, value] }), PART],
  ["namedFiles", (value) => ({ namedFiles: value }), "a JSON object with the entries of a map"],
  ['namedFiles["a"]', (value) => ({ namedFiles: { a: value } }), PART],
];

const otherKinds = fc.oneof(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  fc.constantFrom(true, false, 7, 1.5, 2 ** 60, [], {}),
);

test("property: a value of another kind of JSON than its field is rejected with its path, the expected kind and the value", () => {
  fc.assert(
    fc.property(fc.constantFrom(...PLACES), otherKinds, ([path, json, expected], value) => {
      const isRight = expected.startsWith("a JSON array")
        ? Array.isArray(value)
        : `${value}` === "[object Object]";
      const kind = Array.isArray(value) ? "an array" : "an object";
      const got = typeof value === "object" ? kind : JSON.stringify(value);
      expect(problem(UPLOAD, json(value))).toBe(
        isRight ? undefined : `${path}: expected ${expected}; got ${got}`,
      );
    }),
  );
});
