import type { DescField } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { fieldRules } from "../descriptors/options.ts";
import type { FieldPath } from "../model/model.ts";
import type { JsonStyle, Rules } from "../model/rules.ts";

/** The name under which requests carry a field. */
export function requestName(field: DescField, style: JsonStyle): string {
  const { name } = fieldRules(field);
  if (name !== "") return name;
  return style.names === "asDeclared" ? field.name : field.jsonName;
}

/** A dotted path to a field in the JSON of a request. */
export function dottedName(path: FieldPath, style: JsonStyle): string {
  return path.map((field) => requestName(field, style)).join(".");
}

/** The name of a parameter: for a nested field the names joined by dots, as google.api.http has it, or in brackets. */
export function parameterName(path: FieldPath, { json, brackets }: Pick<Rules, "json" | "brackets">): string {
  if (!brackets) return dottedName(path, json);
  const [first = "", ...below] = path.map((field) => requestName(field, json));
  return `${first}${below.map((name) => `[${name}]`).join("")}`;
}

/**
 * The names under which responses may carry a field, in the order in which they are tried: as declared and in
 * lowerCamel, then the aliases.
 */
export function responseNames(field: DescField): readonly [string, ...string[]] {
  const { name, aliases } = fieldRules(field);
  const primary = name === "" ? [field.name, field.jsonName] : [name, protoCamelCase(name)];
  const names = new Set([...primary, ...aliases.flatMap((alias) => [alias, protoCamelCase(alias)])]);
  return [...names] as [string, ...string[]];
}
