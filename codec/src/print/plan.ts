import { type DescEnum, type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";

/** The way to print a value: a string, another scalar, an enum, or a message by its plan. */
export type ValuePlan =
  | { readonly kind: "text"; readonly scalar: ScalarType.STRING; readonly wireType: 2 }
  | { readonly kind: "scalar"; readonly scalar: ScalarType; readonly wireType: number }
  | { readonly kind: "enum"; readonly values: EnumPlan; readonly wireType: 0 }
  | { readonly kind: "message"; readonly message: MessagePlan; readonly wireType: 2 };

/** The JSON names of an enum. */
export interface EnumPlan {
  readonly names: ReadonlyMap<number, Uint8Array>;
  /** The number of the first value, which is the default. */
  readonly zero: number;
  /** Whether numbers without a name are valid. */
  readonly isOpen: boolean;
  /** Whether the enum is google.protobuf.NullValue, which is null in JSON. */
  readonly isNull: boolean;
}

/** The way to print a field. */
export interface FieldPlan {
  /** The position among the fields of the message, in order of field number. */
  readonly index: number;
  /** `"name":` */
  readonly key: Uint8Array;
  readonly kind: "singular" | "list" | "map";
  readonly value: ValuePlan;
  /** The key type of a map. */
  readonly mapKey: ScalarType | undefined;
  /** Whether the default value is omitted. */
  readonly isImplicit: boolean;
  /** The index of the oneof; -1 if the field is not in a oneof. */
  readonly oneof: number;
}

/** The way to print a message. */
export interface MessagePlan {
  readonly desc: DescMessage;
  /**
   * The JSON form: `fields` by name, the bare value of a wrapper, a time, arbitrary JSON, or an `other` form,
   * which protobuf-es prints.
   */
  readonly form: "fields" | "wrapper" | "timestamp" | "struct" | "value" | "list" | "other";
  readonly fields: ReadonlyMap<number, FieldPlan>;
}

const plans = new WeakMap<DescMessage, MessagePlan>();

/** Returns the plan of a message type. The plan is created on the first call. */
export function planOf(desc: DescMessage): MessagePlan {
  const known = plans.get(desc);
  if (known !== undefined) return known;
  const fields = new Map<number, FieldPlan>();
  const plan: MessagePlan = { desc, form: formOf(desc), fields };
  // stored before the fields are visited: a message may contain itself
  plans.set(desc, plan);
  if (plan.form === "other") return plan;
  const sorted = [...desc.fields].sort((a, b) => a.number - b.number);
  for (const [index, field] of sorted.entries()) fields.set(field.number, fieldPlan(field, index));
  return plan;
}

const WRAPPERS = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];
const SPECIAL = ["Any", "Duration", "FieldMask"];
const ANY_JSON: ReadonlyMap<string, MessagePlan["form"]> = new Map([
  ["Struct", "struct"],
  ["Value", "value"],
  ["ListValue", "list"],
] as const);

function formOf(desc: DescMessage): MessagePlan["form"] {
  const [, name = ""] = /^google\.protobuf\.(\w+)$/.exec(desc.typeName) ?? [];
  if (name === "Timestamp") return "timestamp";
  const anyJson = ANY_JSON.get(name);
  if (anyJson !== undefined) return anyJson;
  if (WRAPPERS.includes(name.replace(/Value$/, "")) && name.endsWith("Value")) return "wrapper";
  return SPECIAL.includes(name) || desc.fields.some(isUnusual) ? "other" : "fields";
}

/** Reports whether a field is a group, or is required, so that its absence is an error. */
function isUnusual(field: DescField): boolean {
  if (field.presence === FeatureSet_FieldPresence.LEGACY_REQUIRED) return true;
  return "delimitedEncoding" in field && field.delimitedEncoding === true;
}

function fieldPlan(field: DescField, index: number): FieldPlan {
  const isPlural = field.fieldKind === "list" || field.fieldKind === "map";
  return {
    index,
    key: Buffer.from(`${JSON.stringify(field.jsonName)}:`),
    kind: isPlural ? field.fieldKind : "singular",
    value: valuePlan(field),
    mapKey: field.fieldKind === "map" ? field.mapKey : undefined,
    isImplicit: !isPlural && field.presence === FeatureSet_FieldPresence.IMPLICIT,
    oneof: field.oneof === undefined ? -1 : field.parent.oneofs.indexOf(field.oneof),
  };
}

function valuePlan(field: DescField): ValuePlan {
  if (field.message !== undefined) return { kind: "message", message: planOf(field.message), wireType: 2 };
  if (field.enum !== undefined) return { kind: "enum", values: enumPlan(field.enum), wireType: 0 };
  if (field.scalar === ScalarType.STRING) return { kind: "text", scalar: field.scalar, wireType: 2 };
  return { kind: "scalar", scalar: field.scalar, wireType: wireTypeOf(field.scalar) };
}

function enumPlan(desc: DescEnum): EnumPlan {
  const numbers = new Set(desc.values.map(({ number }) => number));
  return {
    // if a number has several names, use the one that protobuf-es uses
    names: new Map([...numbers].map((number) => [number, Buffer.from(JSON.stringify(nameOf(desc, number)))])),
    zero: desc.values[0]?.number ?? 0,
    isOpen: desc.open,
    isNull: desc.typeName === "google.protobuf.NullValue",
  };
}

function nameOf(desc: DescEnum, number: number): string {
  return desc.value[number]?.jsonName ?? "";
}

/** Returns the wire type of a scalar (https://protobuf.dev/programming-guides/encoding). */
export function wireTypeOf(scalar: ScalarType): number {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return 2;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 1;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 5;
    default:
      return 0;
  }
}
