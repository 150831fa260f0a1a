import type { DescField, DescMethod } from "@bufbuild/protobuf";
import type { OptionPath, Problems } from "../diagnostics/problem.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import { bodyFields } from "../model/body-fields.ts";
import type { BindingModel, FieldPath } from "../model/model.ts";
import type { Place } from "../model/types.ts";
import { parseBody } from "./body.ts";
import { leaves } from "./leaves.ts";
import { methodRules, serviceRules } from "./options.ts";
import { parsePattern, parseVariables } from "./pattern.ts";
import { isTakenByStream } from "./stream-fields.ts";
import { typeModels } from "./types.ts";

/**
 * Parses an HTTP rule. Reports a problem and returns undefined if the rule is invalid.
 *
 * @param rulePath the path of the rule in the options of the method
 */
export function parseBinding(
  desc: DescMethod,
  rule: HttpRule,
  rulePath: OptionPath,
  problems: Problems,
): BindingModel | undefined {
  const pattern = parsePattern(desc, rule, rulePath, problems);
  if (pattern === undefined) return undefined;
  const variables = parseVariables(desc, pattern, problems);
  const inPath = [...variables.values()];
  const bound = new Set(inPath.map((path) => path.map((field) => field.name).join(".")));
  const http = methodRules(desc).http ?? serviceRules(desc.parent).http;
  const pathFieldsInBody = http?.pathFieldsInBody ?? false;
  const body = parseBody(rule, {
    desc,
    verb: pattern.verb,
    bound,
    inPath,
    pathFieldsInBody,
    rulePath,
    problems,
  });
  const inBody = new Set(bodyFields(body));
  const rest =
    body.kind === "http-body" && body.field === undefined
      ? []
      : desc.input.fields.filter((field) => !inBody.has(field) && !isTakenByStream(desc, field));
  const placed = (where: Place) =>
    rest
      .filter((field) => typeModels.field(field).place === where && !bound.has(field.name))
      .map((field): FieldPath => [field]);
  return {
    verb: pattern.verb,
    template: pattern.template,
    variables,
    query: rest.filter(goesToQuery).flatMap((field) => leaves(desc, [field], bound, problems)),
    headers: placed("header"),
    cookies: placed("cookie"),
    oauth1Params: placed("oauth1_param"),
    body,
  };
}

function goesToQuery(field: DescField): boolean {
  const where = typeModels.field(field).place;
  return where === "query" || where === undefined;
}
