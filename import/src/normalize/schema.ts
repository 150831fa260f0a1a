import { createHash } from "node:crypto";
import type { Json } from "../json.ts";
import { type Node, placeOf } from "../load/node.ts";

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/** A schema that has not been read: a node of the document, or a combination of schemas. */
export type SchemaNode =
  | {
      readonly kind: "raw";
      readonly node: Node;
      /** Whether only the keywords next to `$ref` count, not the schema that it refers to. */
      readonly own?: boolean;
    }
  | {
      /**
       * A value must match all parts, such as an alternative of a union and the keywords next to the union.
       */
      readonly kind: "all";
      readonly key: string;
      readonly parts: readonly SchemaNode[];
    }
  | {
      /** A value must match one of the parts. */
      readonly kind: "any";
      readonly key: string;
      readonly parts: readonly SchemaNode[];
    }
  | {
      readonly kind: "facets";
      readonly key: string;
      readonly facets: Facets;
      /** The name of the schema that this schema replaces. */
      readonly name?: string;
    };

/** The keywords of one schema, merged with all parts of its `allOf`. */
export interface Facets {
  /** The position at which the schema was first found. */
  readonly place: string;
  readonly types: ReadonlySet<JsonType> | undefined;
  readonly nullable: boolean;
  /** Whether only responses contain the value. */
  readonly readOnly: boolean;
  readonly values: readonly Json[] | undefined;
  readonly format: string | undefined;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** Whether the document lists properties. The list may be empty. */
  readonly listed: boolean;
  readonly required: ReadonlySet<string>;
  /** The schema of additional keys; undefined if the document does not mention them. */
  readonly additional: SchemaNode | boolean | undefined;
  readonly items: SchemaNode | undefined;
  readonly tuple: readonly SchemaNode[] | undefined;
  readonly unions: readonly Union[];
  readonly limits: Limits;
  readonly never: boolean;
}

export interface Union {
  readonly alternatives: readonly SchemaNode[];
  readonly discriminator: Discriminator | undefined;
}

/**
 * A declared discriminator: the property, and the values that select each schema, by the `key` of the schema.
 */
export interface Discriminator {
  readonly property: string;
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Constraints on values. */
export interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The shape of the values that a schema describes. */
export type Shape =
  | { readonly kind: "any" | "never" | "null" | "integer" | "number" | "string" }
  | {
      readonly kind: "boolean";
      /** The only allowed value, if an enum allows only one. */
      readonly only?: boolean;
    }
  | { readonly kind: "enum"; readonly values: readonly (string | number)[] }
  | { readonly kind: "array"; readonly items: SchemaNode | undefined }
  | {
      readonly kind: "tuple";
      readonly items: readonly SchemaNode[];
      /** The schema of further items; undefined if the document does not describe any. */
      readonly rest: SchemaNode | undefined;
    }
  | {
      /** An object. Without properties, it is a map or an arbitrary object. */
      readonly kind: "object";
      readonly properties: ReadonlyMap<string, SchemaNode>;
      readonly listed: boolean;
      readonly required: ReadonlySet<string>;
      readonly additional: SchemaNode | boolean | undefined;
    }
  | {
      readonly kind: "union";
      readonly alternatives: readonly SchemaNode[];
      readonly discriminator: Discriminator | undefined;
    };

/** The notes on a schema for human readers. */
export interface Notes {
  readonly title?: string;
  readonly description?: string;
  readonly deprecated: boolean;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly default?: Json;
}

/** A schema that has been read. Nested schemas are read on demand, since schemas can contain themselves. */
export interface Schema {
  /** A key that is equal for two uses of the same schema in the document. */
  readonly key: string;
  readonly place: string;
  /** The name, if the document names the schema. */
  readonly name: string | undefined;
  readonly notes: Notes;
  readonly nullable: boolean;
  readonly shape: Shape;
  readonly format: string | undefined;
  readonly limits: Limits;
}

export function rawSchema(node: Node): SchemaNode {
  return { kind: "raw", node };
}

/** Returns the identity of a schema node. */
export function keyOf(schema: SchemaNode): string {
  if (schema.kind !== "raw") return schema.key;
  return schema.own === true ? `${placeOf(schema.node)}!own` : placeOf(schema.node);
}

/**
 * Combines several schemas into one. Equal sets have equal keys, so that schemas which contain themselves
 * lead to a finite number of combinations.
 */
export function combined(kind: "all" | "any", nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const flat = nodes.flatMap((node) => (node.kind === kind ? node.parts : [node]));
  const parts = new Map(flat.map((node) => [keyOf(node), node]));
  const [only] = parts.values();
  if (parts.size < 2) return only;
  const keys = [...parts.keys()].sort();
  const hash = createHash("sha256").update(keys.join("\n")).digest("hex").slice(0, 16);
  const base = keys[0]?.replace(/!.*/s, "");
  return { kind, key: `${base}!${kind}-${hash}`, parts: [...parts.values()] };
}

export const NO_FACETS: Facets = {
  place: "",
  types: undefined,
  nullable: false,
  readOnly: false,
  values: undefined,
  format: undefined,
  properties: new Map(),
  listed: false,
  required: new Set(),
  additional: undefined,
  items: undefined,
  tuple: undefined,
  unions: [],
  limits: {},
  never: false,
};

/** Returns an object of which only the properties are known, such as the fields of a form. */
export function objectOf(
  key: string,
  properties: ReadonlyMap<string, SchemaNode>,
  required: ReadonlySet<string>,
): SchemaNode {
  const types = new Set<JsonType>(["object"]);
  return { kind: "facets", key, facets: { ...NO_FACETS, place: key, types, properties, required } };
}
