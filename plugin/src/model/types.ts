/** What the options of fields, oneofs and enum values say. */

import type { DescEnumValue, DescField, DescMessage, DescOneof, JsonObject } from "@bufbuild/protobuf";
import type { FieldRules } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { RuleText } from "./rule-texts.ts";
import type { ConditionModel } from "./rules.ts";

/**
 * The options of an element, by its descriptor. An element without options has a model too,
 * which says nothing.
 */
export interface TypeModels {
  field(desc: DescField): FieldModel;
  /** Whether a field is google.api.field_behavior = REQUIRED. */
  required(desc: DescField): boolean;
  oneof(desc: DescOneof): OneofModel;
  enumValue(desc: DescEnumValue): EnumValueModel;
  /** The texts in the options of an element, as they are written. */
  texts(desc: DescField | DescOneof | DescEnumValue): readonly RuleText[];
  /** The constraints of protovalidate on a message as a whole, as JSON; empty where there are none. */
  constraints(desc: DescMessage): JsonObject;
}

/** The rules of a field that a model has as the option has them. */
export const PLAIN_RULES = ["name", "aliases", "unwrap", "unknown", "coerce", "absent", "redact"] as const;

/** What the options of a field say of it. */
export interface FieldModel extends Readonly<Pick<FieldRules, (typeof PLAIN_RULES)[number]>> {
  /** Where a request carries the field; undefined where its HTTP rule decides. */
  readonly place: Place | undefined;
  /** How a list or map is written; undefined for the default. */
  readonly style: Style | undefined;
  /**
   * Where a response field comes from, in the order in which they are tried; empty for the key of its name.
   */
  readonly sources: readonly SourceModel[];
  /** How a Timestamp or Duration is written; undefined for the default. */
  readonly time: TimeModel | undefined;
  /** Whether a 64-bit integer is written as a number; undefined where the service decides. */
  readonly number: boolean | undefined;
  /** How bytes are written as text; undefined for the default. */
  readonly bytes: BytesEncoding | undefined;
  /** When the field is the member that its oneof holds; empty where that goes by its name. */
  readonly conditions: readonly ConditionModel[];
  /** What of a part of a multipart body the field is. */
  readonly piece: Piece | undefined;
  /** What a field mask speaks of; undefined for the default. */
  readonly mask: MaskModel | undefined;
}

/**
 * The rules of a field that are for responses alone: the names of their options,
 * and what the model calls them.
 */
export const RESPONSE_RULES = {
  aliases: "aliases",
  from: "sources",
  coerce: "coerce",
  absent: "absent",
} as const satisfies Readonly<Record<string, keyof FieldModel>>;

/** The rules that are not for members of oneofs: what is there chooses the member, whatever it says. */
export const LONE_RULES = ["absent"] as const satisfies ReadonlyArray<keyof typeof RESPONSE_RULES>;

/** What a field mask speaks of. */
export interface MaskModel {
  /** The name of a field; empty for the default. */
  readonly of: string;
  /** How fields that it names and that are not set are written; undefined for not at all. */
  readonly unset: "null" | "empty" | undefined;
}

export type Place = "path" | "query" | "header" | "cookie" | "body" | "part" | "oauth1_param" | "nothing";
export type Style = "repeat" | "brackets" | "indexed" | "comma" | "spread";
export type BytesEncoding = "base64" | "base64url" | "raw";
export type Piece = "part_name" | "content" | "content_type" | "filename";
export type Layout = "flattened" | "nested" | "beside" | "unwrapped";

/**
 * Where a response field comes from. `rel` chooses an address of a `Link` header (RFC 8288);
 * empty for the whole value.
 */
export type SourceModel =
  | { readonly kind: "header"; readonly header: string; readonly rel: string }
  | { readonly kind: "status"; readonly status: number; readonly rel: string }
  | { readonly kind: "path"; readonly path: string; readonly rel: string }
  /** The option names no place, which is a problem. */
  | { readonly kind: "none"; readonly rel: string };

/** How a time is written. */
export interface TimeModel {
  /** The runtime's word for the notation. */
  readonly notation: TimeNotation;
  /** The unit as the option has it, `HTTP_DATE`. */
  readonly unit: string;
  /** The pattern of the notation `pattern`; else empty. */
  readonly format: string;
  /** The text that means that there is no time; empty for none. */
  readonly none: string;
  readonly rounding: "up" | "down" | undefined;
}

/** What a time counts that is written as a number. */
export type CountUnit = "seconds" | "millis" | "micros" | "nanos";

export type TimeNotation = CountUnit | "iso8601" | "pattern" | "http_date" | "rfc2822";

/** How the wire says which member of a oneof it holds. */
export interface OneofModel {
  /** The key whose value names the member; empty for none. */
  readonly discriminator: string;
  /** Where the member is; undefined for the default. */
  readonly layout: Layout | undefined;
  /** The key with the member in the layout `beside`; else empty. */
  readonly payload: string;
  /** The name of the member that takes what no other does; empty for none. */
  readonly fallback: string;
}

/** How an enum value is written. */
export interface EnumValueModel {
  /** The text in requests; empty for the name in the .proto file. */
  readonly wire: string;
  /** Further texts that responses may have. */
  readonly aliases: readonly string[];
}

/** The oneof whose member stands in place of a message in JSON; undefined where the message is an object. */
export function unwrappedOneof({ oneofs }: DescMessage, types: TypeModels): DescOneof | undefined {
  return oneofs.find((oneof) => types.oneof(oneof).layout === "unwrapped");
}

/** Whether the members of a oneof share the object that the oneof stands in. */
export function isFlattened(oneof: DescOneof, types: TypeModels): boolean {
  const { discriminator, layout } = types.oneof(oneof);
  return layout === "flattened" || (layout === undefined && discriminator !== "");
}

/** The values of the discriminator that choose a member of a oneof. */
export function discriminatorValues(field: DescField, types: TypeModels): readonly string[] {
  const values = types.field(field).conditions.flatMap((condition) => condition.values ?? []);
  return values.length > 0 ? values : [field.name];
}

/**
 * The value of the discriminator that selects a member in a request, as JSON of the type that its rule names.
 */
export function discriminatorJson(field: DescField, types: TypeModels): string {
  const condition = types.field(field).conditions.find(({ values }) => (values ?? []).length > 0);
  const [text = field.name] = condition?.values ?? [];
  const isBoolean = condition?.type === "boolean" && (text === "true" || text === "false");
  if (isBoolean) return text;
  const isNumber = condition?.type === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
  if (!isNumber) return JSON.stringify(text);
  return text.includes(".") || Number.isSafeInteger(Number(text)) ? text : `${text}n`;
}
