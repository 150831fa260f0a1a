import type { DescMessage } from "@bufbuild/protobuf";
import { messageRulesOf } from "protoc-gen-connect-rest/kit";
import { descriptionOf, summaryOf } from "./description.ts";
import { propertyOf, valueOfWrapper } from "./field.ts";
import { groupHints, groupKeywords, groupsOf } from "./groups.ts";
import { type Direction, described, type JsonSchema } from "./json-schema.ts";
import { celHints } from "./rule-members.ts";
import { wellKnownSchema } from "./well-known.ts";

/** The keyword `$schema` of every schema. */
export const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** A message in ProtoJSON, without the messages below it. */
export interface Definition {
  /** Refers to the messages below by `#/$defs/` and their full names. */
  readonly schema: JsonSchema;
  /** The messages that it refers to. */
  readonly references: readonly DescMessage[];
}

/** The JSON Schemas (draft 2020-12) of messages in ProtoJSON, each made once. */
export class MessageSchemas {
  readonly direction: Direction;
  private readonly known = new Map<DescMessage, Definition>();

  constructor(direction: Direction) {
    this.direction = direction;
  }

  /** Undefined for a well-known type that ProtoJSON writes in a way of its own: it needs no name. */
  definition(desc: DescMessage): Definition | undefined {
    if (this.special(desc) !== undefined) return undefined;
    const found = this.known.get(desc) ?? this.define(desc);
    this.known.set(desc, found);
    return found;
  }

  /** The schema of a well-known type that ProtoJSON writes in a way of its own. */
  special(desc: DescMessage): JsonSchema | undefined {
    return wellKnownSchema(desc, this.direction) ?? valueOfWrapper(desc, this.direction);
  }

  /** All messages that the schema of a message refers to, directly or through others, in the order of their names. */
  below(desc: DescMessage): DescMessage[] {
    const found = new Set(this.definition(desc)?.references);
    for (const each of found) {
      for (const next of this.definition(each)?.references ?? []) found.add(next);
    }
    return [...found].sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  }

  private define(desc: DescMessage): Definition {
    const references = new Set<DescMessage>();
    const refer = (inner: DescMessage): JsonSchema => {
      const special = wellKnownSchema(inner, this.direction);
      if (special !== undefined) return special;
      references.add(inner);
      return { $ref: `#/$defs/${inner.typeName}` };
    };
    const { direction } = this;
    const properties = desc.fields.map(
      (field) => [field.jsonName, propertyOf(field, { direction, refer })] as const,
    );
    const groups = groupsOf(desc, direction);
    const names = properties.map(([name]) => name);
    const { required: grouped, ...keywords } = groupKeywords(groups, names);
    const required = properties.flatMap(([name, property]) =>
      property.required || (Array.isArray(grouped) && grouped.includes(name)) ? [name] : [],
    );
    const schema = {
      type: "object",
      properties: Object.fromEntries(properties.map(([name, property]) => [name, property.schema])),
      required: required.length === 0 ? undefined : required,
      // a response may have fields that a later version of the .proto file declares
      additionalProperties: direction === "input" ? false : undefined,
      ...keywords,
    };
    const rules = direction === "input" ? messageRulesOf(desc) : undefined;
    const hints = [...groupHints(groups), ...celHints(rules)].join(" ");
    // who calls must know the rest too; what comes back is in the descriptions of the fields
    const comment = direction === "input" ? descriptionOf(desc) : summaryOf(desc);
    return { schema: described(schema, comment, hints), references: [...references] };
  }
}

/** The names that a schema requires, and further ones, in the order of the fields; undefined where there are none. */
export function requiredNames(
  desc: DescMessage,
  schema: JsonSchema,
  needed: ReadonlySet<string>,
): readonly string[] | undefined {
  const own: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const first = new Set([...needed].map(firstName));
  const names = desc.fields
    .map((field) => field.jsonName)
    .filter((name) => own.includes(name) || first.has(name));
  return names.length === 0 ? undefined : names;
}

/**
 * What a schema says of properties in which fields are needed too; undefined where there are none.
 *
 * @param needed paths of JSON names, joined by dots
 */
export function neededProperties(schema: JsonSchema, needed: ReadonlySet<string>): JsonSchema | undefined {
  const inner = [...needed].filter((path) => path.includes("."));
  if (inner.length === 0) return undefined;
  const properties = schema.properties as Readonly<Record<string, JsonSchema>> | undefined;
  const names = new Set(inner.map(firstName));
  const changed = [...names].map((name) => {
    const below = inner.filter((path) => firstName(path) === name);
    const rest = new Set(below.map((path) => path.slice(name.length + 1)));
    const required = [...new Set([...rest].map(firstName))];
    return [name, { ...properties?.[name], ...neededProperties({}, rest), required }] as const;
  });
  return { properties: { ...properties, ...Object.fromEntries(changed) } };
}

function firstName(path: string): string {
  const [name = ""] = path.split(".");
  return name;
}

/**
 * The whole schema of a message, with the messages below it in `$defs`.
 *
 * @param needed paths of JSON names of fields that must be set for a reason beside the message's own rules
 */
export function messageSchema(
  desc: DescMessage,
  schemas: MessageSchemas,
  needed: ReadonlySet<string> = new Set(),
): JsonSchema {
  const root = schemas.definition(desc)?.schema;
  if (root === undefined) return { $schema: DIALECT, ...schemas.special(desc) };
  const definitions = schemas
    .below(desc)
    .map((each) => [each.typeName, schemas.definition(each)?.schema ?? {}] as const);
  return {
    $schema: DIALECT,
    ...root,
    ...neededProperties(root, needed),
    required: requiredNames(desc, root, needed),
    $defs: definitions.length === 0 ? undefined : Object.fromEntries(definitions),
  };
}
