/** Encodes messages as strings that are equal exactly when the messages have the same meaning. */
import {
  type DescField,
  type DescMessage,
  isFieldSet,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { type ListValue, ListValueSchema, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";

/** Distinctions that the annotations allow a request to lose. */
export interface Allowed {
  /**
   * Whether an empty singular message equals an unset message, and scalars of a Struct equal their strings.
   */
  readonly isFlat: boolean;
}

/** Returns a string that represents the message by protobuf equality. */
export function meaningOf(desc: DescMessage, message: Message, allowed: Allowed): string {
  return JSON.stringify(fieldsOf(desc, message, allowed));
}

function fieldsOf(desc: DescMessage, message: Message, allowed: Allowed): unknown[] {
  return desc.fields
    .filter((field) => isFieldSet(message, field))
    .flatMap((field) => {
      const said = saidOf(field, read(field, message), allowed);
      const isEmpty = field.fieldKind === "message" && Array.isArray(said) && said.length === 0;
      // A response without any key of a oneof is read as an empty fallback.
      return isEmpty && (allowed.isFlat || field.name === "rest") ? [] : [[field.name, said]];
    });
}

function read(field: DescField, message: Message): unknown {
  const values = message as unknown as Readonly<Record<string, unknown>>;
  if (field.oneof === undefined) return values[field.localName];
  return (values[field.oneof.localName] as { readonly value: unknown }).value;
}

function saidOf(field: DescField, value: unknown, allowed: Allowed): unknown {
  // Raw JSON is compared by value. By default a part has the name of its field and holds bytes.
  if (field.name === "others") {
    return sorted(value as object, (text) => jsonOf(JSON.parse(String(text)), allowed));
  }
  if (field.parent.name === "Part" && (value === "x" || value === "application/octet-stream")) return "";
  switch (field.fieldKind) {
    case "list":
      return (value as unknown[]).map((item) => itemOf(field, item, allowed));
    case "map":
      return sorted(value as object, (item) => itemOf(field, item, allowed));
    default:
      return itemOf(field, value, allowed);
  }
}

/** Returns a scalar as a string. -0 is a number other than 0. */
function textOf(value: unknown): string {
  return Object.is(value, -0) ? "-0" : String(value);
}

function itemOf(field: DescField, value: unknown, allowed: Allowed): unknown {
  const desc = "message" in field ? field.message : undefined;
  switch (desc?.typeName) {
    case undefined:
      return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : textOf(value);
    case "google.protobuf.Struct":
      return sorted(value as object, (item) => jsonOf(item as JsonValue, allowed));
    case "google.protobuf.Value":
      return [jsonOf(toJson(ValueSchema, value as Value), allowed)];
    case "google.protobuf.ListValue":
      return (toJson(ListValueSchema, value as ListValue) as JsonValue[]).map((item) =>
        jsonOf(item, allowed),
      );
    default:
      // A wrapper may be represented by its bare value.
      if (typeof value !== "object" || value instanceof Uint8Array) return [textOf(value)];
      return scalar(desc as DescMessage, fieldsOf(desc as DescMessage, value as Message, allowed));
  }
}

/** A message that is written as a single value has that value even if no field is set. */
function scalar(desc: DescMessage, fields: unknown[]): unknown[] {
  const isScalar = /^google\.protobuf\.(?:\w+Value|Timestamp|Duration|FieldMask|Any)$/.test(desc.typeName);
  return isScalar ? [desc.name, ...fields] : fields;
}

function jsonOf(value: JsonValue, allowed: Allowed): unknown {
  if (Array.isArray(value)) return { list: value.map((item) => jsonOf(item, allowed)) };
  if (typeof value === "object" && value !== null) {
    return { object: sorted(value, (item) => jsonOf(item as JsonValue, allowed)) };
  }
  return allowed.isFlat && value !== null ? String(value) : value;
}

function sorted(entries: object, convert: (value: unknown) => unknown): unknown[] {
  return Object.entries(entries)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, value]) => [key, convert(value)]);
}
