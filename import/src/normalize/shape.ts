import type { Json } from "../json.ts";
import type { Facets, JsonType, SchemaNode, Shape } from "./schema.ts";

/** A shape, or the schema that this schema is an alias of. */
export type Read = {
  readonly shape: Shape | { readonly kind: "alias"; readonly schema: SchemaNode };
  readonly nullable: boolean;
};

/** Returns the shape of values by their facets, which contain no unions. */
export function shapeOf(facets: Facets, key: string): Read {
  return { shape: shape(facets, key), nullable: facets.nullable };
}

function shape(facets: Facets, key: string): Shape {
  if (facets.never) return { kind: "never" };
  const types = facets.types ?? typesOfValues(facets.values);
  if (types === undefined) {
    return facets.required.size > 0 && facets.properties.size > 0 ? object(facets) : { kind: "any" };
  }
  const [type, ...others] = types;
  if (others.length > 0) return union(facets, [...types], key);
  switch (type) {
    case "object":
      return object(facets);
    case "array":
      return array(facets);
    case "string":
    case "integer":
    case "number":
      return scalar(facets, type);
    case "boolean":
      return boolean(facets);
    default:
      return { kind: type ?? "any" };
  }
}

function object({ properties, listed, required, additional }: Facets): Shape {
  return { kind: "object", properties, listed, required, additional };
}

function array({ items, tuple }: Facets): Shape {
  return tuple === undefined ? { kind: "array", items } : { kind: "tuple", items: tuple, rest: items };
}

function scalar({ values }: Facets, type: "string" | "integer" | "number"): Shape {
  if (values === undefined || values.length === 0) return { kind: type };
  if (type === "string") {
    // in a list of strings, YAML reads `1.0` and `yes` as a number and a boolean
    return { kind: "enum", values: unique(values.filter(isScalar).map(String)) };
  }
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length === 0) return { kind: type };
  return numbers.every(Number.isSafeInteger) ? { kind: "enum", values: unique(numbers) } : { kind: "number" };
}

function boolean({ values = [] }: Facets): Shape {
  const [only, ...others] = unique(values.filter((value) => typeof value === "boolean"));
  return only === undefined || others.length > 0 ? { kind: "boolean" } : { kind: "boolean", only };
}

function isScalar(value: Json): boolean {
  return typeof value !== "object";
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

/** Returns a union with one alternative for each of several types. */
function union(facets: Facets, types: readonly JsonType[], key: string): Shape {
  const alternatives = types.map((type): SchemaNode => {
    const values = facets.values?.filter(
      (value) => typeOf(value) === type || (type === "number" && typeOf(value) === "integer"),
    );
    const only: Facets = { ...facets, types: new Set([type]), nullable: false, values };
    return { kind: "facets", key: `${key}!${type}`, facets: only };
  });
  return { kind: "union", alternatives, discriminator: undefined };
}

function typesOfValues(values: readonly Json[] | undefined): ReadonlySet<JsonType> | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const types = new Set(values.map(typeOf));
  if (types.has("number")) types.delete("integer");
  return types;
}

function typeOf(value: Json): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "object" ? "object" : (typeof value as JsonType);
}

/** Reports whether a schema only lists required keys or forbids values. */
export function isConstraint(facets: Facets): boolean {
  return (
    withoutUnions(facets) &&
    (facets.types === undefined || (facets.types.has("object") && facets.required.size > 0)) &&
    facets.additional === undefined &&
    facets.values === undefined &&
    facets.unions.length === 0
  );
}

/** Reports whether facets contain nothing about values except unions. */
export function withoutUnions(facets: Facets): boolean {
  return (
    facets.properties.size === 0 &&
    facets.values === undefined &&
    facets.items === undefined &&
    facets.tuple === undefined &&
    (facets.additional === undefined || typeof facets.additional === "boolean") &&
    facets.format === undefined
  );
}
