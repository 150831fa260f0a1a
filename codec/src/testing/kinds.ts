import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { Difference, DifferenceClass } from "../decode/difference.ts";
import { ProtoWriter } from "../decode/proto-writer.ts";
import type { ScalarKind } from "../table/kinds.ts";

/** The scalar kinds that have their own protobuf type: all except bytes written as strings. */
export type TypedKind = Exclude<ScalarKind, "textBytes">;

/** The scalar kinds of the writer with their descriptor types. */
export const SCALAR_TYPES: Readonly<Record<TypedKind, Type>> = {
  string: Type.STRING,
  bytes: Type.BYTES,
  bool: Type.BOOL,
  double: Type.DOUBLE,
  float: Type.FLOAT,
  int32: Type.INT32,
  sint32: Type.SINT32,
  uint32: Type.UINT32,
  fixed32: Type.FIXED32,
  sfixed32: Type.SFIXED32,
  int64: Type.INT64,
  sint64: Type.SINT64,
  uint64: Type.UINT64,
  fixed64: Type.FIXED64,
  sfixed64: Type.SFIXED64,
};

/** All scalar kinds of the writer. */
export const SCALAR_KINDS = Object.keys(SCALAR_TYPES) as TypedKind[];

const LISTS = 100;
const MESSAGES = {
  self: [200, ".test.v1.Kinds", Label.OPTIONAL],
  selves: [201, ".test.v1.Kinds", Label.REPEATED],
  strings: [202, ".test.v1.Kinds.StringsEntry", Label.REPEATED],
  numbers: [203, ".test.v1.Kinds.NumbersEntry", Label.REPEATED],
  flags: [204, ".test.v1.Kinds.FlagsEntry", Label.REPEATED],
  time: [205, ".google.protobuf.Timestamp", Label.OPTIONAL],
  duration: [206, ".google.protobuf.Duration", Label.OPTIONAL],
  mask: [207, ".google.protobuf.FieldMask", Label.OPTIONAL],
  struct: [208, ".google.protobuf.Struct", Label.OPTIONAL],
  value: [209, ".google.protobuf.Value", Label.OPTIONAL],
  values: [210, ".google.protobuf.ListValue", Label.OPTIONAL],
  wrapper: [211, ".google.protobuf.Int64Value", Label.OPTIONAL],
  text: [212, ".google.protobuf.StringValue", Label.OPTIONAL],
} as const;

/**
 * Returns the number of a field of test.v1.Kinds. The field name is a scalar kind, a kind with the suffix
 * `_list`, or the name of a message field.
 */
export function numberOf(name: string): number {
  const kind = SCALAR_KINDS.indexOf(name.replace(/_list$/, "") as TypedKind);
  if (kind >= 0) return kind + 1 + (name.endsWith("_list") ? LISTS : 0);
  return MESSAGES[name as keyof typeof MESSAGES][0];
}

function scalarFields() {
  return SCALAR_KINDS.flatMap((kind) => [
    field(kind, Label.OPTIONAL, SCALAR_TYPES[kind]),
    field(`${kind}_list`, Label.REPEATED, SCALAR_TYPES[kind]),
  ]);
}

function field(name: string, label: Label, type: Type, typeName = "", number = numberOf(name)) {
  return { name, jsonName: name, number, label, type, typeName };
}

function entry(name: string, key: Type, value: Type) {
  return {
    name,
    field: [field("key", Label.OPTIONAL, key, "", 1), field("value", Label.OPTIONAL, value, "", 2)],
    options: { mapEntry: true },
  };
}

const WELL_KNOWN = [
  file_google_protobuf_duration,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/**
 * test.v1.Kinds, a message with a field of every kind. The fields have presence (proto2), so that tests see
 * which fields were written.
 */
export const Kinds: DescMessage = build();

function build(): DescMessage {
  const file = create(FileDescriptorProtoSchema, {
    name: "test/v1/kinds.proto",
    package: "test.v1",
    syntax: "proto2",
    dependency: WELL_KNOWN.map(({ proto }) => proto.name),
    messageType: [
      {
        name: "Kinds",
        field: [
          ...scalarFields(),
          ...Object.entries(MESSAGES).map(([name, [number, type, label]]) =>
            field(name, label, Type.MESSAGE, type, number),
          ),
        ],
        nestedType: [
          entry("StringsEntry", Type.STRING, Type.STRING),
          entry("NumbersEntry", Type.INT32, Type.UINT64),
          entry("FlagsEntry", Type.BOOL, Type.BOOL),
        ],
      },
    ],
  });
  const message = createFileRegistry(file, (name) =>
    WELL_KNOWN.find(({ proto }) => proto.name === name),
  ).getMessage("test.v1.Kinds");
  if (message === undefined) throw new Error("test.v1.Kinds is not in its own file");
  return message;
}

/** The output of a writer as ProtoJSON, and its reports. */
export interface Written {
  readonly json: JsonValue;
  readonly differences: readonly Difference[];
  readonly inexact: boolean;
}

/** Writes a test.v1.Kinds and reads it back with protobuf-es. */
export function written(write: (out: ProtoWriter) => void, exact = false, textual = false): Written {
  const out = new ProtoWriter();
  out.reset(exact, textual);
  write(out);
  const { differences, inexact } = out;
  return { json: toJson(Kinds, fromBinary(Kinds, out.finish())), differences, inexact };
}

/** Builds a difference. */
export function difference(as: DifferenceClass, path: string, expected: string, got: string): Difference {
  return { path, expected, got, class: as };
}
