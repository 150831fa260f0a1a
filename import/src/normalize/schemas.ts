import { flagAt, isObject, type Json, listAt, member, textAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node, placeOf } from "../load/node.ts";
import type { Version } from "../load/version.ts";
import { ImportError } from "../problem.ts";
import { discriminatorOf, subtypesOf } from "./discriminator.ts";
import { all, ownFacets } from "./facets.ts";
import {
  type Facets,
  keyOf,
  NO_FACETS,
  type Notes,
  rawSchema,
  type Schema,
  type SchemaNode,
  type Union,
} from "./schema.ts";
import { nameOf } from "./schema-name.ts";
import { isConstraint, shapeOf, withoutUnions } from "./shape.ts";

/** Keywords that do not matter next to `$ref` or a single `allOf` item: the schema is still an alias. */
const NOTES = new Set([
  "title",
  "description",
  "nullable",
  "x-nullable",
  "deprecated",
  "readOnly",
  "writeOnly",
  "default",
  "example",
  "examples",
  "externalDocs",
  "xml",
  "$comment",
]);

/**
 * The maximum number of schemas in all combinations. Unions that contain themselves would combine without
 * end, in ever larger combinations; the largest known documents have 200 combinations of a few schemas.
 */
const MAX_COMBINED = 1000;

/**
 * Keywords whose meaning depends on the schemas above: a subtype includes its base type, but not the base
 * type's subtypes.
 */
const UNION_KEYWORDS = ["oneOf", "anyOf", "discriminator"];

/** Reads schemas: follows `$ref`, merges `allOf`, and separates null and constraints from unions. */
export class Schemas {
  private readonly library: Library;
  private readonly version: Version;
  private readonly known = new Map<string, Schema>();
  private readonly own = new Map<string, Facets>();
  /** The facets of schemas that are the same wherever the schema is used. */
  private readonly flat = new Map<string, Facets>();
  /** The number of times that facets depended on the schemas above a schema. */
  private cuts = 0;
  private readonly reading = new Set<string>();
  private combined = 0;
  private subtypes: ReadonlyMap<string, readonly Node[]> | undefined;

  constructor(library: Library, version: Version) {
    this.library = library;
    this.version = version;
  }

  read(schema: SchemaNode): Schema {
    const key = keyOf(schema);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    // a union whose only alternative is the union itself has no content
    if (this.reading.has(key)) return plain(key, { kind: "any" });
    if (key.includes("!")) this.combined += "parts" in schema ? schema.parts.length : 1;
    if (this.combined > MAX_COMBINED) {
      const remedy = "exclude its operations with --exclude";
      throw new ImportError(
        key.replace(/!.*/s, ""),
        `combines with others, in more than ${MAX_COMBINED} schemas; ${remedy}`,
      );
    }
    this.reading.add(key);
    try {
      const found = this.readNew(schema, key);
      this.known.set(key, found);
      return found;
    } finally {
      this.reading.delete(key);
    }
  }

  private readNew(schema: SchemaNode, key: string): Schema {
    if (schema.kind === "raw") {
      const alias = this.aliasOf(schema);
      if (alias !== undefined) return this.withNotes(this.read(alias.schema), schema.node, alias.nullable);
    }
    const facets = this.flatten(schema, []);
    const node = schema.kind === "raw" ? schema.node : undefined;
    const own = node === undefined ? this.notesOf(schema) : notesAt(node.value);
    const notes = { ...own, readOnly: facets.readOnly };
    const { shape, nullable } = this.shape(facets, key);
    if (shape.kind === "alias") {
      const target = this.read(shape.schema);
      const merged = { ...target.notes, ...definedNotes(notes) };
      return { ...target, notes: merged, nullable: target.nullable || nullable };
    }
    return {
      key,
      place: facets.place === "" ? key : facets.place,
      name: node === undefined ? givenName(schema) : nameOf(node),
      notes,
      nullable,
      shape,
      format: facets.format,
      limits: facets.limits,
    };
  }

  /**
   * Returns the schema that this schema is an alias of: by `$ref`, or as the only part of `allOf`, `oneOf` or
   * `anyOf`.
   */
  private aliasOf(
    schema: SchemaNode & { kind: "raw" },
  ): { schema: SchemaNode; nullable: boolean } | undefined {
    const { node } = schema;
    const { value } = node;
    if (!isObject(value)) return undefined;
    if (typeof value.$ref === "string" && schema.own !== true) return this.referenced(node);
    const structural = Object.keys(value).filter((key) => !NOTES.has(key) && !key.startsWith("x-"));
    const [keyword] = structural;
    if (structural.length !== 1 || !["allOf", "oneOf", "anyOf"].includes(String(keyword))) return undefined;
    const parts = listAt(value, String(keyword)).map((_, index) => child(node, String(keyword), index));
    const real = parts.filter((part) => !this.isNull(part));
    const [only] = real;
    if (only === undefined || real.length > 1) return undefined;
    const nullable = flagAt(value, "nullable") || real.length < parts.length;
    return { schema: rawSchema(only), nullable };
  }

  /**
   * Returns the schema that a `$ref` refers to. In 3.1, keywords next to `$ref` also apply; earlier versions
   * ignore them.
   */
  private referenced(node: Node): { schema: SchemaNode; nullable: boolean } {
    // throws an error for references that lead back to themselves
    this.library.follow(node);
    const target = rawSchema(this.library.target(String(member(node.value, "$ref")), node));
    const siblings = Object.keys(node.value as object).filter(
      (key) => key !== "$ref" && !NOTES.has(key) && !key.startsWith("x-"),
    );
    const nullable = flagAt(node.value, "nullable");
    if (this.version !== "3.1" || siblings.length === 0) return { schema: target, nullable };
    const own: SchemaNode = { kind: "raw", node, own: true };
    return { schema: { kind: "all", key: `${placeOf(node)}!both`, parts: [target, own] }, nullable };
  }

  private withNotes(schema: Schema, node: Node, nullable: boolean): Schema {
    const notes = { ...schema.notes, ...definedNotes(notesAt(node.value)) };
    return { ...schema, notes, nullable: schema.nullable || nullable };
  }

  private notesOf(schema: SchemaNode): Notes {
    if (schema.kind !== "all") return notesAt(undefined);
    const parts = schema.parts.map((part) => definedNotes(this.read(part).notes));
    return Object.assign({ ...notesAt(undefined) }, ...parts.reverse()) as Notes;
  }

  private isNull(node: Node): boolean {
    const { value } = this.library.follow(node);
    const values = member(value, "enum");
    return (
      member(value, "type") === "null" ||
      member(value, "const") === null ||
      (Array.isArray(values) && values.length > 0 && values.every((item) => item === null))
    );
  }

  /**
   * Returns all facets of a schema, including the parts of its `allOf`. A schema without unions that does not
   * contain itself is flattened once: schemas that refer to each other twice would otherwise take exponential
   * time.
   */
  private flatten(schema: SchemaNode, above: readonly string[]): Facets {
    const key = keyOf(schema);
    if (above.includes(key)) {
      this.cuts += 1;
      return NO_FACETS;
    }
    const known = this.flat.get(key);
    if (known !== undefined) return known;
    const { cuts } = this;
    const facets = this.flattenNew(schema, [...above, key]);
    if (this.cuts === cuts) this.flat.set(key, facets);
    return facets;
  }

  private flattenNew(schema: SchemaNode, stack: readonly string[]): Facets {
    switch (schema.kind) {
      case "facets":
        return schema.facets;
      case "any":
        return {
          ...NO_FACETS,
          place: keyOf(schema),
          readOnly: schema.parts.some((part) => this.flatten(part, stack).readOnly),
          unions: [{ alternatives: schema.parts, discriminator: undefined }],
        };
      case "all":
        return all(schema.parts.map((part) => this.flatten(part, stack)));
      case "raw":
        return this.flattenRaw(schema, stack);
    }
  }

  private flattenRaw(schema: SchemaNode & { kind: "raw" }, stack: readonly string[]): Facets {
    const { node } = schema;
    const { value } = node;
    if (isObject(value) && typeof value.$ref === "string" && schema.own !== true) {
      const target = this.flatten(this.referenced(node).schema, stack);
      return flagAt(value, "readOnly") ? { ...target, readOnly: true } : target;
    }
    const own: Facets = { ...this.ownOf(node), unions: this.unionsOf(node, stack) };
    const parts = listAt(value, "allOf").map((_, index) => {
      return this.flatten(rawSchema(child(node, "allOf", index)), stack);
    });
    return all([own, ...parts]);
  }

  /** Returns the facets of a schema's own keywords. Each combination with other schemas needs them again. */
  private ownOf(node: Node): Facets {
    const place = placeOf(node);
    const facets = this.own.get(place) ?? ownFacets(node);
    this.own.set(place, facets);
    return facets;
  }

  private unionsOf(node: Node, stack: readonly string[]): readonly Union[] {
    if (UNION_KEYWORDS.some((keyword) => member(node.value, keyword) !== undefined)) this.cuts += 1;
    const unions = ["oneOf", "anyOf"].flatMap((keyword): Union[] => {
      const parts = listAt(node.value, keyword).map((_, index) => child(node, keyword, index));
      // the part is a base type that lists its subtypes, and this schema is one of them
      const isBase = parts.some((part) => stack.includes(this.targetKey(part)));
      if (parts.length === 0 || isBase) return [];
      const alternatives = parts.map(rawSchema);
      const discriminator = discriminatorOf(node, parts, (part) => this.targetKey(part), this.library);
      return [{ alternatives, discriminator }];
    });
    return unions.length > 0 || stack.length > 1 ? unions : this.inherited(node);
  }

  /**
   * Returns the union of subtypes that a base type with a discriminator represents. The subtypes refer to the
   * base type in their `allOf`.
   */
  private inherited(node: Node): readonly Union[] {
    if (!isObject(member(node.value, "discriminator")) && this.version !== "2.0") return [];
    const property =
      textAt(member(node.value, "discriminator"), "propertyName") ?? textAt(node.value, "discriminator");
    if (property === undefined) return [];
    this.subtypes ??= subtypesOf(this.library);
    const parts = this.subtypes.get(placeOf(node)) ?? [];
    if (parts.length === 0) return [];
    const discriminator = discriminatorOf(node, parts, (part) => this.targetKey(part), this.library);
    return [{ alternatives: parts.map(rawSchema), discriminator }];
  }

  private targetKey(part: Node): string {
    return placeOf(this.library.follow(part));
  }

  /**
   * Separates null and constraints from the first union, and merges its alternatives with the other keywords.
   */
  private shape(facets: Facets, key: string, inside: readonly string[] = []): ReturnType<typeof shapeOf> {
    const [union, ...others] = facets.unions;
    if (union === undefined) return shapeOf(facets, key);
    const rest: Facets = { ...facets, unions: others };
    const real = union.alternatives.filter((part) => !this.isNullSchema(part));
    const nullable =
      facets.nullable ||
      real.length < union.alternatives.length ||
      real.some((part) => this.flatten(part, []).nullable);
    const typed = real.filter((part) => !isConstraint(this.flatten(part, [])));
    if (typed.length === 0) return this.shape({ ...rest, nullable }, key, inside);
    const alone = withoutUnions(rest) && others.length === 0;
    const [only] = typed;
    if (typed.length === 1 && only !== undefined && real.length === 1) {
      if (alone) return { shape: { kind: "alias", schema: only }, nullable };
      const own = keyOf(only);
      const part = inside.includes(own) ? NO_FACETS : this.flatten(only, []);
      return this.shape({ ...all([rest, part]), nullable }, key, [...inside, own]);
    }
    if (typed.length < real.length) return this.shape({ ...rest, nullable }, key, inside);
    const alternatives = alone ? typed : typed.map((part, index) => this.merged(rest, part, key, index));
    return { shape: { kind: "union", alternatives, discriminator: renamed(union, alternatives) }, nullable };
  }

  private merged(rest: Facets, part: SchemaNode, key: string, index: number): SchemaNode {
    const beside: SchemaNode = { kind: "facets", key: `${key}!rest`, facets: { ...rest, nullable: false } };
    return { kind: "all", key: `${key}!${index}`, parts: [part, beside] };
  }

  private isNullSchema(schema: SchemaNode): boolean {
    return schema.kind === "raw" && this.isNull(schema.node);
  }
}

/**
 * Returns the discriminator of a union whose alternatives were merged with the keywords next to the union.
 */
function renamed(union: Union, alternatives: readonly SchemaNode[]): Union["discriminator"] {
  if (union.discriminator === undefined) return undefined;
  const { property, values } = union.discriminator;
  const entries = union.alternatives.map((part, index) => {
    const merged = alternatives[index] ?? part;
    return [keyOf(merged), values.get(keyOf(part)) ?? []] as const;
  });
  return { property, values: new Map(entries) };
}

function givenName(schema: SchemaNode): string | undefined {
  return schema.kind === "facets" ? schema.name : undefined;
}

function plain(key: string, shape: Schema["shape"]): Schema {
  return {
    key,
    place: key,
    name: undefined,
    notes: notesAt(undefined),
    nullable: false,
    shape,
    format: undefined,
    limits: {},
  };
}

function notesAt(value: Json | undefined): Notes {
  const title = textAt(value, "title");
  const description = textAt(value, "description");
  const fallback = member(value, "default");
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(fallback === undefined ? {} : { default: fallback }),
    deprecated: flagAt(value, "deprecated"),
    readOnly: flagAt(value, "readOnly"),
    writeOnly: flagAt(value, "writeOnly"),
  };
}

/**
 * Returns the notes that are set. If they occur next to a reference, they replace the notes of the schema
 * that the reference leads to.
 */
function definedNotes(notes: Notes): Partial<Notes> {
  return Object.fromEntries(Object.entries(notes).filter(([, value]) => value !== false));
}
