import type { DescMessage } from "@bufbuild/protobuf";
import { type Literal, messageRulesOf, oneofRulesOf } from "protoc-gen-connect-rest/kit";
import type { Direction, JsonSchema } from "./json-schema.ts";
import { objects } from "./rule-members.ts";

/** Fields of which at most one may be set, by their JSON names. */
export interface Group {
  readonly names: readonly string[];
  /** Whether one of them must be set. */
  readonly required: boolean;
}

/** The oneofs of a message, and, in requests, what protovalidate treats as one. */
export function groupsOf(desc: DescMessage, direction: Direction): Group[] {
  const declared = desc.oneofs.map((oneof) => ({
    names: oneof.fields.map((field) => field.jsonName),
    required: direction === "input" && oneofRulesOf(oneof)?.required === true,
  }));
  if (direction === "output") return declared.filter(({ names }) => names.length > 0);
  const ruled = objects(messageRulesOf(desc), "oneof").map(({ fields, required }) => ({
    names: jsonNames(desc, Array.isArray(fields) ? fields.map(String) : []),
    required: required === true,
  }));
  return [...declared, ...ruled].filter(({ names }) => names.length > 0);
}

/**
 * Keywords for groups. None of `oneOf`, `anyOf` and `allOf`, which clients of tools do not take at the root of a
 * schema: that one of a group is required is therefore only said where it needs none of them, and by `groupHints`.
 */
export function groupKeywords(groups: readonly Group[], properties: readonly string[]): JsonSchema {
  const [only, ...others] = groups;
  if (only !== undefined && others.length === 0 && only.names.length === properties.length) {
    return { ...(only.required && { minProperties: 1 }), maxProperties: 1 };
  }
  const single = groups.filter(({ names, required }) => required && names.length === 1);
  return {
    required: single.length > 0 ? single.flatMap(({ names }) => names) : undefined,
    dependentSchemas: exclusions(groups),
  };
}

/** What the groups mean, in sentences. */
export function groupHints(groups: readonly Group[]): string[] {
  return groups
    .filter(({ names }) => names.length > 1)
    .map(({ names, required }) => `${required ? "Exactly" : "At most"} one of ${names.join(", ")} is set.`);
}

/** Each field of a group excludes those behind it. */
function exclusions(groups: readonly Group[]): Literal {
  const excluded = new Map<string, Map<string, false>>();
  for (const { names } of groups) {
    names.slice(0, -1).forEach((name, index) => {
      const later = names.slice(index + 1).map((other) => [other, false] as const);
      excluded.set(name, new Map([...(excluded.get(name) ?? []), ...later]));
    });
  }
  if (excluded.size === 0) return undefined;
  const schemas = [...excluded].map(([name, others]) => [name, { properties: Object.fromEntries(others) }]);
  return Object.fromEntries(schemas) as Literal;
}

function jsonNames(desc: DescMessage, names: readonly string[]): string[] {
  return names.flatMap((name) => desc.fields.find((field) => field.name === name)?.jsonName ?? []);
}
