import {
  combined,
  type Facets,
  keyOf,
  NO_FACETS,
  type Schema,
  type SchemaNode,
  type Shape,
} from "../normalize/schema.ts";
import type { Schemas } from "../normalize/schemas.ts";
import { isLine } from "./wire-names.ts";

/** One alternative of a union. */
export interface Alternative {
  readonly node: SchemaNode;
  readonly schema: Schema;
}

/** The JSON types that distinguish alternatives. */
export type Kind = "string" | "number" | "boolean" | "object" | "array" | "any";

type ObjectShape = Shape & { readonly kind: "object" };

/** The maximum number of alternatives that are compared with each other. */
const MAX_COMPARED = 200;

/** Returns the alternatives of a union, including the alternatives of nested unions, each schema once. */
export function alternativesOf(schemas: Schemas, schema: Schema, depth = 0): Alternative[] {
  if (schema.shape.kind !== "union") return [];
  const found = new Map<string, Alternative>();
  for (const node of schema.shape.alternatives) {
    const read = schemas.read(node);
    const isUnion = read.shape.kind === "union" && read.shape.discriminator === undefined && depth < 8;
    const parts = isUnion ? alternativesOf(schemas, read, depth + 1) : [{ node, schema: read }];
    for (const part of parts) found.set(part.schema.key, part);
  }
  return [...found.values()];
}

/** Returns the alternatives, grouped by JSON type. */
export function groupsOf(schemas: Schemas, schema: Schema): ReadonlyMap<Kind, readonly Alternative[]> {
  return Map.groupBy(alternativesOf(schemas, schema), ({ schema: each }) => kindOf(schemas, each));
}

/** Returns the JSON type of the values of a schema; `any` if they have several types. */
export function kindOf(schemas: Schemas, { shape }: Schema): Kind {
  switch (shape.kind) {
    case "string":
    case "boolean":
    case "array":
    case "object":
      return shape.kind;
    case "tuple":
      return "array";
    case "integer":
    case "number":
      return "number";
    case "enum":
      return typeof shape.values[0] === "number" ? "number" : "string";
    case "union": {
      // an alternative with a discriminator is an object
      const [first, ...others] = new Set(
        shape.alternatives.map((node) => kindOf(schemas, schemas.read(node))),
      );
      return first !== undefined && others.length === 0 ? first : "any";
    }
    default:
      return "any";
  }
}

/** A value of a discriminator. */
type Value = string | number | boolean;

/** An alternative that is an object, and the values or the key that identify it. */
export interface Choice extends Alternative {
  /** The values of the discriminator. */
  readonly values: readonly Value[];
  /** A key that identifies the alternative, because no later alternative has it. */
  readonly key: string | undefined;
}

/** The keys that identify alternatives that are objects. */
export interface Choices {
  readonly discriminator: string | undefined;
  readonly choices: readonly Choice[];
}

/**
 * Returns the way to distinguish the objects of a union: a declared discriminator, a discriminator that enums
 * with different values imply, or keys.
 *
 * @param single whether a discriminator may have only one value for each alternative, as in requests
 */
export function choicesOf(schemas: Schemas, schema: Schema, single: boolean): Choices | undefined {
  const alternatives = alternativesOf(schemas, schema);
  if (alternatives.length < 2 || alternatives.length > MAX_COMPARED) return undefined;
  const shapes = alternatives.map(({ schema: each }) => each.shape);
  if (!shapes.every((shape): shape is ObjectShape => shape.kind === "object" && shape.properties.size > 0)) {
    return undefined;
  }
  return (
    declaredChoices(schemas, schema, alternatives, single) ??
    impliedChoices(schemas, alternatives, shapes, single) ??
    keyedChoices(alternatives, shapes)
  );
}

function declaredChoices(
  schemas: Schemas,
  { shape }: Schema,
  alternatives: readonly Alternative[],
  single: boolean,
): Choices | undefined {
  if (shape.kind !== "union" || shape.discriminator === undefined) return undefined;
  const { property, values } = shape.discriminator;
  const sets = alternatives.map((alternative): readonly Value[] => {
    const own = constantsOf(schemas, alternative.schema.shape, property);
    return own.length > 0 ? own : (values.get(keyOf(alternative.node)) ?? []);
  });
  return discriminated(property, alternatives, sets, single);
}

function impliedChoices(
  schemas: Schemas,
  alternatives: readonly Alternative[],
  shapes: readonly ObjectShape[],
  single: boolean,
): Choices | undefined {
  const [first] = shapes;
  const shared = [...(first?.properties.keys() ?? [])].filter((name) =>
    shapes.every((shape) => shape.required.has(name)),
  );
  for (const property of shared) {
    const sets = shapes.map((shape) => constantsOf(schemas, shape, property));
    const found = discriminated(property, alternatives, sets, single);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the values that an enum allows for a property; empty if the property may have other values. */
function constantsOf(schemas: Schemas, shape: Shape, property: string): readonly Value[] {
  const node = shape.kind === "object" ? shape.properties.get(property) : undefined;
  if (node === undefined) return [];
  const read = schemas.read(node).shape;
  if (read.kind === "boolean") return read.only === undefined ? [] : [read.only];
  return read.kind === "enum" ? read.values : [];
}

function discriminated(
  property: string,
  alternatives: readonly Alternative[],
  sets: readonly (readonly Value[])[],
  single: boolean,
): Choices | undefined {
  const all = sets.flat().map(String);
  const isDistinct = new Set(all).size === all.length;
  const isTextual = sets.every((set) => set.every((value) => typeof value === typeof sets[0]?.[0]));
  const hasRoom = sets.every((set) => set.length > 0 && (!single || set.length === 1) && !set.includes(""));
  if (property === "" || ![property, ...all].every(isLine)) return undefined;
  if (!isDistinct || !hasRoom || !isTextual) return undefined;
  const choices = alternatives.map((alternative, index) => {
    return { ...alternative, values: sets[index] ?? [], key: undefined };
  });
  return { discriminator: property, choices };
}

/** Orders the alternatives so that each has a required key that no later alternative has. */
function keyedChoices(
  alternatives: readonly Alternative[],
  shapes: readonly ObjectShape[],
): Choices | undefined {
  let rest = alternatives.map((alternative, index) => ({ alternative, shape: shapes[index] }));
  const choices: Choice[] = [];
  while (rest.length > 0) {
    const found = rest.flatMap((each) => {
      const others = rest.filter((other) => other !== each);
      const key = [...(each.shape?.required ?? [])].find(
        (name) =>
          each.shape?.properties.has(name) &&
          isKey(name) &&
          others.every(({ shape }) => shape?.properties.has(name) === false),
      );
      return key === undefined ? [] : [{ each, key }];
    })[0];
    if (found === undefined) return undefined;
    choices.push({ ...found.each.alternative, values: [], key: found.key });
    rest = rest.filter((each) => each !== found.each);
  }
  return { discriminator: undefined, choices };
}

/** Reports whether a path can contain a key. */
function isKey(name: string): boolean {
  return name !== "" && !name.includes("'") && isLine(name);
}

/** Any value. */
const UNKNOWN: SchemaNode = { kind: "facets", key: "!unknown", facets: NO_FACETS };

/**
 * Returns one object with the properties of all alternatives. A property is required if all alternatives
 * require it. A required key that no alternative declares stays required, so that it is reported.
 */
export function mergedObjects(schemas: Schemas, schema: Schema, parts: readonly Alternative[]): SchemaNode {
  const shapes = parts.map((part) => part.schema.shape).filter((shape) => shape.kind === "object");
  const names = new Set(shapes.flatMap((shape) => [...shape.properties.keys()]));
  const properties = new Map(
    [...names].map((name) => {
      const nodes = shapes.flatMap((shape) => shape.properties.get(name) ?? []);
      return [name, anyOf(schemas, nodes) ?? UNKNOWN] as const;
    }),
  );
  const required = [...new Set(shapes.flatMap((shape) => [...shape.required]))].filter(
    (name) => !names.has(name) || shapes.every((shape) => shape.required.has(name)),
  );
  const values = shapes.flatMap(({ additional }) => (typeof additional === "object" ? [additional] : []));
  const isOpen = shapes.some(({ additional }) => additional !== undefined && additional !== false);
  const facets: Facets = {
    ...NO_FACETS,
    place: schema.place,
    types: new Set(["object"]),
    properties,
    required: new Set(required),
    additional: values.length === shapes.length ? anyOf(schemas, values) : isOpen ? true : undefined,
  };
  return named({ kind: "facets", key: `${schema.key}!merged`, facets }, schema.name);
}

function named(node: SchemaNode & { kind: "facets" }, name: string | undefined): SchemaNode {
  return name === undefined ? node : { ...node, name };
}

/** Returns a union of schemas; the schema itself if there is only one. */
export function anyOf(schemas: Schemas, nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const distinct = new Map(nodes.map((node) => [schemas.read(node).key, node]));
  return combined("any", [...distinct.values()]);
}

/** Returns a list whose items are the items of all alternatives that are lists. */
export function mergedLists(schemas: Schemas, schema: Schema, parts: readonly Alternative[]): SchemaNode {
  const items = parts.flatMap(({ schema: { shape } }) => {
    if (shape.kind === "tuple") return [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])];
    return shape.kind === "array" && shape.items !== undefined ? [shape.items] : [];
  });
  const facets: Facets = {
    ...NO_FACETS,
    place: schema.place,
    types: new Set(["array"]),
    items: anyOf(schemas, items),
  };
  return { kind: "facets", key: `${schema.key}!list`, facets };
}
