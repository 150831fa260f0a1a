import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

const WRAPPERS: ReadonlySet<string> = new Set(
  ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"].map(
    (name) => `google.protobuf.${name}Value`,
  ),
);

/** google.protobuf.StringValue and its siblings: in JSON the bare value (ProtoJSON). */
export function isWrapper(desc: DescMessage): boolean {
  return WRAPPERS.has(desc.typeName);
}

/** A message that JSON and queries write as one scalar. */
export function isScalarMessage(desc: DescMessage): boolean {
  return (
    isWrapper(desc) ||
    desc.typeName === "google.protobuf.Timestamp" ||
    desc.typeName === "google.protobuf.Duration" ||
    desc.typeName === "google.protobuf.FieldMask"
  );
}

/** Whether null is a value of a field, as JSON has google.protobuf.NullValue, and is told from nothing. */
export function holdsNull(field: DescField): boolean {
  if (field.fieldKind !== "enum" || field.enum.typeName !== "google.protobuf.NullValue") return false;
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** The message type of a field, whether singular or repeated. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
}

/** Whether a field is a google.protobuf.Timestamp, singular or repeated. */
export function isTimestamp(field: DescField): boolean {
  return messageOf(field)?.typeName === "google.protobuf.Timestamp";
}

/** The message type of a field's values, also of a map; undefined where they are none. */
export function valueMessageOf(field: DescField): DescMessage | undefined {
  return "message" in field ? field.message : undefined;
}

/** Whether a field is a single string. */
export function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

/** A google.protobuf.Duration in milliseconds. */
export function millisOf({ seconds, nanos }: { readonly seconds: bigint; readonly nanos: number }): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}
