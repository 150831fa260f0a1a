import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence as Presence } from "@bufbuild/protobuf/wkt";
import { fieldRulesOf, type ValidateRules } from "protoc-gen-connect-rest/kit";
import { descriptionOf } from "./description.ts";
import { enumHints, enumSchema, printedEnumSchema, zeroIsRefused } from "./enum.ts";
import { type Direction, described, type JsonSchema } from "./json-schema.ts";
import { celHints, member } from "./rule-members.ts";
import { ruleName, scalarKind } from "./scalar.ts";
import { number } from "./string-rules.ts";
import { isWrapper } from "./well-known.ts";

/** Where a field stands. */
export interface Place {
  readonly direction: Direction;
  /** The reference to the schema of a message. */
  readonly refer: (desc: DescMessage) => JsonSchema;
}

/** A field as a property of its message. */
export interface Property {
  readonly schema: JsonSchema;
  readonly required: boolean;
}

/** The property that a field is in ProtoJSON, with the rules of protovalidate that JSON Schema can say. */
export function propertyOf(field: DescField, place: Place): Property {
  const rules = rulesOf(field, place);
  const { schema, hints, details = "" } = valueSchema(field, rules, place);
  const notZero = rules.required === true && !hasPresence(field) ? nonZero(field) : {};
  const sentences = [...hints, ...celHints(rules)].join(" ");
  return {
    schema: described({ ...notZero, ...defined(schema) }, descriptionOf(field), details, sentences),
    required: place.direction === "input" && isRequired(field, rules),
  };
}

/** The rules that the sender of a message keeps. Nobody holds an upstream to them. */
function rulesOf(field: DescField, { direction }: Place): ValidateRules {
  const rules = direction === "input" ? fieldRulesOf(field) : undefined;
  return rules === undefined || rules.ignore === "IGNORE_ALWAYS" ? {} : rules;
}

/** A schema, and what its keywords cannot say: sentences, and a list of an enum's values. */
interface Value {
  readonly schema: JsonSchema;
  readonly hints: readonly string[];
  readonly details?: string;
}

function valueSchema(field: DescField, rules: ValidateRules, place: Place): Value {
  switch (field.fieldKind) {
    case "scalar":
      return scalarValue(field.scalar, rules, place);
    case "enum":
      return enumValue(field.enum, rules, place);
    case "message":
      return messageValue(field.message, rules, place);
    case "list":
      return listValue(field, rules, place);
    case "map":
      return mapValue(field, rules, place);
  }
}

function scalarValue(type: ScalarType, rules: ValidateRules, { direction }: Pick<Place, "direction">): Value {
  const kind = scalarKind(type);
  const { keywords, hints } = kind.constraint(member(rules, ruleName(type)));
  const schema = direction === "output" ? kind.printed : kind.schema;
  return { schema: { ...schema, ...defined(keywords) }, hints };
}

function enumValue(desc: DescEnum, rules: ValidateRules, { direction }: Place): Value {
  const own = member(rules, "enum");
  const schema = direction === "output" ? printedEnumSchema(desc) : enumSchema(desc, own);
  return { schema, hints: [], details: enumHints(desc, own) };
}

function messageValue(desc: DescMessage, rules: ValidateRules, place: Place): Value {
  const [inner] = isWrapper(desc) ? desc.fields : [];
  if (inner?.fieldKind === "scalar") return scalarValue(inner.scalar, rules, place);
  return { schema: place.refer(desc), hints: [] };
}

/** The schema of a google.protobuf.StringValue or a sibling of it; undefined for other messages. */
export function valueOfWrapper(desc: DescMessage, direction: Direction): JsonSchema | undefined {
  const [inner] = isWrapper(desc) ? desc.fields : [];
  if (inner?.fieldKind !== "scalar") return undefined;
  return scalarValue(inner.scalar, {}, { direction }).schema;
}

function listValue(field: DescField & { fieldKind: "list" }, rules: ValidateRules, place: Place): Value {
  const { minItems, maxItems, unique, items } = member(rules, "repeated");
  const element = elementValue(field, objectOf(items), place);
  return {
    ...element,
    schema: {
      type: "array",
      items: element.schema,
      minItems: number(minItems),
      maxItems: number(maxItems),
      uniqueItems: unique === true ? true : undefined,
    },
  };
}

function mapValue(field: DescField & { fieldKind: "map" }, rules: ValidateRules, place: Place): Value {
  const { minPairs, maxPairs, keys, values } = member(rules, "map");
  const element = elementValue(field, objectOf(values), place);
  return {
    ...element,
    schema: {
      type: "object",
      additionalProperties: element.schema,
      propertyNames: keySchema(field.mapKey, objectOf(keys), place),
      minProperties: number(minPairs),
      maxProperties: number(maxPairs),
    },
  };
}

function elementValue(
  field: DescField & { fieldKind: "list" | "map" },
  rules: ValidateRules,
  place: Place,
): Value {
  const value =
    field.message !== undefined
      ? messageValue(field.message, rules, place)
      : field.enum !== undefined
        ? enumValue(field.enum, rules, place)
        : scalarValue(field.scalar, rules, place);
  return { ...value, hints: [...value.hints, ...celHints(rules)] };
}

/** Integers without a sign. */
const UNSIGNED: ReadonlySet<ScalarType> = new Set([
  ScalarType.UINT32,
  ScalarType.UINT64,
  ScalarType.FIXED32,
  ScalarType.FIXED64,
]);

/** The keys of a map, which JSON writes as strings. */
function keySchema(type: ScalarType, rules: ValidateRules, place: Place): JsonSchema | undefined {
  if (type === ScalarType.BOOL) return { enum: ["true", "false"] };
  if (type !== ScalarType.STRING) return { pattern: UNSIGNED.has(type) ? "^[0-9]+$" : "^-?[0-9]+$" };
  const { type: _type, ...keywords } = defined(scalarValue(type, rules, place).schema);
  return Object.keys(keywords).length === 0 ? undefined : keywords;
}

/** A field without presence cannot be told from one with the zero value, so rules against that require it. */
function isRequired(field: DescField, rules: ValidateRules): boolean {
  if (rules.required === true || field.presence === Presence.LEGACY_REQUIRED) return true;
  if (hasPresence(field) || rules.ignore === "IGNORE_IF_ZERO_VALUE") return false;
  switch (field.fieldKind) {
    case "scalar":
      return scalarKind(field.scalar).zeroBreaks(member(rules, ruleName(field.scalar)));
    case "enum":
      return zeroIsRefused(member(rules, "enum"));
    case "list":
      return Number(member(rules, "repeated").minItems ?? 0) > 0;
    case "map":
      return Number(member(rules, "map").minPairs ?? 0) > 0;
    default:
      return false;
  }
}

function hasPresence(field: DescField): boolean {
  return (
    field.fieldKind === "message" || (field.fieldKind !== "list" && field.presence !== Presence.IMPLICIT)
  );
}

function nonZero(field: DescField): JsonSchema {
  if (field.fieldKind === "list") return { minItems: 1 };
  if (field.fieldKind === "map") return { minProperties: 1 };
  return field.fieldKind === "scalar" ? scalarKind(field.scalar).notZero : {};
}

function objectOf(value: unknown): JsonObject {
  return member({ value: (value ?? null) as JsonObject }, "value");
}

/** Without the keywords that are undefined, so that they do not hide others. */
function defined(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
