import type { Schema, SchemaNode } from "../normalize/schema.ts";
import { Token } from "../proto/model.ts";
import {
  booleanChecks,
  isPortable,
  listChecks,
  mapChecks,
  numberChecks,
  stringChecks,
  valueChecks,
} from "./checks.ts";
import {
  LIST_VALUE,
  type Planning,
  plainType,
  type Spot,
  STRUCT,
  scalar,
  TIMESTAMP,
  type Typed,
  VALUE,
} from "./context.ts";
import { type EnumPlanner, isEnum } from "./enums.ts";
import { tupleType } from "./tuples.ts";
import { unionType } from "./unions.ts";
import { element } from "./wrappers.ts";

const MAX_INT32 = 2 ** 31 - 1;
/** The maximum nesting depth of inline schemas. The names of their messages grow with the depth. */
const MAX_DEPTH = 24;

/** Returns the type of a field, given its schema. */
export function typeOfSchema(planning: Planning, enums: EnumPlanner, node: SchemaNode, spot: Spot): Typed {
  const schema = planning.schemas.read(node);
  if (spot.words.length > MAX_DEPTH && schema.name === undefined) return plainType(VALUE, "too-deep");
  const { shape } = schema;
  switch (shape.kind) {
    case "any":
    case "never":
    case "null":
      return plainType(VALUE);
    case "boolean":
      return { ...plainType(scalar("bool")), checks: booleanChecks(shape.only) };
    case "string":
      if (spot.request && !isPortable(schema.limits.pattern)) {
        planning.report.add("pattern", schema.place, spot.element);
      }
      return stringType(schema);
    case "integer":
      return integerType(schema);
    case "number":
      return { ...plainType(scalar("double")), checks: numberChecks("double", schema.limits) };
    case "enum":
      return enumType(enums, schema, shape.values, spot);
    case "array":
      return shape.items === undefined
        ? plainType(LIST_VALUE)
        : listType(planning, schema, shape.items, spot);
    case "tuple":
      return tupleType(planning, schema, spot);
    case "object":
      return objectType(planning, schema, spot);
    case "union":
      return unionType(planning, enums, schema, spot);
  }
}

function stringType(schema: Schema): Typed {
  switch (schema.format) {
    case "date-time":
      return plainType(TIMESTAMP);
    case "byte":
      return plainType(scalar("bytes"));
    case "base64url":
      return { ...plainType(scalar("bytes")), rules: { bytes: new Token("BASE64URL") } };
    default:
      return { ...plainType(scalar("string")), checks: stringChecks(schema) };
  }
}

function integerType({ format, limits }: Schema): Typed {
  const { minimum, maximum } = limits;
  const isSmall =
    minimum !== undefined && maximum !== undefined && minimum >= -MAX_INT32 && maximum <= MAX_INT32;
  const type = format === "int32" || isSmall ? "int32" : format === "uint64" ? "uint64" : "int64";
  return { ...plainType(scalar(type)), checks: numberChecks(type, limits) };
}

function enumType(
  enums: EnumPlanner,
  schema: Schema,
  values: readonly (string | number)[],
  spot: Spot,
): Typed {
  const texts = values.filter((value) => typeof value === "string");
  if (texts.length < values.length) {
    const isSmall = values.every((value) => Math.abs(Number(value)) <= MAX_INT32);
    const type = isSmall ? "int32" : "int64";
    return { ...plainType(scalar(type)), checks: valueChecks(type, values) };
  }
  if (!isEnum(texts) || schema.format === "date-time") {
    return { ...plainType(scalar("string")), checks: valueChecks("string", texts) };
  }
  return plainType({ kind: "enum", enumeration: enums.enumOf(schema, texts, spot) });
}

function listType(planning: Planning, schema: Schema, items: SchemaNode, spot: Spot): Typed {
  const label = "repeated";
  const item = { ...spot, words: itemWords(spot) };
  const typed = element(planning, planning.typeOf(items, item), items, item);
  const isScalar = typed.type.kind === "scalar" || typed.type.kind === "enum";
  return { ...typed, label, checks: listChecks(schema.limits, false, typed.checks, isScalar) };
}

function itemWords(spot: Spot): readonly string[] {
  const [last = "item"] = spot.words.slice(-1);
  return spot.words.length === 0 ? ["item"] : [...spot.words.slice(0, -1), last];
}

function objectType(planning: Planning, schema: Schema, spot: Spot): Typed {
  const { shape } = schema;
  if (shape.kind !== "object") return plainType(VALUE);
  const { additional, properties } = shape;
  const isMap = typeof additional === "object" && isTextMap(planning, properties.values(), additional);
  if (properties.size > 0 && !isMap) {
    return plainType({ kind: "message", message: planning.messageOf(schema, spot) });
  }
  if (additional === false) return plainType({ kind: "message", message: planning.messageOf(schema, spot) });
  if (additional === undefined || additional === true) return plainType(STRUCT);
  return mapType(planning, schema, additional, spot);
}

function mapType(planning: Planning, schema: Schema, values: SchemaNode, spot: Spot): Typed {
  const value = planning.schemas.read(values);
  if (value.shape.kind === "any") return plainType(STRUCT);
  const inner = { ...spot, words: [...spot.words, "value"] };
  const typed = element(planning, planning.typeOf(values, inner), values, inner);
  return { ...typed, label: "map", checks: mapChecks(schema.limits, false, typed.checks) };
}

/** Reports whether all properties and additional keys are strings, so that a map can hold them. */
function isTextMap(planning: Planning, properties: Iterable<SchemaNode>, additional: SchemaNode): boolean {
  const isText = (node: SchemaNode) => {
    const { shape, nullable } = planning.schemas.read(node);
    return (
      !nullable && (shape.kind === "string" || (shape.kind === "enum" && typeof shape.values[0] === "string"))
    );
  };
  const { shape } = planning.schemas.read(additional);
  return shape.kind === "string" && [...properties].every(isText);
}
