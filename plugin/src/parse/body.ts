import type { DescField, DescMethod, DescOneof } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import type { OptionPath, Problems } from "../diagnostics/problem.ts";
import {
  RequestBody_Encoding as Encoding,
  MethodRulesSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { type HttpRule, HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import { suggestion } from "../model/field-path.ts";
import type { BodyModel, FieldPath, Parameters } from "../model/model.ts";
import { isFlattened } from "../model/types.ts";
import { leaves } from "./leaves.ts";
import { methodRules } from "./options.ts";
import { isTakenByStream } from "./stream-fields.ts";
import { typeModels } from "./types.ts";

const REQUEST_ENCODING = MethodRulesSchema.field.requestEncoding.number;

/** The context for parsing a body. */
export interface BodyContext {
  readonly desc: DescMethod;
  readonly verb: string;
  /** The dotted names of the fields in the path. */
  readonly bound: ReadonlySet<string>;
  /** The fields in the path. */
  readonly inPath: readonly FieldPath[];
  readonly pathFieldsInBody: boolean;
  /** The path of the HTTP rule in the options of the method. */
  readonly rulePath: OptionPath;
  readonly problems: Problems;
}

/** Parses the body of an HTTP rule. */
export function parseBody(rule: HttpRule, context: BodyContext): BodyModel {
  const { desc, verb, rulePath, problems } = context;
  if (rule.body === "") return noBody(context);
  if (verb === "GET" || verb === "HEAD") {
    const text = `a ${verb} request must not have a body (RFC 9110 section 9.3.1); remove \`body\` or use post`;
    problems.add(desc, [...rulePath, HttpRuleSchema.field.body.number], "body-verb", text);
    return { kind: "none" };
  }
  if (isHttpBody(desc.input.typeName) && rule.body === "*") return { kind: "http-body", field: undefined };
  return rule.body === "*" ? wholeBody(context) : fieldBody(rule.body, context);
}

function noBody({ desc, problems }: BodyContext): BodyModel {
  const encoding = methodRules(desc).requestEncoding;
  if (encoding > Encoding.JSON) {
    const text = 'request_encoding is set, but the HTTP rule has no body; add `body: "*"`';
    problems.add(desc, [RULES, REQUEST_ENCODING], "encoding-without-body", text);
  }
  return { kind: "none" };
}

function wholeBody(context: BodyContext): BodyModel {
  const { desc, bound, inPath, pathFieldsInBody } = context;
  const rules = methodRules(desc);
  const free = desc.input.fields.filter(
    (field) => (pathFieldsInBody || !bound.has(field.name)) && !isTakenByStream(desc, field),
  );
  const fields = free.filter((field) => goesToBody(field));
  const omitted = pathFieldsInBody ? [] : inPath.filter((path) => path.length > 1);
  switch (rules.requestEncoding) {
    case Encoding.LINES:
      return linesFault(context);
    case Encoding.FORM:
      return { kind: "form", ...parameters(fields, context) };
    case Encoding.MULTIPART:
    case Encoding.MULTIPART_WHEN_PARTS:
      return {
        kind: "multipart",
        jsonPart: rules.jsonPart || undefined,
        fields,
        ...(rules.jsonPart === "" ? parameters(fields, context) : { paths: [], choices: [] }),
        parts: partPaths(free),
        whenParts: rules.requestEncoding === Encoding.MULTIPART_WHEN_PARTS,
      };
    default:
      return { kind: "fields", fields, omitted };
  }
}

/** Returns the fields placed in parts: fields of the request and of flattened members of its oneofs. */
function partPaths(fields: readonly DescField[]): FieldPath[] {
  return fields.flatMap((field): FieldPath[] => {
    if (typeModels.field(field).place === "part") return [[field]];
    if (field.oneof === undefined || field.fieldKind !== "message") return [];
    return field.message.fields
      .filter((child) => typeModels.field(child).place === "part")
      .map((child): FieldPath => [field, child]);
  });
}

/** Returns fields as parameters. The fields of a oneof with a discriminator or shared keys stay together. */
function parameters(fields: readonly DescField[], context: BodyContext): Parameters {
  const { desc, problems } = context;
  const bound: ReadonlySet<string> = context.pathFieldsInBody ? new Set() : context.bound;
  const chosen = (field: DescField) =>
    field.oneof !== undefined &&
    (isFlattened(field.oneof, typeModels) || typeModels.oneof(field.oneof).discriminator !== "");
  const oneofs = new Set(fields.filter(chosen).map((field) => field.oneof as DescOneof));
  const below = (field: DescField) =>
    field.fieldKind === "message"
      ? field.message.fields.filter(goesToBody).flatMap((child) => leaves(desc, [child], new Set(), problems))
      : leaves(desc, [field], bound, problems);
  return {
    paths: fields
      .filter((field) => !chosen(field))
      .flatMap((field) => leaves(desc, [field], bound, problems)),
    choices: [...oneofs].map((oneof) => ({
      oneof,
      members: oneof.fields.map((field) => ({ field, paths: below(field) })),
    })),
  };
}

function fieldBody(name: string, context: BodyContext): BodyModel {
  const { desc, bound, rulePath, problems } = context;
  const add = (code: string, text: string) =>
    problems.add(desc, [...rulePath, HttpRuleSchema.field.body.number], code, text);
  const field = desc.input.fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    const message = desc.input;
    add(
      "body-field",
      `the body: message ${message.typeName} has no field \`${name}\`${suggestion(name, message)}`,
    );
    return { kind: "none" };
  }
  if (bound.has(field.name)) {
    add("body-field-in-path", `the field \`${field.name}\` cannot be both a path variable and the body`);
    return { kind: "none" };
  }
  const encoding = methodRules(desc).requestEncoding;
  if (encoding === Encoding.LINES) {
    return field.fieldKind === "list" ? { kind: "lines", field } : linesFault(context);
  }
  if (encoding > Encoding.JSON) {
    const text =
      'a body that is a single field is encoded as JSON; use `body: "*"` for a form or multipart body';
    problems.add(desc, [RULES, REQUEST_ENCODING], "encoding-of-field", text);
  }
  if (field.fieldKind === "message" && isHttpBody(field.message.typeName)) {
    return { kind: "http-body", field };
  }
  return { kind: "field", field, omitted: inPathBelow(field, context) };
}

function linesFault({ desc, problems }: BodyContext): BodyModel {
  const text = "request_encoding: LINES needs a repeated field as the body; set `body` to its name";
  problems.add(desc, [RULES, REQUEST_ENCODING], "encoding-lines", text);
  return { kind: "none" };
}

/**
 * Returns the path fields inside a field. A value is either in the path or in the body
 * (google/api/http.proto, "Rules for HTTP mapping").
 */
function inPathBelow(field: DescField, { inPath, pathFieldsInBody }: BodyContext): FieldPath[] {
  if (pathFieldsInBody) return [];
  return inPath.flatMap(([head, next, ...rest]): FieldPath[] =>
    head === field && next !== undefined ? [[next, ...rest]] : [],
  );
}

function goesToBody(field: DescField): boolean {
  const where = typeModels.field(field).place;
  return where === "body" || where === undefined;
}

function isHttpBody(typeName: string): boolean {
  return typeName === "google.api.HttpBody";
}
