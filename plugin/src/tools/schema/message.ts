import type { DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "../../descriptors/comments.ts";
import { celHints, messageRulesOf } from "../../descriptors/validate-rules.ts";
import { propertyOf, type Refer } from "./field.ts";
import { groupHints, groupKeywords, groupsOf } from "./groups.ts";
import { described, type JsonSchema } from "./json-schema.ts";
import { wellKnownSchema } from "./well-known.ts";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * The JSON Schema (draft 2020-12) of a message in ProtoJSON. Messages below it stand in `$defs`, by their full names,
 * so that a message may hold itself.
 *
 * @param needed JSON names of fields that must be set for a reason beside the message's own rules
 */
export function messageSchema(desc: DescMessage, needed: ReadonlySet<string>): JsonSchema {
  const definitions = new Map<string, JsonSchema>();
  const refer: Refer = (inner) => {
    const wellKnown = wellKnownSchema(inner);
    if (wellKnown !== undefined) return wellKnown;
    if (!definitions.has(inner.typeName)) {
      // named before it is made, so that it may refer to itself
      definitions.set(inner.typeName, {});
      definitions.set(inner.typeName, objectSchema(inner, new Set(), refer));
    }
    return { $ref: `#/$defs/${inner.typeName}` };
  };
  const schema = wellKnownSchema(desc) ?? objectSchema(desc, needed, refer);
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: DIALECT,
    ...schema,
    $defs: sorted.length === 0 ? undefined : Object.fromEntries(sorted),
  };
}

function objectSchema(desc: DescMessage, needed: ReadonlySet<string>, refer: Refer): JsonSchema {
  const properties = desc.fields.map((field) => [field.jsonName, propertyOf(field, refer)] as const);
  const groups = groupsOf(desc);
  const { required: grouped, ...keywords } = groupKeywords(
    groups,
    properties.map(([name]) => name),
  );
  const required = properties.flatMap(([name, property]) =>
    property.required || needed.has(name) || (Array.isArray(grouped) && grouped.includes(name)) ? [name] : [],
  );
  const schema = {
    type: "object",
    properties: Object.fromEntries(properties.map(([name, property]) => [name, property.schema])),
    required: required.length === 0 ? undefined : required,
    additionalProperties: false,
    ...keywords,
  };
  const hints = [...groupHints(groups), ...celHints(messageRulesOf(desc))];
  return described(schema, commentOf(desc), hints.join(" "));
}
