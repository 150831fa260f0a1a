/** Checks that no two values of a request have the same name in the same place. */
import type { DescField } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { BindingModel, BodyModel, FieldPath, MethodModel } from "../model/model.ts";
import type { FieldModel, TypeModels } from "../model/types.ts";
import { parameterName, requestName } from "../model/wire-names.ts";

/** A named value: of a field, or of a rule. */
interface Named {
  readonly name: string;
  readonly path?: FieldPath;
  /** The name of a rule's value in texts: `a constant parameter`. */
  readonly rule?: string;
}

/** Reports fields that would be sent under the name of another field or a constant. */
export function checkRequestNames(method: MethodModel, types: TypeModels, problems: Problems): void {
  const context = { method, types };
  for (const binding of method.bindings) {
    for (const [place, values] of placesOf(binding, context)) checkPlace(place, values, context, problems);
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
  values.forEach(({ name, path }, index) => {
    const field = path?.at(-1);
    if (path === undefined || field === undefined) return;
    const other = values
      .slice(0, index)
      .find((candidate) => candidate.name === name && !excludes(candidate, path, types));
    if (other === undefined) return;
    const holder = other.path?.at(-1);
    const taken = holder === undefined ? (other.rule ?? "") : nameOf(holder);
    const text = `${nameOf(field)} and ${taken} are both named \`${name}\` in ${place} of ${nameOf(desc)}; give one of them another name`;
    problems.add(field, [RULES, FieldRulesSchema.field.name.number], "name-twice", text);
  });
}

/**
 * Reports whether only one of two values can be set: they are members of one oneof, or a constraint of the
 * message names both.
 */
function excludes(candidate: Named, path: FieldPath, types: TypeModels): boolean {
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

function placesOf(binding: BindingModel, context: Context): Array<[string, readonly Named[]]> {
  const {
    method: { rules },
    types,
  } = context;
  const direct = (paths: readonly FieldPath[]) =>
    paths.map((path) => ({ name: requestName(path.at(-1) as DescField, rules.json, types), path }));
  const constants = (isMeant: (inQuery: boolean) => boolean) =>
    rules.parameters
      .filter(({ inQuery }) => isMeant(inQuery))
      .map(({ name }) => ({ name, rule: "a constant parameter" }));
  const inBody = bodyNames(binding.body, context);
  const key = rules.credentials.includes("api_key") ? rules.apiKey?.query : undefined;
  const apiKey = key === undefined ? [] : [{ name: key, rule: "the API key" }];
  const headers = direct(binding.headers).map(({ name, path }) => ({ name: name.toLowerCase(), path }));
  return [
    [
      "the query",
      [
        ...constants((inQuery) => inQuery || inBody === undefined),
        ...apiKey,
        ...parameters(binding.query, context),
      ],
    ],
    ["the headers", headers],
    ["the cookies", direct(binding.cookies)],
    ["the Authorization header", direct(binding.oauth1Params)],
    ...(inBody === undefined
      ? []
      : [["the body", [...constants((inQuery) => !inQuery), ...inBody]] as [string, Named[]]]),
  ];
}

/** Returns the names in a body that has names; constants are then in the body, otherwise in the query. */
function bodyNames(body: BodyModel, context: Context): Named[] | undefined {
  switch (body.kind) {
    case "fields":
      return keys(body.fields, context);
    case "form":
      return parameters(body.paths, context);
    case "multipart":
      return body.jsonPart === undefined ? parameters(body.paths, context) : keys(body.fields, context);
    default:
      return undefined;
  }
}

/**
 * Returns fields as keys of a JSON object; members of a oneof with a discriminator have their own layout.
 */
function keys(fields: readonly DescField[], { method: { rules }, types }: Context): Named[] {
  return fields
    .filter((field) => !types.field(field).unknown)
    .filter((field) => field.oneof === undefined || types.oneof(field.oneof).discriminator === "")
    .map((field) => ({ name: requestName(field, rules.json, types), path: [field] }));
}

function parameters(paths: readonly FieldPath[], { method: { rules }, types }: Context): Named[] {
  return paths.flatMap((path) => {
    const field = path.at(-1) as DescField;
    if (field.fieldKind === "map") return [];
    return [{ name: parameterName(path, rules, types) + suffixOf(types.field(field)), path }];
  });
}

/** Returns the suffix that a style adds to the name: `tag[]` and `tag` are two parameters. */
function suffixOf({ style }: FieldModel): string {
  return style === "brackets" ? "[]" : style === "indexed" ? "[0]" : "";
}
