/** Checks the request fields that a method declares as credentials of the caller. */
import type { DescField } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { resolveFieldPath } from "../model/field-path.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";

const CREDENTIAL_FIELDS = MethodRulesSchema.field.credentialFields.number;

/**
 * Reports fields that do not exist, fields that are not sent or not marked as secrets, and credential fields
 * of a method that sends no other credentials.
 */
export function checkCredentialFields(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { desc, rules } = method;
  const { credentialFields } = method.annotation;
  if (credentialFields.length === 0) return;
  const subject = `credential_fields of ${nameOf(desc)}`;
  if (rules.credentials.every((kind) => kind === "none")) {
    const text = `${subject}: the method sends no other credentials, so that every rejection is about the caller's; remove them`;
    problems.add(desc, [RULES, CREDENTIAL_FIELDS], "credential-fields-unused", text);
  }
  credentialFields.forEach((path, index) => {
    const { fields, fault } = resolveFieldPath(desc.input, path);
    const problem = fault ?? fieldFault(fields, types) ?? repeated(credentialFields, index);
    if (problem === undefined) return;
    problems.add(desc, [RULES, CREDENTIAL_FIELDS, index], "credential-field", `${subject}: ${problem}`);
  });
}

function fieldFault(fields: readonly DescField[], types: TypeModels): string | undefined {
  const last = fields.at(-1);
  const isText = last?.fieldKind === "scalar" && fields.every((field) => field.fieldKind !== "list");
  if (last === undefined || !isText) {
    return `expected a field with one value, got ${last === undefined ? "none" : nameOf(last)}`;
  }
  if (fields.some((field) => types.field(field).place === "nothing")) return `${nameOf(last)} is not sent`;
  const isRedacted = fields.some(
    (field) => types.field(field).redact || field.proto.options?.debugRedact === true,
  );
  return isRedacted ? undefined : `${nameOf(last)} is a secret; mark it with \`redact\``;
}

function repeated(paths: readonly string[], index: number): string | undefined {
  const path = paths[index] ?? "";
  return paths.indexOf(path) < index ? `\`${path}\` is named twice` : undefined;
}
