/** The models of the options of fields, oneofs and enum values. */

import {
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescOneof,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { isScalarMessage, valueMessageOf } from "../descriptors/well-known.ts";
import type { FieldRules } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { RuleText } from "./rule-texts.ts";
import type { ConditionModel } from "./rules.ts";

/** The models of elements, by descriptor. An element without options has a model with default values. */
export interface TypeModels {
  field(desc: DescField): FieldModel;
  /** Reports whether google.api.field_behavior of a field contains REQUIRED. */
  required(desc: DescField): boolean;
  oneof(desc: DescOneof): OneofModel;
  /** Reports whether the JSON of a message is an array of its fields. */
  tuple(desc: DescMessage): boolean;
  enumValue(desc: DescEnumValue): EnumValueModel;
  /** Returns the strings in the options of an element as written. */
  texts(desc: DescField | DescOneof | DescEnumValue): readonly RuleText[];
  /**
   * Returns the protovalidate constraints on a message as a whole, as JSON; empty if the message has no
   * constraints.
   */
  constraints(desc: DescMessage): JsonObject;
}

/** The rules whose form in the model and in the option is the same. */
export const PLAIN_RULES = [
  "name",
  "aliases",
  "unwrap",
  "unknown",
  "coerce",
  "absent",
  "redact",
  "jsonText",
] as const;

/** The options of a field. */
export interface FieldModel extends Readonly<Pick<FieldRules, (typeof PLAIN_RULES)[number]>> {
  /** The place of the field in requests; undefined if the HTTP rule determines it. */
  readonly place: Place | undefined;
  /** The notation of a list or map; undefined for the default. */
  readonly style: Style | undefined;
  /**
   * The sources of a response field, in the order in which they are tried; empty if the field is read from
   * the key with its name.
   */
  readonly sources: readonly SourceModel[];
  /** The notation of a Timestamp or Duration; undefined for the default. */
  readonly time: TimeModel | undefined;
  /** Whether a 64-bit integer is written as a number; undefined if the service determines it. */
  readonly number: boolean | undefined;
  /** The encoding of bytes in strings; undefined for the default. */
  readonly bytes: BytesEncoding | undefined;
  /** The encoding of a value in a header or a cookie; undefined for none. */
  readonly encoding: ValueEncoding | undefined;
  /**
   * The conditions under which the field is the member of its oneof; empty if the name of the field selects
   * it.
   */
  readonly conditions: readonly ConditionModel[];
  /** The piece of a multipart part that the field contains. */
  readonly piece: Piece | undefined;
  /** The subject of a field mask; undefined for the default. */
  readonly mask: MaskModel | undefined;
}

/** The field rules that apply only to responses: the names of their options, and their names in the model. */
export const RESPONSE_RULES = {
  aliases: "aliases",
  from: "sources",
  coerce: "coerce",
  absent: "absent",
} as const satisfies Readonly<Record<string, keyof FieldModel>>;

/** The rules that do not apply to oneof members, because the mere presence of a value selects the member. */
export const LONE_RULES = ["absent"] as const satisfies ReadonlyArray<keyof typeof RESPONSE_RULES>;

/** The subject of a field mask. */
export interface MaskModel {
  /** The name of a field; empty for the default. */
  readonly of: string;
  /** How to write fields that the mask names but that are not set; undefined to omit them. */
  readonly unset: "null" | "empty" | undefined;
}

export type Place = "path" | "query" | "header" | "cookie" | "body" | "part" | "oauth1_param" | "nothing";
export type Style = "repeat" | "brackets" | "indexed" | "comma" | "spread";
export type ValueEncoding = "percent" | "rfc8187";
export type BytesEncoding = "base64" | "base64url" | "raw";
export type Piece = "part_name" | "content" | "content_type" | "filename";
export type Layout = "flattened" | "nested" | "beside" | "unwrapped";

/**
 * A source of a response field. `rel` selects a target of a `Link` header (RFC 8288); empty for the whole
 * value.
 */
export type SourceModel =
  | { readonly kind: "header"; readonly header: string; readonly rel: string }
  | { readonly kind: "status"; readonly status: number; readonly rel: string }
  | { readonly kind: "path"; readonly path: string; readonly rel: string }
  /** The option does not name a source, which is reported as a problem. */
  | { readonly kind: "none"; readonly rel: string };

/** The notation of a time. */
export interface TimeModel {
  /** The name of the notation in the runtime. */
  readonly notation: TimeNotation;
  /** The unit in the option, for example `HTTP_DATE`. */
  readonly unit: string;
  /** The pattern for the notation `pattern`; otherwise empty. */
  readonly format: string;
  /** The value that means "no time"; empty if there is no such value. */
  readonly none: string;
  readonly rounding: "up" | "down" | undefined;
}

/** The unit of a numeric time. */
export type CountUnit = "seconds" | "millis" | "micros" | "nanos";

export type TimeNotation = CountUnit | "iso8601" | "pattern" | "http_date" | "rfc2822";

/** How JSON identifies the member of a oneof. */
export interface OneofModel {
  /** The key whose value names the member; empty if the oneof has no discriminator. */
  readonly discriminator: string;
  /** The place of the member; undefined for the default. */
  readonly layout: Layout | undefined;
  /** The key of the member in the layout `beside`; otherwise empty. */
  readonly payload: string;
  /** The name of the member that is selected if no other member matches; empty without a fallback. */
  readonly fallback: string;
}

/** The spellings of an enum value. */
export interface EnumValueModel {
  /** The spelling in requests; undefined for the name in the .proto file. */
  readonly wire: string | undefined;
  /** Further spellings in responses. */
  readonly aliases: readonly string[];
}

/** Returns the oneof whose member replaces a message in JSON; undefined if the message is an object. */
export function unwrappedOneof({ oneofs }: DescMessage, types: TypeModels): DescOneof | undefined {
  return oneofs.find((oneof) => types.oneof(oneof).layout === "unwrapped");
}

/** Returns the fields of a tuple in the order of its items, and the field that collects further items. */
export function tupleFields(
  { fields }: DescMessage,
  types: TypeModels,
): { readonly items: readonly DescField[]; readonly rest: DescField | undefined } {
  const items = fields.toSorted((a, b) => a.number - b.number);
  const last = items.at(-1);
  const rest = last !== undefined && types.field(last).unknown ? last : undefined;
  return { items: items.filter((field) => field !== rest), rest };
}

const UNWRAPPED_TYPES: ReadonlyMap<DescField["fieldKind"] | undefined, "array" | "object"> = new Map([
  ["list", "array"],
  ["map", "object"],
]);

/**
 * Reports whether a message is written as one text in a parameter: a scalar message, or a oneof of scalars
 * that replaces its message.
 */
export function isTextMessage(message: DescMessage, types: TypeModels): boolean {
  if (isScalarMessage(message)) return true;
  const union = unwrappedOneof(message, types);
  return union?.fields.every(isTextMember) ?? false;
}

function isTextMember(field: DescField): boolean {
  if (field.fieldKind === "enum") return field.enum.typeName !== "google.protobuf.NullValue";
  return field.fieldKind === "scalar" && field.scalar !== ScalarType.BYTES;
}

/**
 * Reports whether the values of a field have no text for a parameter, so that they are parameters with
 * brackets.
 */
export function isTree(field: DescField, types: TypeModels): boolean {
  const { style, jsonText } = types.field(field);
  if (jsonText) return false;
  if (field.fieldKind === "map") return style !== "spread";
  const message = valueMessageOf(field);
  return message !== undefined && !isTextMessage(message, types);
}

/** Returns the JSON type that all values of a message field have; undefined if the type varies. */
export function containerType(
  field: DescField,
  message: DescMessage,
  types: TypeModels,
): "array" | "object" | undefined {
  if (types.field(field).unwrap) return UNWRAPPED_TYPES.get(message.fields[0]?.fieldKind);
  if (message.typeName === "google.protobuf.ListValue" || types.tuple(message)) return "array";
  const isOwn =
    !message.typeName.startsWith("google.protobuf.") || message.typeName === "google.protobuf.Struct";
  return isOwn && unwrappedOneof(message, types) === undefined ? "object" : undefined;
}

/** Reports whether a discriminator or conditions select the member of a oneof, not the keys themselves. */
export function isChosen(oneof: DescOneof, types: TypeModels): boolean {
  const { discriminator } = types.oneof(oneof);
  return discriminator !== "" || oneof.fields.some((field) => types.field(field).conditions.length > 0);
}

/** Reports whether the members of a oneof share the object that contains the oneof. */
export function isFlattened(oneof: DescOneof, types: TypeModels): boolean {
  const { layout } = types.oneof(oneof);
  return layout === "flattened" || (layout === undefined && isChosen(oneof, types));
}

/** Returns the discriminator values that select a member of a oneof. */
export function discriminatorValues(field: DescField, types: TypeModels): readonly string[] {
  const values = types.field(field).conditions.flatMap((condition) => condition.values ?? []);
  return values.length > 0 ? values : [field.name];
}

/**
 * Returns the discriminator values that select a member, as JSON of the types that its rules name. A request
 * sends the first one.
 */
export function discriminatorJson(field: DescField, types: TypeModels): readonly [string, ...string[]] {
  const conditions = types.field(field).conditions.filter(({ values = [] }) => values.length > 0);
  const [first = JSON.stringify(field.name), ...others] = conditions.flatMap(({ values = [], type }) =>
    values.map((text) => jsonOf(text, type)),
  );
  return [first, ...others];
}

function jsonOf(text: string, type: string | undefined): string {
  if (type === "boolean" && (text === "true" || text === "false")) return text;
  const isNumber = type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
  if (!isNumber) return JSON.stringify(text);
  return text.includes(".") || Number.isSafeInteger(Number(text)) ? text : `${text}n`;
}
