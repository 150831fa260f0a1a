/** Checks the subjects of field masks, and the fields that the masks clear. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { messageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { FieldRulesSchema, MaskSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { isMask, requestSubject, siblingSubject } from "../model/masks.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";

const { number: MASK } = FieldRulesSchema.field.mask;
const { field: RULE } = MaskSchema;

/** Reports mask rules without a subject, in the request and in the messages that it contains. */
export function checkMasks(
  method: MethodModel,
  reached: Iterable<DescMessage>,
  types: TypeModels,
  problems: Problems,
): void {
  for (const message of reached) {
    for (const field of message.fields) {
      if (types.field(field).mask !== undefined) checkMask(field, method, types, problems);
    }
  }
}

function checkMask(field: DescField, method: MethodModel, types: TypeModels, problems: Problems): void {
  const { of = "", unset } = types.field(field).mask ?? {};
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(field, [RULES, MASK, ...place], code, text);
  if (!isMask(field)) {
    add([], "mask-type", `\`mask\` requires a google.protobuf.FieldMask; ${nameOf(field)} is not one`);
    return;
  }
  const response = (method.responseBody && messageOf(method.responseBody)) ?? method.desc.output;
  const inRequest = field.parent === method.desc.input;
  const known = [...field.parent.fields, ...(inRequest ? response.fields : [])].filter(
    (other) => other !== field && messageOf(other) !== undefined,
  );
  if (of !== "" && !known.some(({ name }) => name === of)) {
    const names = known.map(({ name }) => name);
    const text = `${nameOf(field)} speaks of \`${of}\`, which is no message beside it or in the response${suggest(of, names)}`;
    add([RULE.of.number], "mask-of", text);
    return;
  }
  if (unset === undefined) return;
  const fault =
    !inRequest || field.fieldKind === "list"
      ? "only a single mask of the request message itself clears fields"
      : method.bindings.map((binding) => unsetFault(field, binding, response, types)).find(Boolean);
  if (fault !== undefined) add([RULE.unset.number], "mask-unset", `\`unset\` of ${nameOf(field)}: ${fault}`);
}

function unsetFault(
  field: DescField,
  { body }: BindingModel,
  response: DescMessage,
  types: TypeModels,
): string | undefined {
  if (body.kind !== "fields" && body.kind !== "field") return "the request has no JSON body; set `body`";
  const subject = requestSubject(field, body, response, types);
  if (subject === undefined) return "the body has several messages; name the one that is meant with `of`";
  const isIn =
    body.kind === "field"
      ? subject.field === body.field
      : subject.field === undefined
        ? siblingSubject(field, types) === undefined
        : body.fields.includes(subject.field);
  if (!isIn) return "what the mask speaks of is not in the body";
  return subject.field?.fieldKind === "list" ? "it speaks of a list, whose items cannot be named" : undefined;
}
