import type { DescField, DescMessage } from "@bufbuild/protobuf";

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

/** The message type of a field, whether singular or repeated. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
}

/** Whether a field is a google.protobuf.Timestamp, singular or repeated. */
export function isTimestamp(field: DescField): boolean {
  return messageOf(field)?.typeName === "google.protobuf.Timestamp";
}
