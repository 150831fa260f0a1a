/** Finds rules of services and methods that have no effect. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import {
  Credential_Kind,
  Credential_KindSchema,
  EnvelopeSchema,
  HttpSchema,
  MethodRulesSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { CursorSchema, PaginateSchema, UploadSchema } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";
import { covers } from "./error-coverage.ts";
import { checkIdleHttp, checkIdleResponseBody, type Idle } from "./idle-http.ts";
import { valueName } from "./syntax.ts";

const { field: RULE } = MethodRulesSchema;

function reporterFor(desc: DescService | DescMethod, problems: Problems): Idle {
  return (place, rule, reason) =>
    problems.add(desc, [RULES, ...place], "no-effect", `${rule} of ${nameOf(desc)} has no effect: ${reason}`);
}

/** Reports rules of a method that have no effect on the method. */
export function checkIdleRules(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { annotation } = method;
  const idle = reporterFor(method.desc, problems);
  checkCredentials(method, idle);
  checkEnvelope(method, idle);
  checkPaginate(method, idle);
  checkUpload(method, idle);
  checkHttp(method, idle);
  checkIdleHttp(method, types, (place, rule, reason) => idle(place, rule, `${reason}; remove it`));
  checkIdleResponseBody(method, problems);
  if (
    annotation.idempotencyKey !== "" &&
    annotation.idempotent === undefined &&
    method.rules.idempotencyKey === undefined
  ) {
    idle(
      [RULE.idempotencyKey.number],
      "idempotency_key",
      "the method is idempotent without a key; remove it",
    );
  }
}

/** Reports rules of a service or a method that have no effect because of other rules. */
export function checkIdleSharedRules(
  desc: DescService | DescMethod,
  rules: ServiceAnnotation | MethodAnnotation,
  problems: Problems,
): void {
  const idle = reporterFor(desc, problems);
  rules.credentials.forEach((kind, index, kinds) => {
    const none = kinds.indexOf(Credential_Kind.NONE);
    if (none < 0 || index <= none || kinds.indexOf(kind) < index) return;
    const reason = "NONE, which is always available, comes before it; put NONE last";
    idle(
      [RULE.credentials.number, index],
      `${valueName(Credential_KindSchema, kind)} in credentials`,
      reason,
    );
  });
  const { envelope } = rules;
  if (envelope !== undefined && envelope.payload.length === 0) {
    const { status, message, errors, known } = envelope;
    const [named] = Object.entries({ status, message, errors, known }).filter(([, { length }]) => length > 0);
    if (named !== undefined) {
      const place = EnvelopeSchema.fields.find(({ name }) => name === named[0]);
      const reason = 'an envelope without a payload means that there is none; set payload, e.g. "."';
      idle([RULE.envelope.number, place?.number ?? 0], `${named[0]} in the envelope`, reason);
    }
  }
  repeated(rules.headers.map(({ name }) => name.toLowerCase())).forEach((index) => {
    const { name = "" } = rules.headers[index] ?? {};
    idle([RULE.headers.number, index], `the first header \`${name}\``, "a later one replaces it; keep one");
  });
  rules.errors.forEach((rule, index) => {
    const first = rules.errors.findIndex((earlier) => covers(earlier, rule));
    if (first < 0 || first >= index) return;
    const reason = `rule ${first + 1} comes before it and matches whatever it matches; put the more specific rule first, or remove one`;
    idle([RULE.errors.number, index], `error rule ${index + 1}`, reason);
  });
}

/** Returns the indices of values that repeat an earlier value of the list. */
function repeated(values: readonly string[]): number[] {
  return values.flatMap((value, index) => (values.indexOf(value) < index ? [index] : []));
}

function checkCredentials({ annotation, rules }: MethodModel, idle: Idle): void {
  if (annotation.apiKey !== undefined && !rules.credentials.includes("api_key")) {
    idle(
      [RULE.apiKey.number],
      "api_key",
      "the credentials do not include API_KEY; add it, or remove api_key",
    );
  }
}

function checkEnvelope({ annotation, rules, stream }: MethodModel, idle: Idle): void {
  if (annotation.envelope === undefined || annotation.envelope.payload.length === 0) return;
  const reason =
    stream?.kind === "records" || stream?.kind === "download"
      ? `it does not apply to ${stream.kind}`
      : rules.responseEncoding === "bytes" || rules.responseEncoding === "empty"
        ? `a response read as ${rules.responseEncoding.toUpperCase()} has no JSON`
        : undefined;
  if (reason !== undefined) idle([RULE.envelope.number], "the envelope", `${reason}; remove it`);
}

function checkPaginate({ annotation: { paginate } }: MethodModel, idle: Idle): void {
  const next = paginate?.next;
  if (next?.case !== "lastItem" || next.value.header === "") return;
  const place = [
    RULE.paginate.number,
    PaginateSchema.field.lastItem.number,
    CursorSchema.field.header.number,
  ];
  idle(place, "header of last_item", "a value of an item is not in a header; use cursor");
}

function checkUpload({ annotation: { upload }, stream, bindings }: MethodModel, idle: Idle): void {
  if (upload === undefined || stream?.kind !== "upload") return;
  if (bindings.some(({ body }) => body.kind === "multipart")) return;
  for (const name of ["part", "filename"] as const) {
    if (upload[name] === "") continue;
    const reason = 'the body is not multipart; add `body: "*"` and request_encoding: MULTIPART, or remove it';
    idle([RULE.upload.number, UploadSchema.field[name].number], `${name} of upload`, reason);
  }
}

/** The kinds of bodies with `body: "*"` that can also contain the path variables. */
const WITH_PATH_FIELDS: ReadonlySet<string> = new Set(["fields", "form", "multipart"]);

function checkHttp({ annotation: { http }, bindings }: MethodModel, idle: Idle): void {
  if (http?.pathFieldsInBody !== true) return;
  const hasBoth = bindings.some(
    ({ variables, body }) => variables.size > 0 && WITH_PATH_FIELDS.has(body.kind),
  );
  if (hasBoth) return;
  const reason = "no binding has both path variables and a body of fields; remove it";
  idle([RULE.http.number, HttpSchema.field.pathFieldsInBody.number], "path_fields_in_body", reason);
}
