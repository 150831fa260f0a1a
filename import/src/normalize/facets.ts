import { flagAt, isObject, type Json, listAt, member, numberAt, textAt, textsAt } from "../json.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import {
  combined,
  type Facets,
  type JsonType,
  type Limits,
  NO_FACETS,
  rawSchema,
  type SchemaNode,
} from "./schema.ts";

const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** Returns the facets of a schema from its keywords, without `$ref`, `allOf`, `oneOf` and `anyOf`. */
export function ownFacets(node: Node): Facets {
  const { value } = node;
  if (value === false) return { ...NO_FACETS, place: placeOf(node), never: true };
  const { types, nullable } = typesOf(value);
  const values = valuesOf(value);
  return {
    place: placeOf(node),
    types: types ?? impliedTypes(value),
    nullable: nullable || values?.includes(null) === true,
    readOnly: flagAt(value, "readOnly"),
    values: values?.filter((item) => item !== null),
    format: formatOf(value),
    properties: propertiesOf(node),
    listed: isObject(member(value, "properties")),
    required: new Set(textsAt(value, "required")),
    additional: additionalOf(node),
    items: itemsOf(node),
    tuple: tupleOf(node),
    unions: [],
    limits: limitsOf(value),
    never: false,
  };
}

function typesOf(value: Json | undefined): { types: ReadonlySet<JsonType> | undefined; nullable: boolean } {
  const type = member(value, "type");
  const named = (Array.isArray(type) ? type : [type]).filter((item) => TYPES.includes(String(item)));
  const types = new Set(named as JsonType[]);
  const nullable = flagAt(value, "nullable") || flagAt(value, "x-nullable");
  // Swagger writes `file` for bytes
  if (type === "file") return { types: new Set(["string"]), nullable };
  if (types.size > 1 && types.delete("null")) return { types, nullable: true };
  return { types: types.size === 0 ? undefined : types, nullable };
}

/** Returns the type that the keywords imply if the schema names no type. Most documents intend this type. */
function impliedTypes(value: Json | undefined): ReadonlySet<JsonType> | undefined {
  const has = (...keys: string[]) => keys.some((key) => member(value, key) !== undefined);
  if (has("properties", "additionalProperties", "patternProperties")) return new Set(["object"]);
  if (has("items", "prefixItems")) return new Set(["array"]);
  if (has("pattern", "minLength", "maxLength")) return new Set(["string"]);
  return undefined;
}

function valuesOf(value: Json | undefined): readonly Json[] | undefined {
  const constant = member(value, "const");
  if (constant !== undefined) return [constant];
  return Array.isArray(member(value, "enum")) ? listAt(value, "enum") : undefined;
}

function formatOf(value: Json | undefined): string | undefined {
  if (textAt(value, "type") === "file") return "binary";
  const encoding = textAt(value, "contentEncoding");
  if (encoding === "base64") return "byte";
  if (encoding === "base64url") return "base64url";
  const media = textAt(value, "contentMediaType");
  if (media === "application/octet-stream" && encoding === undefined) return "binary";
  return textAt(value, "format");
}

function propertiesOf(node: Node): ReadonlyMap<string, SchemaNode> {
  const properties = member(node.value, "properties");
  if (!isObject(properties)) return new Map();
  return new Map(
    Object.keys(properties).map((name) => [name, rawSchema(child(node, "properties", name))] as const),
  );
}

function additionalOf(node: Node): SchemaNode | boolean | undefined {
  const additional = member(node.value, "additionalProperties");
  const patterns = member(node.value, "patternProperties");
  if (isObject(additional) && Object.keys(additional).length > 0) {
    return rawSchema(child(node, "additionalProperties"));
  }
  if (isObject(patterns)) {
    const [first, ...others] = Object.keys(patterns);
    if (first === undefined) return undefined;
    return others.length === 0 ? rawSchema(child(node, "patternProperties", first)) : true;
  }
  if (additional === undefined) return undefined;
  return additional !== false;
}

function itemsOf(node: Node): SchemaNode | undefined {
  return isObject(member(node.value, "items")) ? rawSchema(child(node, "items")) : undefined;
}

function tupleOf(node: Node): readonly SchemaNode[] | undefined {
  const keyword = Array.isArray(member(node.value, "items")) ? "items" : "prefixItems";
  const items = listAt(node.value, keyword);
  if (items.length === 0) return undefined;
  return items.map((_, index) => rawSchema(child(node, keyword, index)));
}

function limitsOf(value: Json | undefined): Limits {
  const found: { [Key in keyof Limits]?: Limits[Key] | undefined } = {
    minLength: numberAt(value, "minLength"),
    maxLength: numberAt(value, "maxLength"),
    pattern: textAt(value, "pattern"),
    minItems: numberAt(value, "minItems"),
    maxItems: numberAt(value, "maxItems"),
    uniqueItems: flagAt(value, "uniqueItems") ? true : undefined,
    minProperties: numberAt(value, "minProperties"),
    maxProperties: numberAt(value, "maxProperties"),
    ...bounds(value, "minimum", "exclusiveMinimum"),
    ...bounds(value, "maximum", "exclusiveMaximum"),
  };
  return Object.fromEntries(Object.entries(found).filter(([, limit]) => limit !== undefined));
}

/**
 * Returns the bounds of a number. In 3.0 `exclusiveMinimum` is a flag next to `minimum`, in 3.1 it is the
 * bound itself.
 */
function bounds(value: Json | undefined, inclusive: string, exclusive: string): object {
  const bound = numberAt(value, inclusive);
  if (flagAt(value, exclusive)) return { [exclusive]: bound };
  return { [inclusive]: bound, [exclusive]: numberAt(value, exclusive) };
}

/** Returns the facets of values that meet all sets of facets. */
export function all(parts: readonly Facets[]): Facets {
  const [only, ...others] = parts;
  if (only === undefined) return NO_FACETS;
  if (others.length === 0) return only;
  // combines the schemas of each property once, since each combination costs time for all its parts
  const properties = mergedProperties(parts.map((part) => part.properties));
  const items = allOf(parts.map((part) => part.items));
  const bare = parts.map((part) => ({ ...part, properties: NO_FACETS.properties, items: undefined }));
  const [first = NO_FACETS, ...rest] = bare;
  return { ...rest.reduce<Facets>(both, first), properties, items };
}

function both(a: Facets, b: Facets): Facets {
  return {
    place: a.place === "" ? b.place : a.place,
    types: commonTypes(a.types, b.types),
    nullable: a.nullable || b.nullable,
    readOnly: a.readOnly || b.readOnly,
    values: commonValues(a.values, b.values),
    format: a.format ?? b.format,
    properties: a.properties,
    listed: a.listed || b.listed,
    required: new Set([...a.required, ...b.required]),
    additional: a.additional ?? b.additional,
    items: a.items,
    tuple: a.tuple ?? b.tuple,
    unions: [...a.unions, ...b.unions],
    limits: { ...a.limits, ...b.limits },
    never: a.never || b.never,
  };
}

type Types = ReadonlySet<JsonType> | undefined;

function commonTypes(a: Types, b: Types): Types {
  if (a === undefined || b === undefined) return a ?? b;
  const common = [...a].filter((type) => b.has(type) || (type === "integer" && b.has("number")));
  if (a.has("number") && b.has("integer")) common.push("integer");
  // no value meets both, which is a mistake in the document: use the first types
  return common.length === 0 ? a : new Set(common);
}

function commonValues(
  a: readonly Json[] | undefined,
  b: readonly Json[] | undefined,
): readonly Json[] | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const common = a.filter((value) => b.includes(value));
  return common.length === 0 ? a : common;
}

function mergedProperties(parts: readonly Facets["properties"][]): Facets["properties"] {
  const [only, ...others] = parts.filter(({ size }) => size > 0);
  if (only === undefined || others.length === 0) return only ?? new Map();
  const entries = [only, ...others].flatMap((properties) => [...properties]);
  const merged = Map.groupBy(entries, ([name]) => name);
  const combinations = [...merged].flatMap(([name, found]): [string, SchemaNode][] => {
    const schema = allOf(found.map(([, each]) => each));
    return schema === undefined ? [] : [[name, schema]];
  });
  return new Map(combinations);
}

function allOf(schemas: readonly (SchemaNode | undefined)[]): SchemaNode | undefined {
  return combined(
    "all",
    schemas.flatMap((node) => node ?? []),
  );
}
