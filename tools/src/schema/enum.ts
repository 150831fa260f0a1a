import type { DescEnum, DescEnumValue, JsonObject } from "@bufbuild/protobuf";
import { commentOf } from "protoc-gen-connect-rest/kit";
import type { JsonSchema } from "./json-schema.ts";
import { list } from "./number-rules.ts";

/** An enum in ProtoJSON: the names of its values. `X_UNSPECIFIED`, which says nothing, is left out. */
export function enumSchema(desc: DescEnum, rules: JsonObject): JsonSchema {
  if (isNull(desc)) return { type: "null" };
  const values = allowedValues(desc, rules);
  return { type: "string", enum: values.map((value) => value.name) };
}

/** An enum as it is printed: any name, and the number of a value that has none, where the enum is open. */
export function printedEnumSchema(desc: DescEnum): JsonSchema {
  if (isNull(desc)) return { type: "null" };
  const named = { type: "string", enum: desc.values.map((value) => value.name) };
  return desc.open ? { anyOf: [named, { type: "integer" }] } : named;
}

/** What the comments say of the values, one a line; empty where there are no comments. */
export function enumHints(desc: DescEnum, rules: JsonObject): string {
  if (isNull(desc)) return "";
  return allowedValues(desc, rules)
    .map((value) => ({ name: value.name, comment: commentOf(value).replaceAll(/\s+/g, " ") }))
    .filter(({ comment }) => comment !== "")
    .map(({ name, comment }) => `- ${name}: ${comment}`)
    .join("\n");
}

/** Whether the rules refuse the value zero, so that the field cannot be left out. */
export function zeroIsRefused(rules: JsonObject): boolean {
  return !isAllowed(0, rules);
}

function isNull(desc: DescEnum): boolean {
  return desc.typeName === "google.protobuf.NullValue";
}

function allowedValues(desc: DescEnum, rules: JsonObject): DescEnumValue[] {
  return desc.values.filter((value) => !isUnspecified(value) && isAllowed(value.number, rules));
}

function isUnspecified(value: DescEnumValue): boolean {
  return value.number === 0 && value.name.endsWith("_UNSPECIFIED");
}

function isAllowed(value: number, rules: JsonObject): boolean {
  if (rules.const !== undefined) return rules.const === value;
  const allowed = list(rules.in);
  return (allowed.length === 0 || allowed.includes(value)) && !list(rules.notIn).includes(value);
}
