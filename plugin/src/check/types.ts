/** Checks that each field can be written in its place: in a path, a query, a body or a response. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { isScalarMessage, messageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { BindingModel, FieldPath, MethodModel } from "../model/model.ts";
import { isTree, type TypeModels } from "../model/types.ts";
import { requestName } from "../model/wire-names.ts";

/** Messages whose JSON is not an object of fields, so that they cannot be a complete response. */
const NO_ANSWER: ReadonlySet<string> = new Set([
  "google.protobuf.Timestamp",
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
  "google.protobuf.Any",
]);

/** Reports uses of types that a method does not support. */
export function checkTypes(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { desc } = method;
  if (NO_ANSWER.has(desc.output.typeName) || isScalarMessage(desc.output)) {
    problems.add(
      desc,
      [],
      "type-unsupported",
      `${nameOf(desc)} returns ${desc.output.typeName}, which cannot be a whole response`,
    );
  }
  checkBytes(method, problems);
  for (const binding of method.bindings) {
    checkBinding(binding, types, problems);
    checkContentType(method, binding, types, problems);
  }
}

/** Reports a scalar body with a Content-Type that is not JSON: the body is sent as JSON. */
function checkContentType(
  { desc, rules }: MethodModel,
  { body, headers }: BindingModel,
  types: TypeModels,
  problems: Problems,
): void {
  if (body.kind !== "field" || !isOneScalar(body.field)) return;
  const remedy = `but the body, ${nameOf(body.field)}, is sent as JSON text; declare it as google.api.HttpBody, which has a Content-Type of its own, or remove the header`;
  const isContentType = (name: string) => /^content-type$/i.test(name);
  const ofCaller = headers
    .map(([field]) => field)
    .find((field) => isContentType(requestName(field, rules.json, types)));
  if (ofCaller !== undefined) {
    const text = `${nameOf(ofCaller)} is sent as the Content-Type, ${remedy}`;
    problems.add(ofCaller, [RULES, FieldRulesSchema.field.in.number], "body-content-type", text);
  }
  const constant = rules.headers.findLast(({ name }) => isContentType(name))?.value;
  if (constant === undefined || /^[^;]*json/i.test(constant)) return;
  const text = `${nameOf(desc)} has the Content-Type \`${constant}\`, ${remedy}`;
  problems.add(desc, [RULES, MethodRulesSchema.field.headers.number], "body-content-type", text);
}

function isOneScalar(field: DescField): boolean {
  if (field.fieldKind === "message") return isScalarMessage(field.message);
  return field.fieldKind === "scalar" || field.fieldKind === "enum";
}

function checkBytes({ desc, rules, takesBytes }: MethodModel, problems: Problems): void {
  if (rules.responseEncoding !== "bytes" || takesBytes) return;
  const text = `the response of ${nameOf(desc)} is read as bytes, but ${desc.output.typeName} has no place for them; name a field of type bytes in \`response_body\`, or return google.api.HttpBody`;
  problems.add(desc, [RULES, MethodRulesSchema.field.responseEncoding.number], "response-bytes", text);
}

function checkBinding(binding: BindingModel, types: TypeModels, problems: Problems): void {
  const single = [...binding.headers, ...binding.cookies, ...binding.oauth1Params];
  for (const path of single) checkText(path, types, problems);
  const { body } = binding;
  const whole = body.kind === "field" || body.kind === "lines" ? body.field : undefined;
  if (whole !== undefined && types.field(whole).jsonText) {
    const text = `json_text of ${nameOf(whole)} has no effect: the whole body is JSON already; remove it`;
    problems.add(whole, [RULES, FieldRulesSchema.field.jsonText.number], "no-effect", text);
  }
  if (binding.body.kind === "multipart") {
    for (const path of binding.body.parts) checkPart(path.at(-1) as DescField, types, problems);
  }
}

function checkText(path: FieldPath, types: TypeModels, problems: Problems): void {
  const field = path.at(-1) as DescField;
  if (field.fieldKind === "map" ? types.field(field).jsonText : !isTree(field, types)) return;
  problems.add(
    field,
    [RULES, FieldRulesSchema.field.in.number],
    "in-type",
    `${nameOf(field)} cannot be sent as a header, cookie or parameter; use a scalar`,
  );
}

function checkPart(field: DescField, types: TypeModels, problems: Problems): void {
  const message = messageOf(field);
  if (message === undefined ? isBytesOrString(field) : hasContent(message, types)) return;
  const text = `${nameOf(field)} cannot be a part; use bytes, google.api.HttpBody, or a message with a field that has piece: CONTENT`;
  problems.add(field, [RULES, FieldRulesSchema.field.in.number], "part-type", text);
}

function isBytesOrString(field: DescField): boolean {
  return "scalar" in field && (field.scalar === 12 || field.scalar === 9) && field.fieldKind !== "map";
}

function hasContent(message: DescMessage, types: TypeModels): boolean {
  return (
    message.typeName === "google.api.HttpBody" ||
    message.fields.some((field) => types.field(field).piece === "content")
  );
}
