import type { DescField } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import type { FieldPath } from "./model.ts";
import type { JsonStyle, Rules } from "./rules.ts";
import type { TypeModels } from "./types.ts";

/** Returns the name of a field in requests. */
export function requestName(field: DescField, style: JsonStyle, types: TypeModels): string {
  const { name } = types.field(field);
  if (name !== "") return name;
  return style.names === "asDeclared" ? field.name : field.jsonName;
}

/** Returns the dotted path of a field in the JSON of a request. */
export function dottedName(path: FieldPath, style: JsonStyle, types: TypeModels): string {
  return path.map((field) => requestName(field, style, types)).join(".");
}

/**
 * Returns the name of a parameter. The names of a nested field are joined by dots, as in google.api.http, or
 * written in brackets.
 */
export function parameterName(
  path: FieldPath,
  { json, brackets }: Pick<Rules, "json" | "brackets">,
  types: TypeModels,
): string {
  if (!brackets) return dottedName(path, json, types);
  const [first = "", ...below] = path.map((field) => requestName(field, json, types));
  return `${first}${below.map((name) => `[${name}]`).join("")}`;
}

/** Returns the spellings of a key in responses: as declared, and in lowerCamel. */
export function spellings(key: string): string[] {
  return [...new Set([key, protoCamelCase(key)])];
}

/**
 * Returns the names of a field in responses, in the order in which they are tried: as declared, in
 * lowerCamel, then the aliases. The lowerCamel form of a name does not count if it is the name of another
 * field.
 */
export function responseNames(field: DescField, types: TypeModels): readonly [string, ...string[]] {
  const { name, aliases } = types.field(field);
  const primary = name === "" ? [field.name, field.jsonName] : namesOf(name, field, types);
  const names = new Set([...primary, ...aliases.flatMap((alias) => namesOf(alias, field, types))]);
  return [...names] as [string, ...string[]];
}

function namesOf(name: string, field: DescField, types: TypeModels): string[] {
  const others = field.parent.fields.filter((other) => other !== field);
  return spellings(name).filter((each) => {
    return each === name || !others.some((other) => types.field(other).name === each);
  });
}
