import type { DescField, DescMessage, DescMethod, DescOneof } from "@bufbuild/protobuf";
import { messageOf, valueMessageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { Http_Nesting } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { FieldPath } from "../model/model.ts";
import { isTree } from "../model/types.ts";
import { methodRules, serviceRules } from "./options.ts";
import { typeModels } from "./types.ts";

/** The messages whose JSON may have any form, so that their parameters are unknown. */
const ANY_JSON: ReadonlySet<string> = new Set(
  ["Any", "Struct", "Value", "ListValue"].map((name) => `google.protobuf.${name}`),
);

/**
 * Returns the values inside a field that become parameters of a query or form: a nested message has one
 * parameter for each leaf. With brackets, fields that are split only at run time are leaves too: a map, a
 * list of messages, a recursive message.
 */
export function leaves(
  desc: DescMethod,
  path: FieldPath,
  bound: ReadonlySet<string>,
  problems: Problems,
): FieldPath[] {
  const field = path.at(-1) as DescField;
  const dotted = path.map((step) => step.name).join(".");
  const subject = subjectOf(path) ?? desc;
  if (bound.has(dotted)) return [];
  if (!isTree(field, typeModels)) return [path];
  // a tuple has no names for parameters, which another check reports
  const value = valueMessageOf(field);
  if (value !== undefined && typeModels.tuple(value)) return [path];
  const byBrackets = hasBrackets(desc);
  if (byBrackets && hasOpenNames(field)) return [path];
  const message = messageOf(field);
  if (message === undefined) {
    problems.add(
      subject,
      subject === field ? [RULES] : [],
      "query-map",
      `the map \`${dotted}\` cannot be a query parameter of ${nameOf(desc)}; set style: SPREAD, or http: {nesting: BRACKETS}`,
    );
    return [];
  }
  if (field.fieldKind === "list") {
    const text = `the repeated message \`${dotted}\` cannot be a query parameter of ${nameOf(desc)}; use a body, or http: {nesting: BRACKETS}`;
    problems.add(subject, [], "query-repeated-message", text);
    return [];
  }
  if (ANY_JSON.has(message.typeName)) {
    const text = `the ${message.typeName} \`${dotted}\` can hold any JSON and cannot be a query parameter of ${nameOf(desc)}; use a body, or http: {nesting: BRACKETS}`;
    problems.add(subject, [], "query-type", text);
    return [];
  }
  if (path.slice(0, -1).some((step) => holds(step, message)) || message === desc.input) {
    if (byBrackets) return [path];
    const text = `the message ${message.typeName} at \`${dotted}\` contains itself, so it cannot be sent as query parameters of ${nameOf(desc)}`;
    problems.add(subject, [], "query-recursion", text);
    return [];
  }
  const chosen = message.oneofs.find(isChosenByValue);
  if (chosen !== undefined) {
    const text = `the oneof \`${dotted}.${chosen.name}\` ${typeModels.oneof(chosen).discriminator === "" ? "is chosen by JSON types" : "has a discriminator"}, which a query parameter of ${nameOf(desc)} cannot carry below a message; use a body, or http: {nesting: BRACKETS}`;
    problems.add(chosen, [RULES], "query-oneof", text);
    return [];
  }
  return message.fields.flatMap((child) => leaves(desc, [...path, child], bound, problems));
}

function hasBrackets(desc: DescMethod): boolean {
  const http = methodRules(desc).http ?? serviceRules(desc.parent).http;
  return http?.nesting === Http_Nesting.BRACKETS;
}

/** Reports whether the parameter names inside a field are known only at run time. */
function hasOpenNames(field: DescField): boolean {
  const message = messageOf(field);
  if (message === undefined) return true;
  if (field.fieldKind === "list") return typeModels.field(field).style !== "repeat";
  return ANY_JSON.has(message.typeName) || message.oneofs.some(isChosenByValue);
}

/** Reports whether a discriminator value selects the member of a oneof, not only the names of fields. */
function isChosenByValue(oneof: DescOneof): boolean {
  const { discriminator, layout } = typeModels.oneof(oneof);
  return discriminator !== "" || layout === "unwrapped";
}

/**
 * Returns the field to report a problem for: the last field outside of Google's types, whose files users
 * cannot edit.
 */
function subjectOf(path: FieldPath): DescField | undefined {
  return path.findLast((step) => !step.parent.file.proto.package.startsWith("google."));
}

function holds(field: DescField, message: DescMessage): boolean {
  return field.fieldKind === "message" && field.message === message;
}
