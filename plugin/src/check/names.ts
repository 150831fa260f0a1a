/** Checks that no two values of a request have the same name in the same place. */
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { FieldPath, MethodModel } from "../model/model.ts";
import { IDEMPOTENCY_KEY, MULTIPART_TYPE, type Named, placesOf } from "../model/request-names.ts";
import type { TypeModels } from "../model/types.ts";

/** Reports values that would be sent with the same name as another value. */
export function checkRequestNames(method: MethodModel, types: TypeModels, problems: Problems): void {
  for (const binding of method.bindings) {
    for (const [place, values] of placesOf(binding, method.rules, types)) {
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
    const text = `${labelOf(value)} and ${labelOf(other)} are both named \`${value.name}\` in ${place} of ${nameOf(desc)}; give one of them another name`;
    const field = value.path?.at(-1);
    const [element, option] = field === undefined ? [desc, [RULES]] : [field, [RULES, NAME]];
    problems.add(element, option, "name-twice", text);
  });
}

const NAME = FieldRulesSchema.field.name.number;

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
  // another check reports two constants with one name, and the Content-Type of a multipart body replaces a
  // constant one
  if (path === undefined) return candidate.rule === value.rule || value.rule === MULTIPART_TYPE;
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
