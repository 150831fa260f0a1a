/** Finds rules for the notation of requests that apply to no value of a request. */
import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import { scalarOf } from "../descriptors/well-known.ts";
import { HTTP as HTTP_RULE } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import {
  Http_Nesting,
  Http_Slash,
  HttpSchema,
  Json_Integers,
  JsonSchema,
  MethodRulesSchema,
  ParameterSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { parameterPaths } from "../model/body-fields.ts";
import type { FieldPath, MethodModel } from "../model/model.ts";
import { isTree, type TypeModels } from "../model/types.ts";
import { FieldUses } from "../model/uses.ts";

const { field: RULE } = MethodRulesSchema;
const { field: HTTP } = HttpSchema;

/** Reports a rule without effect. The reason continues a sentence that begins with the name of the rule. */
export type Idle = (place: OptionPath, rule: string, reason: string) => void;

/** The kinds of bodies whose names a constant parameter can join. */
const NAMED_BODIES: ReadonlySet<string> = new Set(["fields", "form", "multipart"]);

/** The streams that read messages from parts of responses, and the rule that says from which. */
const STREAMS: Readonly<Partial<Record<string, string>>> = {
  paginate: "`items` of `paginate`",
  poll: "`items` of `poll`",
  records: "`records`",
  download: "`download`",
};

/** Reports a `response_body` of a stream, whose messages are not whole responses. */
export function checkIdleResponseBody({ desc, stream, responseBody }: MethodModel, problems: Problems): void {
  const source = STREAMS[stream?.kind ?? ""];
  if (source === undefined || responseBody === undefined) return;
  const text = `response_body of ${nameOf(desc)} has no effect: ${source} says what the messages of the stream are read from; remove it`;
  problems.add(desc, [HTTP_RULE, HttpRuleSchema.field.responseBody.number], "no-effect", text);
}

/** Reports rules for the notation of values that the requests of the method do not contain. */
export function checkIdleHttp(method: MethodModel, types: TypeModels, idle: Idle): void {
  const { annotation, bindings } = method;
  const { http, json } = annotation;
  const flag = (rule: keyof typeof HTTP, has: boolean, reason: string) => {
    if (!has) idle([RULE.http.number, HTTP[rule].number], HTTP[rule].name, reason);
  };
  const variables = bindings.flatMap((binding) => [...binding.variables.values()]);
  if (variables.length === 0) {
    const reason = "no path has a variable";
    flag("slash", http?.slash !== Http_Slash.REFUSE, reason);
    flag("controlCharactersInPath", http?.controlCharactersInPath !== true, reason);
  }
  const hasBytes = (paths: readonly FieldPath[]) =>
    paths.map(lastOf).some((field) => {
      const { bytes, jsonText } = types.field(field);
      return (
        bytes === undefined && !jsonText && !isTree(field, types) && scalarOf(field) === ScalarType.BYTES
      );
    });
  if (http?.urlSafeBase64InPath) {
    flag("urlSafeBase64InPath", hasBytes(variables), "no path variable is of type bytes");
  }
  if (http?.urlSafeBase64InQuery) {
    const has = hasBytes(bindings.flatMap(({ query }) => query));
    flag("urlSafeBase64InQuery", has, "no parameter of the query is of type bytes");
  }
  if (http?.nesting === Http_Nesting.BRACKETS) {
    const paths = bindings.flatMap(parameterPaths);
    const has = paths.some((path) => path.length > 1 || isTree(lastOf(path), types));
    flag("nesting", has, "no parameter of a query or a form is nested");
  }
  if (http?.omitRequiredZeros) {
    const has = sentFields(method, types).some(([field]) => types.required(field));
    flag("omitRequiredZeros", has, "no field outside of the path is REQUIRED");
  }
  if (json?.integers === Json_Integers.NUMBERS) {
    const has = sentFields(method, types).some(
      ([field, uses]) =>
        uses.has("json") && types.field(field).number === undefined && BIG_INTEGERS.has(scalarOf(field)),
    );
    const place = [RULE.json.number, JsonSchema.field.integers.number];
    if (!has) idle(place, "integers", "no field in JSON takes the notation of 64-bit integers from it");
  }
  if (bindings.some(({ body }) => NAMED_BODIES.has(body.kind))) return;
  annotation.parameters.forEach(({ name, inQuery }, index) => {
    const place = [RULE.parameters.number, index, ParameterSchema.field.inQuery.number];
    if (inQuery) idle(place, `in_query of the parameter \`${name}\``, "no body could hold the parameter");
  });
}

/** Returns the fields that a method sends outside of the path, with their uses. */
function sentFields(method: MethodModel, types: TypeModels): Array<[DescField, ReadonlySet<string>]> {
  const uses = new FieldUses(types);
  uses.addRequest({
    ...method,
    bindings: method.bindings.map((binding) => ({ ...binding, variables: new Map() })),
  });
  return [...uses];
}

function lastOf(path: FieldPath): DescField {
  return path.at(-1) as DescField;
}
