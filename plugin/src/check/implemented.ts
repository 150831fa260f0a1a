/** Rules of the language that this version does not act on: they are refused, so that nothing is ignored silently. */
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { fieldRules, HTTP, httpRule, methodRules, RULES } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import {
  FieldRules_BytesEncoding as Bytes,
  FieldRules_Location as Location,
  FieldRules_Style as Style,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import { RequestBody_Encoding, ResponseBody_Encoding } from "../gen/connectrest/v1/method_rules_pb.ts";
import type { MethodModel } from "../model/model.ts";

const CODE = "not-implemented";
const LOCATIONS: Readonly<Record<number, string>> = { 4: "COOKIE", 6: "PART", 7: "OAUTH1_PARAM" };
const ADDITIONAL_BINDINGS = 11;

/** Reports rules on a method that are not implemented. */
export function checkMethodImplemented(method: MethodModel, problems: Problems): void {
  const { desc } = method;
  const rules = methodRules(desc);
  const refuse = (number: number, what: string) =>
    problems.add(desc, [RULES, number], CODE, `${what} on ${nameOf(desc)} is not implemented`);
  if (desc.methodKind !== "unary")
    problems.add(desc, [], CODE, `the stream ${nameOf(desc)} is not implemented; remove its HTTP rule`);
  if (rules.requestEncoding > RequestBody_Encoding.JSON) refuse(22, "a request_encoding other than JSON");
  if (
    rules.responseEncoding > ResponseBody_Encoding.JSON &&
    rules.responseEncoding !== ResponseBody_Encoding.EMPTY
  ) {
    refuse(24, "a response_encoding other than JSON and EMPTY");
  }
  if (rules.rateLimits.length > 0) refuse(26, "rate_limits");
  if (rules.paginate !== undefined) refuse(27, "paginate");
  if (rules.poll !== undefined) refuse(28, "poll");
  if (rules.upload !== undefined) refuse(29, "upload");
  if (rules.download !== undefined) refuse(30, "download");
  checkHttpImplemented(desc, method, problems);
}

function checkHttpImplemented(desc: DescMethod, method: MethodModel, problems: Problems): void {
  if ((httpRule(desc)?.additionalBindings.length ?? 0) > 0) {
    problems.add(
      desc,
      [HTTP, ADDITIONAL_BINDINGS],
      CODE,
      `additional_bindings on ${nameOf(desc)} is not implemented`,
    );
  }
  for (const { template } of method.bindings) {
    for (const segment of template.segments) {
      if (
        segment.kind !== "variable" ||
        (segment.segments.length === 1 && segment.segments[0]?.kind === "wildcard")
      )
        continue;
      const text = `the pattern of the path variable \`${segment.fieldPath}\` is not implemented; use \`{${segment.fieldPath}}\``;
      problems.add(desc, [HTTP], CODE, text);
    }
  }
}

/** Reports rules on a field that are not implemented. */
export function checkFieldImplemented(field: DescField, problems: Problems): void {
  const rules = fieldRules(field);
  const refuse = (number: number, what: string) =>
    problems.add(field, [RULES, number], CODE, `${what} on ${nameOf(field)} is not implemented`);
  if (rules.in === Location.COOKIE || rules.in === Location.PART || rules.in === Location.OAUTH1_PARAM) {
    refuse(1, `in: ${LOCATIONS[rules.in]}`);
  }
  if (rules.unknown && !isStringMap(field)) refuse(8, "unknown on a field other than a map<string, string>");
  if (rules.bytes === Bytes.RAW) refuse(11, "bytes: RAW");
  if (rules.style === Style.SPREAD && field.fieldKind !== "map")
    refuse(4, "style: SPREAD on a field that is no map");
  if (rules.when.some((when) => when.key !== "" || when.present !== undefined || when.type !== "")) {
    refuse(12, "a condition other than values");
  }
}

function isStringMap(field: DescField): boolean {
  return field.fieldKind === "map" && field.mapKind === "scalar" && field.mapKey === 9 && field.scalar === 9;
}
