/** Checks that no two values have the same name in the same place. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { readPaths } from "../model/declared-keys.ts";
import type { FieldPath, MethodModel } from "../model/model.ts";
import { BODY_TYPE, IDEMPOTENCY_KEY, MULTIPART_TYPE, type Named, placesOf } from "../model/request-names.ts";
import type { TypeModels } from "../model/types.ts";
import { responseNames, spellings } from "../model/wire-names.ts";

/** Reports values that would be sent with the same name as another value. */
export function checkRequestNames(method: MethodModel, types: TypeModels, problems: Problems): void {
  for (const binding of method.bindings) {
    for (const [place, values] of placesOf(binding, method, types)) {
      checkPlace(place, values, { method, types }, problems);
    }
  }
}

interface Context {
  readonly method: MethodModel;
  readonly types: TypeModels;
}

function checkPlace(
  place: string,
  values: readonly Named[],
  { method: { desc }, types }: Context,
  problems: Problems,
): void {
  values.forEach((value, index) => {
    const other = values
      .slice(0, index)
      .find((candidate) => candidate.name === value.name && !excludes(candidate, value, types));
    if (other === undefined) return;
    const text = `${labelOf(value)} and ${labelOf(other)} are both named \`${value.name}\` in ${place} of ${nameOf(desc)}; ${remedyOf(value, other)}`;
    const field = value.path?.at(-1);
    const [element, option] = field === undefined ? [desc, [RULES]] : [field, [RULES, NAME]];
    problems.add(element, option, "name-twice", text);
  });
}

function remedyOf(value: Named, other: Named): string {
  const isOfBody = value.rule === BODY_TYPE || other.rule === BODY_TYPE;
  return isOfBody ? "remove the field, and set content_type" : "give one of them another name";
}

const NAME = FieldRulesSchema.field.name.number;
const ALIASES = FieldRulesSchema.field.aliases.number;

function labelOf({ path, rule = "" }: Named): string {
  const field = path?.at(-1);
  return field === undefined ? rule : nameOf(field);
}

/**
 * Reports whether only one of two values can be sent: they are in the same oneof, a constraint of the message
 * names both, or a rule decides between them.
 */
function excludes(candidate: Named, value: Named, types: TypeModels): boolean {
  const { path } = value;
  // another check reports two constants with one name; one of a constant Content-Type and the type of a body
  // has precedence
  if (path === undefined) {
    return candidate.rule === value.rule || value.rule === MULTIPART_TYPE || value.rule === BODY_TYPE;
  }
  // a field with the same name replaces the idempotency key of a call
  if (candidate.rule === IDEMPOTENCY_KEY) return true;
  return inOneOneof(candidate, path) || areConstrained(candidate.path, path, types);
}

function areConstrained(one: FieldPath | undefined, other: FieldPath, types: TypeModels): boolean {
  const [first, second] = [one?.at(-1), other.at(-1)];
  if (first === undefined || second === undefined || first.parent !== second.parent) return false;
  const constraints = JSON.stringify(types.constraints(first.parent));
  return [first, second].every((field) => new RegExp(`\\b${field.name}\\b`).test(constraints));
}

function inOneOneof({ path: other }: Named, path: FieldPath): boolean {
  const index = path.findIndex((field, step) => other?.[step] !== field);
  const oneof = path[index]?.oneof;
  return oneof !== undefined && other?.[index]?.oneof === oneof;
}

/**
 * Reports aliases that are also a key of another field, so that one value of a response would set two
 * unrelated fields. Fields with the same name read the same value on purpose.
 */
export function checkAliases(message: DescMessage, types: TypeModels, problems: Problems): void {
  const aliased = message.fields.filter((field) => types.field(field).aliases.length > 0);
  if (aliased.length === 0) return;
  const readers = new Map<string, DescField[]>();
  for (const field of message.fields) {
    for (const [key = "", ...below] of readPaths(field, types)) {
      if (below.length === 0) readers.set(key, [...(readers.get(key) ?? []), field]);
    }
  }
  for (const field of aliased) {
    const [name] = responseNames(field, types);
    types.field(field).aliases.forEach((alias, index) => {
      const other = spellings(alias)
        .flatMap((key) => readers.get(key) ?? [])
        .find((reader) => reader !== field && !sharesValue(reader, field, name, types));
      if (other === undefined || readPaths(field, types).length === 0) return;
      const text = `the alias \`${alias}\` of ${nameOf(field)} is also a key of ${nameOf(other)}, so that one value would set both fields; remove it from one of them`;
      problems.add(field, [RULES, ALIASES, index], "alias-shared", text);
    });
  }
}

function sharesValue(reader: DescField, field: DescField, name: string, types: TypeModels): boolean {
  if (reader.oneof !== undefined && reader.oneof === field.oneof) return true;
  return types.field(reader).sources.length === 0 && responseNames(reader, types)[0] === name;
}
