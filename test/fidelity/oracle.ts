/**
 * Computes the expected result of a changed response from descriptors and annotations, without using a
 * decoder.
 */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  getExtension,
  hasExtension,
  ScalarType,
} from "@bufbuild/protobuf";
import type { DifferenceClass } from "connect-rest-runtime";
import {
  enum_value,
  field as fieldOption,
  message as messageOption,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import {
  type FieldRules,
  Time_Unit as TimeUnit,
} from "connect-rest-runtime/gen/connectrest/v1/field_rules_pb.js";

export { TimeUnit };

/** The kinds of changes to a value of a response. */
export const CHANGES = [
  "drop",
  "null",
  "object",
  "arrays",
  "text",
  "number",
  "true",
  "rename",
  "alias",
  "twice",
] as const;
export type Change = (typeof CHANGES)[number];

/** The replacement value of each change. Changes without a replacement value remove the key. */
export const CHANGED_VALUES: Readonly<Partial<Record<Change, unknown>>> = {
  null: null,
  object: { zz_new: 1 },
  arrays: [[], []],
  text: "zz!",
  number: 123_456,
  true: true,
};

const INTEGERS = new Set([
  ScalarType.INT32,
  ScalarType.SINT32,
  ScalarType.UINT32,
  ScalarType.FIXED32,
  ScalarType.SFIXED32,
]);
const LONGS = new Set([
  ScalarType.INT64,
  ScalarType.SINT64,
  ScalarType.UINT64,
  ScalarType.FIXED64,
  ScalarType.SFIXED64,
]);
const FLOATS = new Set([ScalarType.DOUBLE, ScalarType.FLOAT]);

/** Returns the rules of a field; undefined for a field without rules. */
export function rulesOf({ proto }: DescField): FieldRules | undefined {
  const { options } = proto;
  return options !== undefined && hasExtension(options, fieldOption)
    ? getExtension(options, fieldOption)
    : undefined;
}

/** Reports whether the JSON of a message is an array of its fields. */
export function isTuple({ proto: { options } }: DescMessage): boolean {
  return (
    options !== undefined &&
    hasExtension(options, messageOption) &&
    getExtension(options, messageOption).tuple
  );
}

/** Returns the key of a field on the wire. */
export function keyOf(field: DescField): string {
  return rulesOf(field)?.name || field.name;
}

/** Reports whether a message keeps unknown keys. */
export function collects(message: DescMessage): boolean {
  return !isTuple(message) && message.fields.some((field) => rulesOf(field)?.unknown === true);
}

/** Returns the other keys that are read if a field's key is missing. */
export function aliasesOf(fields: readonly DescField[]): readonly string[] {
  return fields.flatMap((field) => rulesOf(field)?.aliases ?? []);
}

type Harmless = "drop" | "null" | "alias" | "twice";

function isHarmless(change: Change): change is Harmless {
  return ["drop", "null", "alias", "twice"].includes(change);
}

/** Returns the classes of difference that a change causes in all fields that read the key. */
export function expectedOf(fields: readonly DescField[], change: Change): ReadonlySet<DifferenceClass> {
  const [first] = fields;
  if (first === undefined || isHarmless(change)) return new Set();
  if (change === "rename") return new Set(collects(first.parent) ? [] : ["additional"]);
  return new Set(fields.flatMap((field) => ofField(field, change, fields.length > 1)));
}

type Value = Exclude<Change, Harmless | "rename">;

function ofField(field: DescField, change: Value, hasTwin: boolean): DifferenceClass[] {
  switch (field.fieldKind) {
    case "scalar":
      return ofScalar(field.scalar, change);
    case "enum":
      return ofEnum(field.enum, change, hasTwin ? "twin" : collects(field.parent) ? "collector" : "nothing");
    case "message":
      if (isTime(field)) return change === "number" && isCount(field) ? [] : ["lost"];
      return change === "object" && !isTuple(field.message) ? ofNewKey(field.message) : ["lost"];
    case "map":
      return change === "object" ? ofMapValue(field) : ["lost"];
    case "list":
      return ofList(field, change);
  }
}

function ofScalar(scalar: ScalarType, change: Value): DifferenceClass[] {
  if (change === "object" || change === "arrays") return ["lost"];
  if (scalar === ScalarType.STRING) return change === "text" ? [] : ["converted"];
  if (scalar === ScalarType.BOOL) return change === "true" ? [] : ["lost"];
  const isNumber = INTEGERS.has(scalar) || LONGS.has(scalar) || FLOATS.has(scalar);
  return isNumber && change === "number" ? [] : ["lost"];
}

function ofEnum(desc: DescEnum, change: Value, keeper: "twin" | "collector" | "nothing"): DifferenceClass[] {
  if (change === "number" && desc.open && !hasNumbersOfItsOwn(desc)) return ["additional"];
  const isObject = change === "object" || change === "arrays";
  if (keeper === "collector" || (keeper === "twin" && !isObject)) return ["additional"];
  return ["lost"];
}

/** Reports whether the upstream's numbers for enum values differ from the enum's numbers. */
function hasNumbersOfItsOwn({ values }: DescEnum): boolean {
  return values.some(({ number, proto: { options } }) => {
    if (options === undefined || !hasExtension(options, enum_value)) return false;
    const { wire, aliases } = getExtension(options, enum_value);
    return [wire ?? "", ...aliases].some((text) => /^-?\d+$/.test(text) && Number(text) !== number);
  });
}

/** Reports whether a field is a single time. */
export function isTime(field: DescField): boolean {
  return field.fieldKind === "message" && field.message.typeName === "google.protobuf.Timestamp";
}

function isCount(field: DescField): boolean {
  const unit = rulesOf(field)?.time?.unit;
  return unit === TimeUnit.SECONDS || unit === TimeUnit.MILLIS;
}

function ofNewKey(message: DescMessage): DifferenceClass[] {
  return collects(message) ? [] : ["additional"];
}

/** Returns the difference classes for a map to which the new key is added with the value 1. */
function ofMapValue(field: DescField & { fieldKind: "map" }): DifferenceClass[] {
  if (field.mapKey !== ScalarType.STRING) return ["lost"];
  if (field.mapKind === "scalar") return ofScalar(field.scalar, "number");
  return field.mapKind === "enum" ? [] : ["lost"];
}

/** Returns the difference classes for a list. A single value is read as a list of one. */
function ofList(field: DescField & { fieldKind: "list" }, change: Value): DifferenceClass[] {
  if (change === "arrays" && field.listKind === "message") {
    return [field.delimitedEncoding ? "converted" : "lost"];
  }
  if (change === "arrays") return ofItem(field, change);
  // An object with none of the item's keys is not read as an item.
  if (change === "object" && field.listKind === "message" && hasOwnKeys(field.message)) return ["lost"];
  return ["converted", ...ofItem(field, change)];
}

/** Reports whether objects of a type are recognized by their keys. */
function hasOwnKeys(message: DescMessage): boolean {
  const { typeName } = message;
  return typeName !== "google.protobuf.Struct" && typeName !== "google.protobuf.Value" && !isTuple(message);
}

function ofItem(field: DescField & { fieldKind: "list" }, change: Value): DifferenceClass[] {
  if (field.listKind === "scalar") return ofScalar(field.scalar, change);
  if (field.listKind === "enum") {
    return ofEnum(field.enum, change, collects(field.parent) ? "collector" : "nothing");
  }
  return change === "object" && !isTuple(field.message) ? ofNewKey(field.message) : ["lost"];
}
