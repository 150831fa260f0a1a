/** Checks that fields can be sent in the places that their rules name. */
import type { DescField } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { bodyFields } from "../model/body-fields.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import type { Place, TypeModels } from "../model/types.ts";

/** The advice for fields with a place that no binding of the method has, by place. */
const REMEDIES: Readonly<Partial<Record<Place, string>>> = {
  path: "`in: PATH`, but no path contains `{$}`; add it to one",
  body: '`in: BODY`, but no binding has a body that holds it; add `body: "*"`',
  part: '`in: PART`, but no binding has a multipart body; add `body: "*"` and request_encoding: MULTIPART',
};

/** Reports request fields that name a place but that no binding sends. */
export function checkPlacesUsed(
  { desc, rules, bindings, stream }: MethodModel,
  types: TypeModels,
  problems: Problems,
): void {
  const isSigned = rules.credentials.some((kind) => kind === "oauth1" || kind === "oauth1_client");
  for (const field of isSigned ? [] : desc.input.fields) {
    if (types.field(field).place !== "oauth1_param") continue;
    const text = `${nameOf(field)} has \`in: OAUTH1_PARAM\`, but ${nameOf(desc)} is not signed; add OAUTH1 or OAUTH1_CLIENT to its credentials, or remove \`in\``;
    problems.add(field, [RULES, FieldRulesSchema.field.in.number], "in-unused", text);
  }
  // an upload has a separate body
  if (stream?.kind === "upload") return;
  const used = new Set(bindings.flatMap(fieldsOf));
  for (const field of desc.input.fields) {
    const { place } = types.field(field);
    const remedy = place && REMEDIES[place];
    if (remedy === undefined || used.has(field)) continue;
    const text = `${nameOf(field)} has ${remedy.replace("$", field.name)}, or remove \`in\``;
    problems.add(field, [RULES, FieldRulesSchema.field.in.number], "in-unused", text);
  }
}

function fieldsOf({ variables, body }: BindingModel): DescField[] {
  return [...[...variables.values()].map(([field]) => field), ...bodyFields(body)];
}
