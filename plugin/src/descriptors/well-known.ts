import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

const WRAPPERS: ReadonlySet<string> = new Set(
  ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"].map(
    (name) => `google.protobuf.${name}Value`,
  ),
);

/**
 * Reports whether a message is google.protobuf.StringValue or another wrapper, whose JSON is the bare
 * value.
 */
export function isWrapper(desc: DescMessage): boolean {
  return WRAPPERS.has(desc.typeName);
}

/** Reports whether a message is written as a single scalar in JSON and queries. */
export function isScalarMessage(desc: DescMessage): boolean {
  return (
    isWrapper(desc) ||
    desc.typeName === "google.protobuf.Timestamp" ||
    desc.typeName === "google.protobuf.Duration" ||
    desc.typeName === "google.protobuf.FieldMask"
  );
}

/** Reports whether null is a value of a field that differs from absence, as for google.protobuf.NullValue. */
export function holdsNull(field: DescField): boolean {
  if (field.fieldKind !== "enum" || field.enum.typeName !== "google.protobuf.NullValue") return false;
  return field.presence !== FeatureSet_FieldPresence.IMPLICIT;
}

/** Reports whether a field is repeated or a map. */
export function isCollection(field: DescField): boolean {
  return field.fieldKind === "list" || field.fieldKind === "map";
}

/** Returns the message type of a singular or repeated field. */
export function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
}

/** Returns the scalar type of the values in a field, which a wrapper may contain. */
export function scalarOf(field: DescField): ScalarType | undefined {
  const message = valueMessageOf(field);
  return message !== undefined && isWrapper(message) ? message.fields[0]?.scalar : field.scalar;
}

/** Reports whether a field is a google.protobuf.Timestamp, singular or repeated. */
export function isTimestamp(field: DescField): boolean {
  return messageOf(field)?.typeName === "google.protobuf.Timestamp";
}

/**
 * Returns the message type of the values in a field, including map values; undefined if they are not
 * messages.
 */
export function valueMessageOf(field: DescField): DescMessage | undefined {
  return "message" in field ? field.message : undefined;
}

/** Reports whether a field is a single string. */
export function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

/** Converts a google.protobuf.Duration to milliseconds. */
export function millisOf({ seconds, nanos }: { readonly seconds: bigint; readonly nanos: number }): number {
  return Number(seconds) * 1_000 + nanos / 1_000_000;
}
